"""What acts on the world: files, processes, threads, logs. In a region it would happen while tracing, taken or not.

Two rules refuse a call before it happens. What is known to act is in the tables below, whatever becomes of its result. What is
not known, and not rewritten, may compute; but where its result is dropped, it was called for an effect.
"""

import functools
import io
import logging
import types
from types import BuiltinFunctionType, FunctionType, MethodType

from .. import conversion, laws, source
from ..backend import current
from ..errors import NotRewritable
from ..staging import is_fresh, regions
from . import effects

_PURE_OF_OS = ("getenv getenvb getcwd getcwdb listdir scandir walk fwalk stat lstat fstat access fspath fsencode fsdecode getpid "
               "getppid getuid geteuid getgid getegid getlogin cpu_count uname times urandom strerror get_terminal_size "
               "get_exec_path readlink isatty sysconf getloadavg sched_getaffinity __getitem__ get keys values items copy")
# Modules in which all acts, but for these names: making an object of theirs is no effect yet, asking it is none.
_ACTING_BUT = {
    "os": _PURE_OF_OS, "posix": _PURE_OF_OS, "nt": _PURE_OF_OS, "shutil": "which disk_usage get_terminal_size",
    "subprocess": "list2cmdline",
    "threading": "current_thread main_thread get_ident get_native_id active_count enumerate local is_set is_alive Thread Timer "
                 "Lock RLock Event Condition Semaphore BoundedSemaphore Barrier _is_owned",
    "_thread": "get_ident get_native_id allocate_lock locked LockType RLock",
    "queue": "qsize empty full Queue LifoQueue PriorityQueue SimpleQueue", "_queue": "qsize empty SimpleQueue",
    "multiprocessing": "cpu_count current_process active_children parent_process get_start_method",
    "concurrent.futures": "done cancelled running ThreadPoolExecutor ProcessPoolExecutor", "asyncio": "iscoroutinefunction",
    "signal": "getsignal", "socket": "gethostname", "_socket": "gethostname", "ssl": "", "select": "", "selectors": "",
    "smtplib": "", "ftplib": "", "http.client": "", "urllib.request": "", "requests": "", "httpx": "", "webbrowser": "",
    "sqlite3": "", "dbm": "", "shelve": "", "zipfile": "", "tarfile": "", "atexit": "",
    "tempfile": "gettempdir gettempdirb gettempprefix gettempprefixb",
}
# Modules in which these act.
_ACTING = {
    "pathlib": "unlink write_text write_bytes mkdir rmdir touch rename replace chmod lchmod symlink_to hardlink_to link_to open",
    "numpy": "save savez savez_compressed savetxt tofile dump seterr seterrcall setbufsize set_printoptions",
    "sys": "exit settrace setprofile setrecursionlimit setswitchinterval",
    "weft": "set_num_threads save load_ops define_op set_limit reset_peak trim zero_grad run",
}
_PURE_OF_FILES = {"fileno", "isatty", "readable", "writable", "seekable", "getvalue", "getbuffer", "tell"}
_LOGGING = {"debug", "info", "warning", "warn", "error", "critical", "fatal", "exception", "log"}
_SHOWN = {"posix": "os", "nt": "os", "weft": "wf", "numpy": "np", "numpy.random": "np.random"}
_DEBUGGERS = {"pdb", "bdb", "ipdb", "pudb", "IPython"}  # they are called to look at the trace
_WRAPPERS = (types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType)


def _words(table):
    return {module: frozenset(names.split()) for module, names in table.items()}


_ACTING_BUT, _ACTING = _words(_ACTING_BUT), _words(_ACTING)


def _module_of(f):
    """The module of a function, or that of the class whose method it is."""
    module = getattr(f, "__module__", None)
    if not isinstance(module, str):
        module = getattr(f, "__objclass__", type(getattr(f, "__self__", None))).__module__
    return module if isinstance(module, str) else ""


