"""Runs one program and judges it: what it may raise, and whether modes agree."""

import builtins
import linecache
import os
import re
import signal
import traceback

import numpy as np

import weft as wf
from weft import _core

from . import prelude, programs, targets

HERE, WEFT = os.path.dirname(__file__), os.path.dirname(wf.__file__) + os.sep
REWRITER = os.path.join(WEFT, "_rewrite", "")
SECONDS = 3.0  # a call is interrupted after this time: datasets may be endless, but never deaf

# Errors of Python's own that speak of the call itself: f() missing 1 required positional argument: 'x'.
OF_A_CALL = re.compile(r"\w+\(\) (missing|takes|got)|takes (no|exactly|at (most|least)) |expected at (most|least) \d argument|expected \d+ argument")
# A function of the program's own that is called with other arguments than it takes: a lambda, whose qualified name has none of Weft's
# functions in it, or one of Python's own that the program gives without calling it, such as super.
OF_A_LAMBDA = re.compile(r"(<lambda>\.<locals>\.)*<lambda>\(\) (missing|takes|got)")
OF_A_BUILTIN = re.compile(r"(\w+)\(\) ")
RAW_TEXTS = re.compile(r"incompatible (function|constructor) arguments|std::bad_cast|nanobind|bad_alloc|std::")


MANY_DIGITS = re.compile(r"\*\*|\d{9}|e300|inf|fingerprint|hash|id\(|view|seed|Key|load|written|saved|uint64")  # numbers that a message may repeat


class Interrupted(BaseException):
    """Raised by the alarm."""


def on_alarm(*_):
    raise Interrupted


class Finding(dict):
    """What is wrong with a program: `kind`, `signature` that others of the same cause share, and `detail`."""

    def __init__(self, kind, signature, detail):
        super().__init__(kind=kind, signature=signature, detail=detail)


_globals = {name: value for name, value in vars(prelude).items() if not name.startswith("__")}
_number = 0


def execute(text):
    """("value" | "error" | "interrupted", what)."""
    global _number
    _number += 1
    linecache.cache.pop(f"<call {_number - 50}>", None)
    name = f"<call {_number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {**_globals, "__name__": "program"}
    try:
        code = compile(text, name, "exec")
    except SyntaxError as error:
        raise AssertionError(f"the generated program is no Python: {error}\n{text}") from None
    try:
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            exec(code, space)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return "value", space.get("result")
    except (Interrupted, KeyboardInterrupt):
        return "interrupted", None
    except BaseException as error:
        return "error", error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def judge(program):
    """(outcome, findings) of a program."""
    outcome, what = execute(program.text)
    if outcome == "error":
        found = [finding for finding in [_of_error(program, what)] if finding]
        what.__traceback__ = None
        return outcome, found
    if outcome == "value" and program.mode != "eager" and is_comparable(program):
        return outcome, _of_values(program, what)
    return outcome, []


def _last_frame(error):
    frames = traceback.extract_tb(error.__traceback__)
    return frames[-1] if frames else None


def is_inside(frame):
    """Whether a frame is Weft's own; the rewriter's frames make calls of the user's."""
    return frame is not None and frame.filename.startswith(WEFT) and not frame.filename.startswith(REWRITER)


def blurred(text):
    """A message without its numbers and quotes."""
    return re.sub(r"0x[0-9a-f]+|'[^']*'|\"[^\"]*\"|-?\d[\d.e+-]*|\[[^\]]*\]", "#", text)[:100]


def _of_error(program, error):
    """A finding, if the error is none that users should see."""
    frame = _last_frame(error)
    text = "\n".join([str(error), *getattr(error, "__notes__", [])])
    detail = f"{type(error).__name__}: {text[:600]}" + (f"\n  at {os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" if frame else "")
    where = f"{os.path.basename(frame.filename)}:{frame.name}" if is_inside(frame) else ""
    if isinstance(error, (wf.InternalError, SystemError)):
        return Finding("internal", f"{type(error).__name__} {where} {blurred(text)}", detail)
    if RAW_TEXTS.search(text):
        return Finding("raw", f"{type(error).__name__} {where} {blurred(text)}", detail)
    if isinstance(error, wf.Error):
        wild = re.search(r"(?<![\w.])-?\d{12,}(?![\w.])", re.sub(r"<.*?>|0x\w+|holds -?\d+ to \d+", "", text))
        if wild and not MANY_DIGITS.search(program.text):
            return Finding("wild", f"{program.name} {program.mode} {blurred(text)}", detail)
        return _of_naming(program, error, text, detail)
    if isinstance(error, MemoryError):
        return None if text else Finding("internal", f"MemoryError {where} {program.name}", detail)
    if where and not _is_meant(program, error, frame, text):
        return Finding("raw", f"{type(error).__name__} {where} {blurred(text)}", detail)
    return None


