#!/usr/bin/env python3
"""Runs test programs, shows what fails, and counts cases over several runs.

  tally.py FILE ctest BUILD [ctest options]   every test of a build folder; gtest programs count by case
  tally.py FILE pytest [pytest options]       Python tests
  tally.py FILE command NAME -- COMMAND ...   one step that passes or fails
  tally.py FILE total                         prints `N passed, M failed`; fails if anything did

FILE keeps the counts between calls. Only the standard library is used.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml


def add(file, name, passed, failed, failures=()):
    with open(file, "a") as out:
        json.dump({"name": name, "passed": passed, "failed": failed, "failures": list(failures)}, out)
        out.write("\n")
    return 1 if failed else 0


def cases_of(report):
    """(passed, names of failed cases) of one junit file; skipped cases count as neither."""
    passed, failed = 0, []
    for case in xml.parse(report).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            failed.append(name)
        elif case.find("skipped") is None and case.get("status") not in ("notrun", "disabled"):
            passed += 1
    return passed, failed


def run_ctest(file, build, options):
    with tempfile.TemporaryDirectory() as folder:
        junit = os.path.join(folder, "ctest.xml")
        cases = os.path.join(folder, "cases")
        environment = {**os.environ, "GTEST_OUTPUT": f"xml:{cases}/", "GTEST_BRIEF": "1"}
        command = ["ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error",
                   "-j", str(os.cpu_count()), "--output-junit", junit, *options]
        subprocess.run(command, env=environment, check=False)
        if not os.path.exists(junit):
            return add(file, build, 0, 1, ["ctest did not run"])
        passed, failed = cases_of(junit)
        failed = [name.removesuffix("." + name.rpartition(".")[2]) for name in failed]
        # A gtest program that wrote its report counts by its cases, one that crashed as one failure. Reports of other
        # names come from children: tests that run their program again.
        programs = {case.get("name") for case in xml.parse(junit).iter("testcase")}
        for report in sorted(pathlib.Path(cases).glob("*.xml")):
            program = report.stem
            if program not in programs:
                continue
            good, bad = cases_of(report)
            if program in failed and bad:
                failed.remove(program)
            elif program not in failed:
                passed -= 1
            passed += good
            failed += bad
    return add(file, build, passed, len(failed), failed)


def run_pytest(file, options):
    with tempfile.TemporaryDirectory() as folder:
        junit = os.path.join(folder, "pytest.xml")
        done = subprocess.run([sys.executable, "-m", "pytest", f"--junitxml={junit}", *options], check=False)
        if not os.path.exists(junit):
            return add(file, "pytest", 0, 1, ["pytest did not run"])
        passed, failed = cases_of(junit)
        if done.returncode not in (0, 1) and not failed:
            failed = [f"pytest ended with {done.returncode}"]
    return add(file, "pytest", passed, len(failed), failed)


def run_command(file, name, command):
    done = subprocess.run(command, check=False)
    return add(file, name, *((1, 0) if done.returncode == 0 else (0, 1, [name])))


def total(file):
    with open(file) as lines:
        steps = [json.loads(line) for line in lines]
    failures = [f"{step['name']}: {failure}" for step in steps for failure in step["failures"]]
    if failures:
        print("failed:", *failures, sep="\n  ")
    passed = sum(step["passed"] for step in steps)
    failed = sum(step["failed"] for step in steps)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def main(file, action, *rest):
    if action == "ctest":
        return run_ctest(file, rest[0], rest[1:])
    if action == "pytest":
        return run_pytest(file, rest)
    if action == "command":
        return run_command(file, rest[0], rest[2:])
    if action == "total":
        return total(file)
    sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
