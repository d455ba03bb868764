"""The peak of memory over ten steps of training, above what importing took: ResNet-18 and a character model.

    scripts/bench.sh's environment, then:  python benchmarks/peak_memory.py [--systems weft torch] [--threads 2]

Each system runs in a process of its own; the peak is that of the system, which counts every page that was ever touched.
ResNet-18 is that for CIFAR (3x3 at the start, no pooling there) on 32 images, by SGD with momentum; the character model has 6 layers of
width 384 and 6 heads, 4 texts of 256 letters, by AdamW, PyTorch's fused. Ours are functions, PyTorch's eager.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import resource
import subprocess
import sys

from train_rows import LETTERS, torch_gpt, torch_step_of, weft_gpt, weft_step_of

MODELS = ("resnet18", "char-gpt")
GPT = {"layers": 6, "width": 384, "length": 256, "heads": 6}


def resnet18_in(nn):
    """As both we and PyTorch write it."""
    def conv(inputs, outputs, size, stride):
        return nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, bias=False)

    class Block(nn.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.first = nn.Sequential(conv(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs), nn.ReLU())
            self.second = nn.Sequential(conv(outputs, outputs, 3, 1), nn.BatchNorm2d(outputs))
            self.short = nn.Identity()
            if stride != 1 or inputs != outputs:
                self.short = nn.Sequential(conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))
            self.relu = nn.ReLU()

        def forward(self, x):
            return self.relu(self.second(self.first(x)) + self.short(x))

    blocks, inputs = [], 64
    for outputs in (64, 128, 256, 512):
        blocks += [Block(inputs, outputs, 1 if outputs == 64 else 2), Block(outputs, outputs, 1)]
        inputs = outputs
    return nn.Sequential(conv(3, 64, 3, 1), nn.BatchNorm2d(64), nn.ReLU(), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(512, 10))


def weft_resnet(wf, x, y):
    model = resnet18_in(wf.nn)
    step = weft_step_of(wf, wf.optim.SGD(model.parameters(), lr=0.1, momentum=0.9),
                        lambda x, y: wf.nn.cross_entropy(model(x), y))
    wx, wy = wf.asarray(x), wf.asarray(y)
    return lambda: step(wx, wy)


def torch_resnet(torch, x, y):
    model = resnet18_in(torch.nn)
    return torch_step_of(torch, model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), x, y)


def peak() -> float:
    """Of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def one(system: str, model: str, threads: int) -> None:
    """Runs one system in this process and prints its peak."""
    import numpy as np

    rng = np.random.default_rng(3)
    if system == "weft":
        import weft as library

        library.set_num_threads(threads)
        step_of = weft_resnet if model == "resnet18" else weft_gpt
    else:
        import torch as library

        library.set_num_threads(threads)
        step_of = torch_resnet if model == "resnet18" else torch_gpt
    before = peak()
    if model == "resnet18":
        step = step_of(library, rng.standard_normal((32, 3, 32, 32), dtype=np.float32), rng.integers(0, 10, 32))
    else:
        x, y = rng.integers(0, LETTERS, (2, 4, GPT["length"]))
        step = step_of(library, x, y, **GPT)
    for _ in range(10):
        step()
    print(f"peak {peak() - before}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", nargs="+", choices=("weft", "torch"), default=("weft", "torch"))
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(*options.one, options.threads)
        return 0
    for model in options.models:
        peaks = {}
        for system in options.systems:
            command = [sys.executable, pathlib.Path(__file__), "--threads", str(options.threads), "--one", system, model]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            peaks[system] = float(out.split("peak ")[1])
        shown = "  ".join(f"{system} {mb:.0f} MB" for system, mb in peaks.items())
        ratio = f"  {peaks['weft'] / peaks['torch']:.2f} of torch" if len(peaks) == 2 else ""
        print(f"{model:10} {shown}{ratio}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
