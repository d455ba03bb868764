"""Makes random calls of the public API in worker processes, and reports each that ends or blocks its process or breaks a law.

  python -m call_fuzz.drive [--count N] [--seed S] [--jobs J] [--only NUMBER] [--kinds crash,hang,...] [--skip REGEX]

The programs follow from the seed and their numbers. The exit code is 1 if anything was found.
"""

import argparse
import collections
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from . import shrink
from .worker import PAGE, Page

CHUNK = 5000
KINDS = ("crash", "hang", "internal", "wild", "unnamed", "differs", "raw")  # and "unchecked"


@dataclasses.dataclass
class Job:
    """A worker process and the numbers that it has."""

    process: subprocess.Popen
    start: int
    stop: int
    page: str
    findings: str
    errors: str
    seen: int = -1
    since: float = 0.0


class Run:
    """All workers of one run, and what they found."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.found = collections.OrderedDict()  # (kind, signature): [(number, detail), ...]
        self.counts, self.succeeded, self.started = collections.Counter(), set(), 0
        self.patience = shrink.patience()

    def start(self, start, stop):
        self.started += 1
        base = os.path.join(self.folder, str(self.started))
        with open(f"{base}.page", "wb") as page:
            page.write(bytes(PAGE))
        Page(f"{base}.page").write(start)
        run = [sys.executable, "-m", "call_fuzz.worker", str(self.options.seed), str(start), str(stop), f"{base}.page", f"{base}.found"]
        with open(f"{base}.errors", "wb") as errors:
            process = subprocess.Popen(run, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, env=shrink.environment())
        return Job(process, start, stop, f"{base}.page", f"{base}.found", f"{base}.errors", -1, time.monotonic())

    def all(self):
        waiting = collections.deque((i, min(i + CHUNK, self.options.first + self.options.count))
                                    for i in range(self.options.first, self.options.first + self.options.count, CHUNK))
        jobs = []
        while waiting or jobs:
            while waiting and len(jobs) < self.options.jobs:
                jobs.append(self.start(*waiting.popleft()))
            time.sleep(0.05)
            for job in list(jobs):
                if self.has_ended(job):
                    jobs.remove(job)
                    rest = self.collect(job)
                    if rest:
                        waiting.appendleft(rest)
            if len(self.found) >= self.options.most:
                for job in jobs:
                    job.process.kill()
                    job.process.wait()
                print(f"\nended early: {self.options.most} findings")
                return

    def has_ended(self, job):
        """Whether a worker is done; one that makes no progress is ended, with the stacks of its threads."""
        if job.process.poll() is not None:
            return True
        number, now = Page(job.page).read(), time.monotonic()
        if number != job.seen:
            job.seen, job.since = number, now
        elif now - job.since > self.patience:
            job.process.send_signal(6)
            try:
                job.process.wait(5)
            except subprocess.TimeoutExpired:
                job.process.kill()
                job.process.wait()
            job.process.returncode = "hang"
            return True
        return False

    def collect(self, job):
        """Reads what a worker found; gives the numbers that it has left."""
        code, number = job.process.returncode, Page(job.page).read()
        if os.path.exists(job.findings):
            with open(job.findings) as lines:
                for line in lines:
                    self.read(json.loads(line))
        if code == 0:
            return None
        with open(job.errors, errors="replace") as errors:
            text = errors.read()
        if isinstance(code, int) and code > 0 and not re.search("ERROR: AddressSanitizer|runtime error:", text):
            raise SystemExit(f"call_fuzz: a worker failed at {number}\n{text[-3000:]}")
        self.ended(number, code, text)
        return (number + 1, job.stop) if number + 1 < job.stop else None

    def read(self, line):
        if "counts" in line:
            self.counts.update(line["counts"])
            self.succeeded.update(line["succeeded"])
        elif line["kind"] in self.options.kinds:
            self.add(line["kind"], line["signature"], line["number"], line["detail"])

    def ended(self, number, code, text):
        from . import programs

        program = programs.generate(self.options.seed, number)
        kind = "hang" if code == "hang" else "crash"
        word = code if isinstance(code, str) else shrink.signal_name(code) if code < 0 else "AddressSanitizer"
        if kind in self.options.kinds:
            self.add(kind, f"{word} {program.name} {program.mode}", number, text[-1500:])

    def add(self, kind, signature, number, detail):
        places = self.found.setdefault((kind, signature), [])
        places.append((number, detail))
        if len(places) == 1:
            self.report(kind, signature, number, detail)

    def report(self, kind, signature, number, detail):
        from . import programs

        program, note = programs.generate(self.options.seed, number), ""
        if self.options.shrink and len(self.found) <= self.options.shrink:
            expected = shrink.failure(program)
            if expected is None:
                note = f" (not by itself: calls before {number} matter)"
            else:
                program = shrink.shrunk(program, expected)
        show = "\n".join(["", f"== {kind}: {signature}  [seed {self.options.seed}, number {number}]{note}", shrink.standalone(program).rstrip(),
                          *(f"# {line}" for line in detail.strip().splitlines()[-12:])])
        print(show, flush=True)
        if self.options.report:
            with open(self.options.report, "a") as file:
                print(show, file=file)


def commit():
    """The hash of the commit: each one tries other calls."""
    found = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, cwd=os.path.dirname(__file__))
    return found.stdout.strip()[:12] or "1"


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200_000, help="how many calls")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--slice", default=os.environ.get("WEFT_FUZZ_SLICE", "0/1"), help="k/n: the k-th of n parts of them")
    parser.add_argument("--seed", default=commit(), help="a number or a word; else the commit's hash")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="worker processes at a time")
    parser.add_argument("--only", type=int, help="runs the program of this number alone, and prints it")
    parser.add_argument("--kinds", default=",".join(KINDS), help="what is reported")
    parser.add_argument("--shrink", type=int, default=40, help="how many findings are made smaller")
    parser.add_argument("--most", type=int, default=60, help="after so many findings the run ends")
    parser.add_argument("--skip", default="", help="a regular expression: programs whose text has it do not run")
    parser.add_argument("--report", help="a file that the findings are added to")
    options = parser.parse_args(arguments)
    options.kinds = options.kinds.split(",")
    part, parts = map(int, options.slice.split("/"))
    options.count //= parts
    options.first += part * options.count
    os.environ["WEFT_FUZZ_SKIP"] = options.skip
    return options


def main(arguments=None):
    options = parsed(arguments)
    if options.only is not None:
        from . import programs

        program = programs.generate(options.seed, options.only)
        print(shrink.standalone(program))
        print(f"# {shrink.failure(program)}")
        return 0
    before = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weft_fuzz_") as folder:
        os.environ["TMPDIR"] = folder  # of the workers, too: one that dies leaves files behind
        run = Run(options, folder)
        run.all()
    seconds = time.monotonic() - before
    from . import targets

    ways = ", ".join(f"{count} {word}" for word, count in run.counts.items())
    print(f"\n{options.count} calls of seed {options.seed} in {seconds:.0f} s, {options.count / seconds:.0f} a second: {ways}")
    print(f"{len(run.succeeded & set(targets.walk()))} of {len(targets.walk())} public callables succeeded at least once")
    for kind, count in collections.Counter(kind for kind, _ in run.found).items():
        print(f"{count} findings of kind {kind}")
    return 1 if run.found else 0


if __name__ == "__main__":
    sys.exit(main())