def _is_users(f):
    """Whether it is a Python function of the user's own, whose module may be called as one of a library."""
    path = f.__code__.co_filename if type(f) is FunctionType else None
    return path is not None and not conversion.is_library_file(path) and not conversion.is_ours(path)


def _name_of(f):
    name = getattr(f, "__name__", None)
    return name if isinstance(name, str) else type(f).__name__


def shown(f):
    """A function as messages name it: `os.remove`, `Queue.put`, `append`, and a user's by its name."""
    name, module, owner = getattr(f, "__qualname__", None) or _name_of(f), _module_of(f), getattr(f, "__self__", None)
    if isinstance(owner, io.IOBase):
        return _name_of(f)
    if _is_users(f) or "." in name or module in ("builtins", "") or not isinstance(owner, (types.NoneType, types.ModuleType)):
        return name.rpartition("<locals>.")[2]
    top = module.partition(".")[0].lstrip("_")
    return f"{_SHOWN.get(module) or _SHOWN.get(top, top)}.{name}"


def acts(f):
    """Whether a function is known to act on the world."""
    module, name = _module_of(f), _name_of(f)
    top = module.partition(".")[0]
    is_of_file = isinstance(getattr(f, "__self__", None), io.IOBase) and name not in _PURE_OF_FILES
    if is_of_file or name in _ACTING.get(top, ()):
        return True
    pure = next((_ACTING_BUT[word] for word in (module, module.rpartition(".")[0], top) if word in _ACTING_BUT), None)
    return pure is not None and name not in pure and not _is_users(getattr(f, "__func__", f))


def logs(f):
    """Whether a function writes to a log, or warns."""
    module, name = _module_of(f), _name_of(f)
    is_logger = module.partition(".")[0] == "logging" or isinstance(getattr(f, "__self__", None), logging.Logger)
    return is_logger and name in _LOGGING or module in ("warnings", "_warnings") and name.startswith("warn")


def refuse_acting(f):
    """Refuses what acts, in a region."""
    if logs(f):
        raise laws.refusal("host_log", construct=regions.stack[-1].construct, method=shown(f))
    if acts(f):
        raise laws.refusal("host_function", construct=regions.stack[-1].construct, method=shown(f))


def refuse_dropped(f):
    """Refuses a call in a region whose result is dropped, unless its effect is part of the graph, or of the region alone."""
    while type(f) is functools.partial:
        f = f.func
    refuse_acting(f)
    if not _is_captured(f):
        raise laws.refusal("host_dropped", construct=regions.stack[-1].construct, method=shown(f))


def _is_captured(f):
    """Whether all that a call does is seen: rewritten code, the framework's, and what `effects` checks argument by argument."""
    kind, owner = type(f), getattr(f, "__self__", None)
    if isinstance(f, type) or kind in _WRAPPERS or effects.changes_first(f):
        return True
    module = _module_of(f)
    top = module.partition(".")[0]
    inner = f.__func__ if kind is MethodType else f
    if top in ("weft", current.b.package, *_DEBUGGERS):
        return True
    if top == "builtins" and type(inner) is not FunctionType and not isinstance(owner, types.GeneratorType):
        return True
    if _name_of(f).startswith("assert") or top == "numpy" and not (module.startswith("numpy.random") or effects.is_random(owner)):
        return True
    if owner is not None and (is_fresh(owner) or isinstance(owner, effects.CONTAINERS) or current.b.is_place(owner)):
        return True
    if type(inner) is FunctionType:
        return conversion.is_rewritten(inner) or (_is_users(inner) or not conversion.is_left_alone(inner)) and _has_source(inner)
    return kind is not BuiltinFunctionType and conversion.converted_object(f) is not f


def _has_source(f):
    """Whether a function can be rewritten, or at least read (`unrewritten`)."""
    try:
        return source.find(f.__code__, f.__globals__) is not None
    except NotRewritable:
        return False
