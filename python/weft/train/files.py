"""Files that appear whole or not at all."""

import contextlib
import os


def write_whole(path, data):
    """Writes bytes or text under another name first, so that a reader, or a crash, finds the old file or the new one."""
    path = os.fspath(path)
    beside = f"{path}.{os.getpid()}.part"
    try:
        with open(beside, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(beside)
        raise
