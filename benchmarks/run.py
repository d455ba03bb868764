"""Weft beside PyTorch, JAX and TensorFlow in one interleaved run: ratios, and shares of what the machine can do.

    scripts/bench.sh                 everything, both thread counts
    scripts/bench.sh --only softmax  rows whose name contains a word, or one of several
    scripts/bench.sh --quick         fewer rounds, for a first look
    scripts/bench.sh --markdown      the table of docs/performance.md at the end
    scripts/bench.sh --family conv --part 1/6 --json one.json     a sixth of the rows of conv_rows.py
    scripts/bench.sh --read one.json two.json    no measurement: means, and the table, of what such runs wrote

In every round the systems take turns, and where a row is bound by memory or by multiplication so does the limit:
STREAM's triad or chains of fma, on as many threads. Times are medians over the rounds; ratios and shares are medians of
what the single rounds gave, so a busy neighbour hurts both sides alike. A ratio above 1 means that Weft is faster.
Bytes are those an op reads and writes, as STREAM counts: without the lines that ordinary stores read first.
Runs in the peers' environment (scripts/setup.sh --peers).
"""

from __future__ import annotations

import argparse
import ctypes
import json
import pathlib
import statistics
import sys
import time
from typing import Callable, Iterator

import conv_rows
import data_rows
import derivative_rows
import form_rows
import graph_rows
import network_rows
import optim_rows
import rows
import train_rows
from rows import Row, add_jax

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAMILIES = {"plain": rows.FAMILIES, "derivative": derivative_rows.FAMILIES, "conv": conv_rows.FAMILIES,
            "network": network_rows.FAMILIES, "graph": graph_rows.FAMILIES, "optim": optim_rows.FAMILIES,
            "data": data_rows.FAMILIES, "train": train_rows.FAMILIES, "form": form_rows.FAMILIES}
PEERS = ("torch", "torch.compile", "jax", "tf", "keras")
SETTLE = 0.02  # seconds after which OpenMP's threads, PyTorch's, have stopped spinning on cores that others need
LARGE = 16 << 20  # bytes; below it caches are in play, and a share of STREAM says nothing


class Limits:
    """What the machine can do, measured when asked; see limits.cc."""

    def __init__(self) -> None:
        library = ctypes.CDLL(ROOT / "build/release/benchmarks/liblimits.so")
        self.calls = {"stream": library.run_stream, "fma": library.run_fma}
        self.work = {}  # bytes or flops of one call
        for call in self.calls.values():
            call.restype = ctypes.c_double

    def run(self, name: str, threads: int) -> Callable[[], object]:
        self.work[name, threads] = self.calls[name](threads)
        return lambda: self.calls[name](threads)


def reuse_heap() -> None:
    """Makes malloc keep large blocks, so that results PyTorch allocates are reused memory as ours are."""
    libc = ctypes.CDLL(None)
    trim_threshold, top_pad, mmap_max = -1, -2, -4
    for option, value in ((mmap_max, 0), (trim_threshold, 2**31 - 1), (top_pad, 64 << 20)):
        libc.mallopt(option, value)


