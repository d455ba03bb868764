"""Builds examples/user_ops against the installed Weft and uses its op from C++ and from Python."""

import os
import pathlib
import sys

from files import ROOT
from installed import ENVIRONMENT, build_project, run


def main(build, compiler):
    folder = build_project(ROOT / "examples" / "user_ops", build, compiler)
    run(folder / "use_softsign")
    package = pathlib.Path(build) / "python"
    if (package / "weft").is_dir():
        python = ROOT / ".venv" / "bin" / "python"
        run(python if python.exists() else sys.executable, ROOT / "examples" / "user_ops" / "use_softsign.py",
            folder / "libuser_ops.so", env={**ENVIRONMENT, "PYTHONPATH": os.fspath(package)})
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
