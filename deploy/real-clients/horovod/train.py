"""A small real training under Horovod's elastic mode.

It tells what it does by lines in the folder SHARED: `starts`, `worlds` (`host rank world step`) and `steps`
(`step world loss`), the last once all have kept the step. It ends when somebody makes the file `stop` there.
"""

import os
import pathlib
import time

import horovod.torch as hvd
import torch

SHARED = pathlib.Path(os.environ["SHARED"])
HOST = os.environ["HOROVOD_HOSTNAME"]
FEATURES = 8


def append(name, line):
    with open(SHARED / name, "a") as file:
        file.write(line + "\n")


append("starts", HOST)
hvd.init()
torch.manual_seed(0)
truth = torch.randn(FEATURES, 1)
model = torch.nn.Linear(FEATURES, 1)
optimizer = hvd.DistributedOptimizer(
    torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.5), named_parameters=model.named_parameters()
)


@hvd.elastic.run
def train(state):
    append("worlds", f"{HOST} {hvd.rank()} {hvd.size()} {state.step}")
    torch.manual_seed(1000 * state.step + hvd.rank())
    loss = None
    while True:
        stop = float(hvd.rank() == 0 and (SHARED / "stop").exists())
        is_over = hvd.allreduce(torch.tensor([stop]), name="stop", op=hvd.Sum).item() > 0
        # Who comes here has kept the last step: whoever dies now, none of the others falls behind it.
        if hvd.rank() == 0 and loss is not None:
            append("steps", f"{state.step} {hvd.size()} {loss.item():.6f}")
        if is_over:
            return
        inputs = torch.randn(64, FEATURES)
        loss = torch.nn.functional.mse_loss(model(inputs), inputs @ truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state.step += 1
        state.save()
        state.check_host_updates()
        time.sleep(0.1)


train(hvd.elastic.TorchState(model=model, optimizer=optimizer, step=0))
