"""Linear algebra."""

from . import _hints, _ops
from ._methods import matrix_transpose

_ops.fill("linalg", globals())


def _add_shared():
    names = {name for module, name, _ in _ops.listed() if not module}
    for name in ("matmul", "norm"):
        if name in names:
            globals().setdefault(name, _ops.op("", name))


_add_shared()


def __getattr__(name):
    raise _hints.missing("weft.linalg", name)
