"""Runs the programs of a range of numbers. Writes each number to a shared page first, so that a program that ends the process is known.

  python -m call_fuzz.worker SEED START STOP PAGE FINDINGS      programs START..STOP; findings are lines of JSON
  python -m call_fuzz.worker --one PROGRAM FINDINGS             one program, its fields in JSON
"""

import collections
import faulthandler
import json
import mmap
import os
import re
import resource
import shutil
import signal
import sys
import warnings

PAGE = 1 << 16


class Page:
    """A file that both processes map: the number of the program that runs now."""

    def __init__(self, path):
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), PAGE)

    def write(self, number):
        self._map[:8] = number.to_bytes(8, "little")

    def read(self):
        return int.from_bytes(self._map[:8], "little")


def prepare():
    """Limits that keep absurd sizes from the machine, and silence."""
    import weft as wf

    warnings.simplefilter("ignore")
    wf.memory.set_limit(1 << 26)
    wf.set_num_threads(1)
    if "ASAN_OPTIONS" not in os.environ:  # AddressSanitizer reserves terabytes, and reports signals itself
        faulthandler.enable()
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    sys.stdout = open(os.devnull, "w")
    sys.setrecursionlimit(1000)


def main(seed, start, stop, page, findings):
    from . import judge, prelude, programs

    prepare()
    signal.signal(signal.SIGALRM, judge.on_alarm)
    os.chdir(prelude.FOLDER)
    page, counts, succeeded = Page(page), collections.Counter(), set()
    skipped = os.environ.get("WEFT_FUZZ_SKIP")
    with open(findings, "a") as out:
        for number in range(int(start), int(stop)):
            page.write(number)
            program = programs.generate(seed, number)
            is_skipped = bool(skipped and re.search(skipped, program.text, re.S))
            outcome, found = ("skipped", []) if is_skipped else judge.judge(program)
            counts[outcome] += 1
            if outcome == "value":
                succeeded.add(program.name)
            for finding in found:
                print(json.dumps({"number": number, **finding}), file=out, flush=True)
            if number % 100 == 99 or number + 1 == int(stop):
                print(json.dumps({"counts": counts, "succeeded": sorted(succeeded)}), file=out, flush=True)
                counts.clear()
                succeeded.clear()
                clear(prelude.FOLDER)
    shutil.rmtree(prelude.FOLDER, ignore_errors=True)
    os._exit(0)  # what is measured is calls; how processes end is tested elsewhere


def one(fields, findings):
    """Runs a program that is given."""
    from . import judge, prelude, programs

    prepare()
    signal.signal(signal.SIGALRM, judge.on_alarm)
    os.chdir(prelude.FOLDER)
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(fields).items()}
    outcome, found = judge.judge(programs.Program(**given))
    with open(findings, "w") as out:
        json.dump([outcome, found], out)
    shutil.rmtree(prelude.FOLDER, ignore_errors=True)
    os._exit(0)


def clear(folder):
    """Empties the folder that programs write to."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.remove(path)


if __name__ == "__main__":
    one(*sys.argv[2:]) if sys.argv[1] == "--one" else main(*sys.argv[1:])
