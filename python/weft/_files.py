"""Files that appear whole or not at all."""

import contextlib
import errno
import os
import stat


def write_whole(path, data):
    """Writes bytes or text under another name first, so that a reader, or a crash, finds the old file or the new one.

    A link stays one: the file that it leads to is replaced. A pipe or a terminal is written to as it is.
    """
    path = os.fspath(path)
    data = data.encode() if isinstance(data, str) else data
    if _is_stream(path):
        with open(path, "wb") as file:
            file.write(data)
        return
    path = os.path.realpath(path)
    beside = f"{path}.{os.getpid()}.part"
    try:
        with open(beside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(beside)
        raise


def _is_stream(path):
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:  # there is none yet
        return False
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise OSError(errno.EINVAL, "it is a disk or a socket, no file", path)
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)