def _is_meant(program, error, frame, text):
    """Whether Python's own exception is the right answer, though Weft's code is where it was raised."""
    if isinstance(error, wf.testing.CheckFailed):  # what assert_close is for
        return True
    if " raised this" in text or frame.name == "_format":  # the error of others' code, with a note of Weft's, or of format()
        return True
    if isinstance(error, AttributeError):
        return frame.name in ("__getattr__", "__get__", "of_tensor", "missing")
    if not isinstance(error, TypeError):
        return False
    builtin = OF_A_BUILTIN.match(text)
    is_given = builtin and hasattr(builtins, builtin[1]) and re.search(rf"\b{builtin[1]}\b(?!\()", program.text)
    is_name = "setattr" in program.text and text.startswith("attribute name must be string")
    return bool(OF_A_CALL.search(text) or OF_A_LAMBDA.match(text) or is_given or is_name)


def _of_naming(program, error, text, detail):
    """The error of an op names the op and an argument, whatever it was called with; methods of lists and NumPy's arrays are no ops."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith("<call ")]
    if re.search(r"leaked|symbolic|graph_value|\.at\b", program.text):  # said where a value is asked for, or by x.at
        return None
    if program.mode != "eager" or not program.op or frames[-1].lineno <= len(program.arguments):
        return None
    if not _is_call_of_ours(program, error) or "needs at least one input, but got none" in text:  # there is none to name
        return None
    words = [*_core.describe(program.op)["parameters"], *(p[0] for p in targets.parameters(program.name) or ()), *filter(None, program.words)]
    names_op = program.op.rpartition(".")[2] in text or program.name.rpartition(".")[2] in text
    if names_op and any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words):
        return None
    return Finding("unnamed", f"{program.name} {blurred(text)}", detail)


def _is_call_of_ours(program, error):
    """Whether an eager program calls a function of the package, or a method of a tensor."""
    receiver = re.search(r"^result = \(?(a\d+)\)?\.", program.text, re.M)
    space = next((frame.f_globals for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename.startswith("<call ")), {})
    return receiver is None or isinstance(space[receiver[1]], wf.Tensor)


def is_comparable(program):
    """Whether the call gives the same bits each time, in all modes."""
    if not (program.op or ".at[" in program.head or program.name in ("operators", "Tensor.__getitem__")) or "result = " not in program.text:
        return False
    if program.mode == "graph" and program.op in ("cov", "corrcoef"):  # of one variable a number, or a matrix if a run finds that it is one
        return False
    return not re.search(r"empty|dropout|Dropout|rand\(|randn\(|leaked|graph_value|symbolic", program.text)


def leaves_of(value):
    """The arrays of a result; None where it holds something else."""
    out = []
    for leaf in wf.tree.flatten(value)[0]:
        if isinstance(leaf, (wf.Tensor, wf.Variable)):
            leaf = wf.astype(leaf, wf.float32).numpy() if leaf.dtype is wf.bfloat16 else leaf.numpy()
        if not isinstance(leaf, (np.ndarray, np.generic, bool, int, float, complex)):
            return None
        out.append(np.asarray(leaf, np.float32 if type(leaf) is float else None))  # as transformations take Python's numbers
    return out


def _of_values(program, result):
    """A finding, if eager mode gives other bits."""
    outcome, expected = execute(programs.Program.text.fget(program.with_mode("eager")))
    if outcome != "value":
        return [Finding("unchecked", f"{program.name} {program.mode} {type(expected).__name__} {blurred(str(expected))}",
                        f"eager raises {type(expected).__name__}: {str(expected)[:300]}")] if outcome == "error" else []
    try:
        ours, theirs = leaves_of(result), leaves_of(expected)
    except (wf.Error, MemoryError, ValueError):  # a view that repeats a value more often than NumPy can count
        return []
    if ours is None or theirs is None:
        return []
    if program.mode == "vmap":
        if any(array.shape[:1] != (2,) for array in ours):
            return [Finding("differs", f"{program.name} vmap", f"shapes {[a.shape for a in ours]} of a batch of 2")]
        ours, theirs = [array[i] for i in range(2) for array in ours], theirs * 2
    if len(ours) != len(theirs):
        return [Finding("differs", f"{program.name} {program.mode}", f"{len(ours)} results where eager mode gives {len(theirs)}")]
    for a, b in zip(ours, theirs):
        if a.dtype != b.dtype or a.shape != b.shape or not same(a, b):
            return [Finding("differs", f"{program.name} {program.mode}", f"{program.mode}: {a.dtype}{list(a.shape)} {str(a)[:200]}\n  eager: "
                            f"{b.dtype}{list(b.shape)} {str(b)[:200]}")]
    return []


def same(a, b):
    """Whether two arrays have equal elements; all NaNs are alike. A value that is repeated along an axis of both is compared once."""
    once = tuple(slice(1) if of_a == of_b == 0 else slice(None) for of_a, of_b in zip(a.strides, b.strides))
    a, b = (a[once], b[once]) if a.ndim else (a, b)
    return a.tobytes() == b.tobytes() or np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
