"""A small real training that survives every change of its world.

Rank 0 keeps a checkpoint in the folder SHARED, which all members see, and one line for each finished step:
`step world loss`. It ends when somebody makes the file `stop` there, and says so by the file `done`.
"""

import os
import pathlib
import socket
import time

import torch
import torch.distributed as dist

SHARED = pathlib.Path(os.environ["SHARED"])
CHECKPOINT = SHARED / "checkpoint"
FEATURES = 8


def append(name, line):
    with open(SHARED / name, "a") as file:
        file.write(line + "\n")


def save(model, optimizer, step):
    draft = CHECKPOINT.with_suffix(".new")
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, draft)
    os.replace(draft, CHECKPOINT)


def main():
    append("starts", f"{socket.gethostname()} {os.environ.get('GANG_NAME')}")
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    truth = torch.randn(FEATURES, 1)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(FEATURES, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.5)
    step = 0
    if CHECKPOINT.exists():
        kept = torch.load(CHECKPOINT)
        model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
        step = kept["step"]
    # Nobody overwrites the checkpoint before all have read it.
    dist.barrier()
    append("worlds", f"{socket.gethostname()} {rank} {world} {step}")
    torch.manual_seed(1000 * step + rank)
    while True:
        stop = torch.tensor([float(rank == 0 and (SHARED / "stop").exists())])
        dist.all_reduce(stop)
        if stop.item() > 0:
            break
        inputs = torch.randn(64, FEATURES)
        loss = torch.nn.functional.mse_loss(model(inputs), inputs @ truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if rank == 0:
            save(model, optimizer, step)
            append("steps", f"{step} {world} {loss.item():.6f}")
        time.sleep(0.1)
    if rank == 0:
        (SHARED / "done").touch()
    dist.destroy_process_group()


main()
