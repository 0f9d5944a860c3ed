"""What every task of tasks.yaml runs under ditask: greets the others over DI-engine's bus, and notes whom it hears.

SHARED is a folder that all see. starts: a line "rank birth" for each process, the birth being a word that no other
process has; heard: "rank birth peer its-birth" when it hears another for the first time. The file stop ends all well.
"""

import os
import time

from ding.framework import task


def note(file, *words):
    # One write of a short line: others write too.
    with open(os.path.join(os.environ["SHARED"], file), "a") as lines:
        lines.write(" ".join(str(word) for word in words) + "\n")


def main():
    rank = task.router.node_id
    birth = os.urandom(4).hex()
    known = set()

    def hear(peer, its_birth):
        if its_birth not in known:
            known.add(its_birth)
            note("heard", rank, birth, peer, its_birth)

    with task.start(async_mode=False):
        task.on("greeting", hear)
        note("starts", rank, birth)
        while not os.path.exists(os.path.join(os.environ["SHARED"], "stop")):
            task.emit("greeting", rank, birth, only_remote=True)
            time.sleep(0.1)
