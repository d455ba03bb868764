"""Weft beside PyTorch and JAX in one interleaved run: ratios, and shares of what the machine can do.

    scripts/bench.sh                 everything, both thread counts; writes benchmarks' table to the terminal
    scripts/bench.sh --only softmax  rows whose name contains a word
    scripts/bench.sh --quick         fewer rounds, for a first look

A ratio above 1 means that Weft is faster. Times are the best of many rounds, in which the systems take turns, so that
a busy neighbour hurts all of them alike. Runs in the peers' environment (scripts/setup.sh --peers).
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = {"4K": 1 << 12, "256K": 1 << 18, "16M": 1 << 24}


@dataclass
class Row:
    """One line of the table: the same work for each system."""

    name: str
    runs: dict[str, Callable[[], object]]
    bytes: int = 0  # moved, for the share of STREAM
    flops: int = 0  # for the share of FMA peak
    best: dict[str, float] = field(default_factory=dict)


def timed(run: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats


def measure(row: Row, rounds: int, budget: float) -> None:
    """Lets the systems take turns; keeps the best time of each."""
    repeats = {}
    for system, run in row.runs.items():
        run()
        once = timed(run, 1)
        repeats[system] = max(1, min(2000, int(2e-3 / max(once, 1e-9))))
    deadline = time.perf_counter() + budget
    for turn in range(rounds):
        for system, run in row.runs.items():
            run()  # untimed: the OpenMP threads of the system before still spin for milliseconds
            best = row.best.get(system, math.inf)
            row.best[system] = min(best, timed(run, repeats[system]))
        if turn >= 3 and time.perf_counter() > deadline:
            break


def limits() -> dict[str, dict[str, float]]:
    program = ROOT / "build/release/benchmarks/limits_bench"
    return json.loads(subprocess.run([program], capture_output=True, text=True, check=True).stdout)


def elementwise_rows(wf, torch, np):
    rng = np.random.default_rng(0)
    for label, n in SIZES.items():
        a = rng.random(n, dtype=np.float32) + 0.5
        b = rng.random(n, dtype=np.float32) + 0.5
        wa, wb = wf.asarray(a), wf.asarray(b)
        ta, tb = torch.from_numpy(a), torch.from_numpy(b)
        out = torch.empty_like(ta)
        yield Row(f"add {label}", {"weft": lambda x=wa, y=wb: wf.add(x, y),
                                   "torch": lambda x=ta, y=tb, o=out: torch.add(x, y, out=o)}, bytes=12 * n)
        for name in ("exp", "tanh", "log"):
            wfn, tfn = getattr(wf, name), getattr(torch, name)
            yield Row(f"{name} {label}", {"weft": lambda x=wa, f=wfn: f(x),
                                          "torch": lambda x=ta, f=tfn, o=out: f(x, out=o)}, bytes=8 * n)
        gelu = torch.nn.functional.gelu
        yield Row(f"gelu {label}", {"weft": lambda x=wa: wf.gelu(x), "torch": lambda x=ta: gelu(x)}, bytes=8 * n)
        yield Row(f"cast f32>bf16 {label}", {"weft": lambda x=wa: wf.astype(x, wf.bfloat16),
                                             "torch": lambda x=ta: x.to(torch.bfloat16)}, bytes=6 * n)
        yield Row(f"cast f32>i32 {label}", {"weft": lambda x=wa: wf.astype(x, wf.int32),
                                            "torch": lambda x=ta: x.to(torch.int32)}, bytes=8 * n)


def reduction_rows(wf, torch, np):
    rng = np.random.default_rng(1)
    for label, n in SIZES.items():
        side = 1 << (n.bit_length() // 2)
        shape = (n // side, side)
        a = rng.random(shape, dtype=np.float32)
        wa, ta = wf.asarray(a), torch.from_numpy(a)
        for axis in (0, 1):
            yield Row(f"sum axis {axis} {label}", {"weft": lambda x=wa, k=axis: wf.sum(x, axis=k),
                                                   "torch": lambda x=ta, k=axis: torch.sum(x, dim=k)}, bytes=4 * n)
        out = torch.empty((shape[1], shape[0]))
        yield Row(f"transpose copy {label}", {"weft": lambda x=wa: copy_of(wf, x.T),
                                              "torch": lambda x=ta, o=out: o.copy_(x.T)}, bytes=8 * n)


def copy_of(wf, x):
    return wf.asarray(x, copy=True)


def row_rows(wf, torch, np):
    rng = np.random.default_rng(2)
    a = rng.standard_normal((4096, 1024), dtype=np.float32)
    g = rng.standard_normal((4096, 1024), dtype=np.float32)
    w = rng.standard_normal(1024, dtype=np.float32)
    wa, wg, ww = wf.asarray(a), wf.asarray(g), wf.asarray(w)
    ta, tg, tw = torch.from_numpy(a), torch.from_numpy(g), torch.from_numpy(w)
    n = a.size
    functional = torch.nn.functional
    yield Row("softmax [4096,1024]", {"weft": lambda: wf.softmax(wa, axis=-1),
                                      "torch": lambda: torch.softmax(ta, dim=-1)}, bytes=8 * n)
    ws, ts = wf.softmax(wa, axis=-1), torch.softmax(ta, dim=-1)
    yield Row("softmax backward", {"weft": lambda f=wf._core.op("softmax.vjp"): f(wg, ws, axis=-1),
                                   "torch": lambda: torch.ops.aten._softmax_backward_data(tg, ts, -1, torch.float32)},
              bytes=12 * n)
    yield Row("layer_norm [4096,1024]", {"weft": lambda: wf.nn.layer_norm(wa, ww, ww),
                                         "torch": lambda: functional.layer_norm(ta, (1024,), tw, tw)}, bytes=8 * n)
    backward_rows, epsilon = wf._core.op("nn.layer_norm.vjp"), wf.tensor(1e-5, dtype=wf.float64)

    def layer_norm_backward():
        dx, terms = backward_rows(wa, wg, ww, epsilon)
        return dx, wf.sum(terms, axis=0), wf.sum(wg, axis=0)

    _, mean, rstd = torch.ops.aten.native_layer_norm(ta, (1024,), tw, tw, 1e-5)
    backward = torch.ops.aten.native_layer_norm_backward
    yield Row("layer_norm backward",
              {"weft": layer_norm_backward,
               "torch": lambda: backward(tg, ta, (1024,), mean, rstd, tw, tw, (True, True, True))}, bytes=12 * n)


def matmul_rows(wf, torch, np):
    rng = np.random.default_rng(3)

    def pair(m, k, n, form):
        a = rng.random((m, k), dtype=np.float32) if form[0] == "N" else rng.random((k, m), dtype=np.float32).T
        b = rng.random((k, n), dtype=np.float32) if form[1] == "N" else rng.random((n, k), dtype=np.float32).T
        wa = wf.asarray(a) if form[0] == "N" else wf.asarray(np.ascontiguousarray(a.T)).T
        wb = wf.asarray(b) if form[1] == "N" else wf.asarray(np.ascontiguousarray(b.T)).T
        out = torch.empty((m, n))
        ta, tb = torch.from_numpy(a), torch.from_numpy(b)
        return {"weft": lambda: wf.matmul(wa, wb), "torch": lambda: torch.matmul(ta, tb, out=out)}

    for n in (16, 32, 64, 128, 256, 512, 1024, 2048):
        for form in ("NN", "NT", "TN"):
            yield Row(f"matmul {form} {n}", pair(n, n, n, form), flops=2 * n**3)
    yield Row("matmul NN 512x768x3072", pair(512, 768, 3072, "NN"), flops=2 * 512 * 768 * 3072)
    yield Row("matmul NT 512x768x3072", pair(512, 768, 3072, "NT"), flops=2 * 512 * 768 * 3072)
    yield Row("matmul TN 768x512x3072 (dW)", pair(768, 512, 3072, "TN"), flops=2 * 512 * 768 * 3072)
    for m in (1, 8):
        yield Row(f"matmul M={m} 768x3072", pair(m, 768, 3072, "NN"), flops=2 * m * 768 * 3072)
        yield Row(f"matmul M={m} 4096x4096", pair(m, 4096, 4096, "NN"), flops=2 * m * 4096 * 4096)
    a, b = rng.random((96, 128, 64), dtype=np.float32), rng.random((96, 64, 128), dtype=np.float32)
    wa, wb, ta, tb = wf.asarray(a), wf.asarray(b), torch.from_numpy(a), torch.from_numpy(b)
    out = torch.empty((96, 128, 128))
    yield Row("matmul batched 96x[128x64x128]", {"weft": lambda: wf.matmul(wa, wb),
                                                 "torch": lambda: torch.matmul(ta, tb, out=out)},
              flops=2 * 96 * 128 * 64 * 128)


def overhead_rows(wf, torch, np):
    a = np.ones(64, np.float32)
    wa, ta = wf.asarray(a), torch.from_numpy(a)
    yield Row("add f32[64], a + b", {"weft": lambda: wa + wa, "torch": lambda: ta + ta})
    yield Row("add f32[64], add(a, b)", {"weft": lambda f=wf.add: f(wa, wa), "torch": lambda f=torch.add: f(ta, ta)})


def add_jax(rows: list[Row], np) -> None:
    """JAX, jitted, for the rows that have an equal there; it chooses its threads itself."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return
    rng = np.random.default_rng(0)
    fns = {"add": lambda x: x + x, "exp": jnp.exp, "tanh": jnp.tanh, "log": jnp.log,
           "gelu": lambda x: jax.nn.gelu(x, approximate=False)}
    for row in rows:
        word, _, label = row.name.partition(" ")
        if word in fns and label in SIZES:
            x = jnp.asarray(rng.random(SIZES[label], dtype=np.float32) + 0.5)
            compiled = jax.jit(fns[word])
            row.runs["jax"] = lambda f=compiled, x=x: f(x).block_until_ready()


