"""The files of the project: what git tracks, or everything outside build folders where there is no git."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def project_files():
    """Paths relative to the root, sorted. New files count as soon as they exist."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = listed.stdout.split("\n")
    else:
        skipped = ("build", ".venv", ".git")
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                 if not path.relative_to(ROOT).parts[0].startswith(skipped)]
    return sorted(name for name in set(names) if name and (ROOT / name).is_file())


def sources():
    """Our C++ files."""
    return [name for name in project_files() if name.endswith((".cc", ".h", ".inc"))]
