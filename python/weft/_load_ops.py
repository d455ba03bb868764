"""wf.load_ops: ops of a C++ library that was built with weft_add_ops()."""

import ctypes
import os
import types

from . import _core, _ops

_loaded = {}  # modules by the library's path


def load_ops(path):
    """Loads a library of ops and returns a module with a function for each of them.

    The functions have keywords, defaults and docstrings like the built-in ones. A library is loaded once; loading it
    again gives the same ops.
    """
    path = os.path.realpath(path)
    if path in _loaded:
        return _loaded[path]
    before = set(_ops.listed())
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise _core.IoError(f"load_ops: {error} [load_ops.library]") from None
    try:
        library.weft_ops_error.restype = ctypes.c_char_p
        message = library.weft_ops_error().decode()
    except AttributeError:
        message = "it has no ops; a library of ops is built with weft_add_ops()"
    if message:
        raise _core.InvalidError(f"load_ops: {path}: {message} [load_ops.library]")
    added = sorted(set(_ops.listed()) - before)
    name = added[0][0] if added else ""
    module = types.ModuleType(name or "ops", f"The ops of {os.path.basename(path)}.")
    for its_module, its_name, _ in added:
        setattr(module, its_name, _ops.op(its_module, its_name))
    _loaded[path] = module
    return module