def show(row: Row, limit: dict[str, float]) -> None:
    weft = row.best["weft"]
    cells = [f"{row.name:32}", f"{weft * 1e6:11.2f} us"]
    for system in ("torch", "jax"):
        cells.append(f"{row.best[system] / weft:6.2f}x {system}" if system in row.best else " " * 12)
    if row.bytes:
        cells.append(f"{100 * row.bytes / weft / 1e9 / limit['stream_gbs']:4.0f} % of STREAM")
    if row.flops:
        cells.append(f"{100 * row.flops / weft / 1e9 / limit['fma_gflops']:4.0f} % of FMA peak")
    print("  ".join(cells), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="rows whose name contains this word")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--json", type=pathlib.Path, help="also write the figures here")
    options = parser.parse_args()
    import numpy as np
    import torch

    import weft as wf

    found = limits()
    print(f"limits: {found}")
    figures = []
    for threads in options.threads:
        torch.set_num_threads(threads)
        wf.set_num_threads(threads)
        print(f"\n{threads} thread{'s' if threads > 1 else ''}")
        for make in (overhead_rows, elementwise_rows, reduction_rows, row_rows, matmul_rows):
            rows = [r for r in make(wf, torch, np) if options.only in r.name]
            if threads > 1:
                add_jax(rows, np)
            for row in rows:
                measure(row, rounds=10 if options.quick else 40, budget=0.5 if options.quick else 3)
                show(row, found[str(threads)])
                figures.append({"threads": threads, "name": row.name, "seconds": row.best})
    if options.json:
        options.json.write_text(json.dumps({"limits": found, "rows": figures}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
