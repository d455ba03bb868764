"""Compares every entry of the tables with PyTorch and JAX; run in .venv-peers.

    PYTHONPATH=build/release/python .venv-peers/bin/python python/tests/peers/run.py [WORD...] [--timing]

With words, only entries whose names contain one of them.
"""

import importlib
import pathlib
import sys
import time
import warnings

import coverage
import differences

TABLES = sorted(path.stem for path in pathlib.Path(__file__).parent.glob("*_table.py"))


def all_entries():
    return [entry for table in TABLES for entry in importlib.import_module(table).ENTRIES]


def main():
    warnings.simplefilter("ignore")
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    entries = [entry for entry in all_entries() if not words or any(word in entry.name for word in words)]
    comparisons, sentences = 0, [] if words else coverage.holes(entries)
    for entry in entries:
        start = time.perf_counter()
        made, out = differences.check(entry)
        comparisons += made
        sentences += out
        if "--timing" in sys.argv:
            print(f"{time.perf_counter() - start:6.2f} s  {entry.name}")
    print("\n".join(sentences))
    names = {entry.name for entry in entries}
    print(f"{len(names)} names, {comparisons} comparisons, {len(sentences)} differences")
    raise SystemExit(bool(sentences))


if __name__ == "__main__":
    main()