def timed(run: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats


def measure(row: Row, rounds: int, budget: float, rest: float) -> None:
    """Lets the systems take turns, each of them first in turn; `rest` seconds before each."""
    repeats = {}
    for system, run in row.runs.items():
        began = time.perf_counter()
        for _ in range(6):  # until allocators have what they need
            run()
            if time.perf_counter() - began > budget:
                break
        repeats[system] = max(1, min(2000, int(2e-3 / max(timed(run, 1), 1e-9))))
        row.times[system] = []
    deadline = time.perf_counter() + budget
    systems = list(row.runs)
    for turn in range(rounds):
        for system in systems[turn % len(systems):] + systems[:turn % len(systems)]:
            time.sleep(rest)
            row.runs[system]()  # its threads and caches awake again
            row.times[system].append(timed(row.runs[system], repeats[system]) / row.ops)
        if turn >= 4 and time.perf_counter() > deadline:
            break


def ratio(row: Row, other: str) -> float:
    """How many times as long the other takes: the median of the rounds."""
    return statistics.median(b / a for a, b in zip(row.times["weft"], row.times[other]))


def summary(row: Row, threads: int, limits: Limits) -> dict:
    out = {"threads": threads, "name": row.name, "seconds": statistics.median(row.times["weft"])}
    if row.group:
        out["group"] = row.group
    for system in PEERS:
        if system in row.times:
            out[system] = ratio(row, system)
    for limit, work in (("stream", row.bytes), ("fma", row.flops)):
        if limit in row.times:
            out[limit] = ratio(row, limit) * work / limits.work[limit, threads]
            out[limit + "_rate"] = limits.work[limit, threads] / statistics.median(row.times[limit])
    return out


def line(figures: dict) -> str:
    cells = [f"{figures['name']:32}", f"{figures['seconds'] * 1e6:11.2f} us"]
    for system in PEERS:
        if system in figures or system in ("torch", "jax"):
            cells.append(f"{figures[system]:6.2f}x {system}" if system in figures else " " * 12)
    for limit, name, unit in (("stream", "STREAM", "GB/s"), ("fma", "FMA peak", "GF/s")):
        if limit in figures:
            cells.append(f"{100 * figures[limit]:4.0f} % of {name} ({figures[limit + '_rate'] / 1e9:.0f} {unit})")
    return "  ".join(cells)


def markdown(figures: list[dict], threads: list[int]) -> str:
    """The table of docs/performance.md."""
    head = ["f32"]
    for count in threads:
        head += [f"{count} thread{'s' if count > 1 else ''}, us", "PyTorch / Weft", "of the limit"]
    lines = [head + ["JAX (jit) / Weft"], ["---"] * (len(head) + 1)]
    names = list(dict.fromkeys(f["name"] for f in figures))
    found = {(f["name"], f["threads"]): f for f in figures}
    for name in names:
        cells, jax = [name], ""
        for count in threads:
            row = found.get((name, count), {})
            us = row.get("seconds", 0) * 1e6
            share = row.get("stream", row.get("fma"))
            cells += [f"{us:,.0f}" if us >= 100 else f"{us:.2f}", f"{row['torch']:.2f}" if "torch" in row else "",
                      f"{100 * share:.0f} %" if share else ""]
            jax = f"{row['jax']:.2f}" if "jax" in row else jax
        lines.append(cells + [jax])
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def means(figures: list[dict]) -> str:
    """The geometric mean and the least of PyTorch / Weft, of the rows that belong together."""
    groups: dict[tuple[str, int], list[dict]] = {}
    for row in figures:
        if "group" in row and "torch" in row:
            groups.setdefault((row["group"], row["threads"]), []).append(row)
    lines = []
    for (group, threads), members in groups.items():
        least = min(members, key=lambda row: row["torch"])
        mean = statistics.geometric_mean(row["torch"] for row in members)
        lines.append(f"{group}, {threads} thread{'s' if threads > 1 else ''}: {mean:.2f}x torch in geometric mean of "
                     f"{len(members)}, least {least['torch']:.2f} ({least['name']})")
    return "\n".join(lines)


def wanted_rows(options: argparse.Namespace, *modules) -> Iterator[Row]:
    families = [make for name in options.family for make in FAMILIES[name]]
    for index, row in enumerate(
            row for make in families for row in make(*modules) if any(word in row.name for word in options.only)):
        part, parts = map(int, options.part.split("/"))
        if index % parts == part - 1:
            yield row


def measure_all(options: argparse.Namespace) -> list[dict]:
    reuse_heap()
    import numpy as np
    import torch

    import weft as wf

    limits, figures = Limits(), []
    for threads in options.threads:
        torch.set_num_threads(threads)
        wf.set_num_threads(threads)
        print(f"\n{threads} thread{'s' if threads > 1 else ''}")
        for row in wanted_rows(options, wf, torch, np):
            if row.make is not None:
                row.runs = row.make()
            if threads > 1:
                add_jax([row], np)
            if row.bytes >= LARGE:
                row.runs["stream"] = limits.run("stream", threads)
            if row.flops:
                row.runs["fma"] = limits.run("fma", threads)
            measure(row, rounds=10 if options.quick else 40, budget=0.7 if options.quick else 3,
                    rest=SETTLE if threads > 1 else 0)
            figures.append(summary(row, threads, limits))
            print(line(figures[-1]), flush=True)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose name contains one of these words")
    parser.add_argument("--family", nargs="+", choices=FAMILIES, default=list(FAMILIES), help="rows of these files")
    parser.add_argument("--part", default="1/1", help="K/N: every N-th row, from the K-th on")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--json", type=pathlib.Path, help="also write the figures here")
    parser.add_argument("--read", type=pathlib.Path, nargs="+", help="figures written by other runs, instead of a run")
    parser.add_argument("--markdown", action="store_true", help="also print them as a table")
    options = parser.parse_args()
    if options.read:
        figures = [row for path in options.read for row in json.loads(path.read_text())]
    else:
        figures = measure_all(options)
    print("\n" + means(figures))
    if options.markdown:
        print("\n" + markdown(figures, options.threads))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
