"""Compares every entry of the tables with PyTorch and JAX; run in .venv-peers.

    export PYTHONPATH=build/release/python
    .venv-peers/bin/python python/tests/peers/run.py [WORD...] [--all] [--timing]

With words, only entries whose names contain one of them. JAX compiles for seconds, so that it sees
the first calls of an entry only; with --all it sees every call. Half of the entries run in a
second process.
"""

import importlib
import pathlib
import subprocess
import sys
import time
import warnings

TABLES = sorted(path.stem for path in pathlib.Path(__file__).parent.glob("*_table.py"))
PARTS = 2


def all_entries():
    return [entry for table in TABLES for entry in importlib.import_module(table).ENTRIES]


def compare(entries, every_call, timing):
    """(comparisons, sentences)."""
    import differences

    comparisons, sentences = 0, []
    for entry in entries:
        start = time.perf_counter()
        made, out = differences.check(entry, every_call)
        comparisons += made
        sentences += out
        if timing:
            print(f"{time.perf_counter() - start:6.2f} s  {entry.name}")
    return comparisons, sentences


def run_part(part, words, flags):
    """One part of the entries; the first looks for holes, too."""
    import coverage

    entries = all_entries()
    sentences = coverage.holes(entries) if part == 0 and not words else []
    entries = [entry for entry in entries if not words or any(word in entry.name for word in words)]
    comparisons, more = compare(entries[part::PARTS], "--all" in flags, "--timing" in flags)
    print("\n".join(sentences + more))
    names, differences = len({entry.name for entry in entries}), len(sentences + more)
    print(f"{names} names, {comparisons} comparisons, {differences} differences")
    return differences


def run_all(arguments):
    """Every part in a process of its own, and their last lines added up."""
    parts = [subprocess.Popen([sys.executable, __file__, f"--part={part}", *arguments],
        stdout=subprocess.PIPE, text=True) for part in range(PARTS)]
    totals = [0, 0]
    for each in parts:
        *lines, last = each.communicate()[0].rstrip().splitlines() or [""]
        print("\n".join(line for line in lines if line))
        if "differences" not in last or each.returncode not in (0, 1):
            raise SystemExit(f"a part ended with {each.returncode}: {last}")
        names, *counts = (int(word) for word in last.split() if word.isdigit())
        totals = [total + count for total, count in zip(totals, counts)]
    print(f"{names} names, {totals[0]} comparisons, {totals[1]} differences")
    return totals[1]


def main():
    warnings.simplefilter("ignore")
    arguments = [word for word in sys.argv[1:] if not word.startswith("--part=")]
    part = [int(word.removeprefix("--part=")) for word in sys.argv[1:]
        if word.startswith("--part=")]
    words = [word for word in arguments if not word.startswith("--")]
    raise SystemExit(bool(run_part(part[0], words, arguments) if part else run_all(arguments)))


if __name__ == "__main__":
    main()
