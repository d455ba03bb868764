#!/usr/bin/env python3
"""Names the ten files of a build folder that took longest to compile, from ninja's log.

  compile_report.py BUILD [COUNT]

Files that the compiler cache answered show the cache's time; a cold build shows the compiler's.
"""

import os
import sys


def compile_times(build):
    """Seconds by source, from the last time each object was made."""
    times = {}
    with open(os.path.join(build, ".ninja_log")) as log:
        for line in log:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 5 and fields[3].endswith((".cc.o", ".c.o", ".gch")):
                times[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return times


def main(build, count="10"):
    times = compile_times(build)
    print(f"the {count} slowest of {len(times)} compiled files, {sum(times.values()):.0f} s in all:")
    for target, seconds in sorted(times.items(), key=lambda item: -item[1])[: int(count)]:
        folder, _, name = target.partition("/CMakeFiles/")
        print(f"  {seconds:6.2f} s  {folder}/{name.partition('.dir/')[2]}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
