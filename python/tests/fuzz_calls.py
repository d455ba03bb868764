"""Calls ops with random bad arguments: each call must succeed or raise a Python exception that names the op and the argument.

  python fuzz_calls.py <number of errors to see> <seed> [trace]
Prints the number of calls and of errors; test_fuzz.py runs it in a process of its own. With `trace` every call is printed
before it is made, to see which one ended the process.
"""

import itertools
import random
import re
import sys
import warnings

import numpy as np

import weft as wf
from weft import _core, _ops

HUGE = [2**31, 2**40, 2**62, 2**63 - 1, 2**63, 2**64, 10**30, -(2**31), -(2**63), -(10**30)]


class Odd:
    """An object whose every conversion raises."""

    def __index__(self):
        raise RuntimeError("no index")

    __float__ = __int__ = __bool__ = __len__ = __array__ = __iter__ = __index__


class Liar:
    """Says it is a sequence, an array and a DLPack producer, and is none."""

    __array_interface__ = {"version": 3}

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return self

    def __dlpack__(self, **keywords):
        return object()

    def __dlpack_device__(self):
        return "cpu"


def tensors():
    rng = np.random.default_rng(0)
    shapes = [(), (0,), (1,), (3,), (2, 3), (3, 2), (2, 0, 3), (4, 1, 3), (1,) * 10]
    dtypes = ["bool", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64"]
    out = [wf.tensor(rng.uniform(-3, 3, s).astype(d)) for s, d in itertools.product(shapes, dtypes)]
    return out + [t.mT for t in out if t.ndim >= 2] + [wf.tensor([1.0, 2.0], dtype=wf.bfloat16)]


TRACE = len(sys.argv) > 3
TENSORS = tensors()
BAD = [None, "text", "", b"bytes", object(), Odd(), Liar(), {}, {1: 2}, set(), range(3), print, type, int, wf, wf.float32, "float32",
       float("nan"), float("inf"), -0.0, 1e300, 1j, True, False, ..., slice(1, 2), slice(None, None, 0), [], [[]], [1, [2]],
       [None], ["a"], (1, "a"), [1.5, 2], [[1, 2], [3]], np.zeros((2, 3)), np.array(["a"]), np.array(3), np.float64(2), np.int8(-1),
       np.zeros(2, ">f8"), np.array([object()]), np.zeros((0, 2)), np.array([True]), memoryview(b"abc"), np.dtype("M8[s]"),
       wf.random.Key(0), lambda: 0]


def value(rng):
    kind = rng.randrange(10)
    if kind < 4:
        return rng.choice(TENSORS)
    if kind < 6:
        return rng.choice(BAD)
    if kind == 6:
        return rng.choice(HUGE)
    if kind == 7:
        return rng.randrange(-5, 6)
    pool = [-2, -1, 0, 1, 2, 3, 5, 1.5, None, "a", True] + HUGE
    items = [rng.choice(pool) for _ in range(rng.randrange(0, 40 if rng.random() < 0.05 else 5))]
    if kind == 8:
        return tuple(items)
    return [rng.choice(TENSORS + BAD) for _ in range(rng.randrange(0, 4))]


def keyword(rng, entry):
    names = entry["parameters"] + ["dim", "keepdim", "out", "device", "copy", "nonsense", "input", "dtype"]
    return rng.choice(names)


def show(name, args, keywords):
    def brief(v):
        return f"{v.dtype}{list(v.shape)}" if isinstance(v, wf.Tensor) else repr(v)[:60]

    text = ", ".join([brief(a) for a in args] + [f"{k}={brief(v)}" for k, v in keywords.items()])
    print(f"{name}({text})", file=sys.stderr, flush=True)


def random_call(rng, entries):
    entry = rng.choice(entries)
    op = _ops.op(entry["module"], entry["name"])
    count = max(0, len(entry["inputs"]) + rng.choice([0, 0, 0, 0, -1, 1, 2]))
    args = [value(rng) for _ in range(count)]
    keywords = {keyword(rng, entry): value(rng) for _ in range(rng.choice([0, 0, 1, 2, 3]))}
    arguments = entry["parameters"] + list(keywords)
    if args and rng.random() < 0.2 and isinstance(args[0], wf.Tensor) and getattr(wf.Tensor, entry["name"], None) is op:
        return entry["name"], arguments, lambda: getattr(args[0], entry["name"])(*args[1:], **keywords)
    if TRACE:
        show(entry["name"], args, keywords)
    return entry["name"], arguments, lambda: op(*args, **keywords)


INDEX = ["key", "index", "indices"]
OPERAND = ["a", "b", "operand", "operands"]  # Python itself names the operands of a sum that nobody knows


def random_other(rng):
    """(a word for the call, words for its arguments, the call); NumPy's own errors are NumPy's."""
    x, v, w = rng.choice(TENSORS), value(rng), value(rng)
    name = str(v)[:20]
    return rng.choice([
        ("getitem|index|slice|take|index_at", INDEX, lambda: x[v]), ("getitem|index|slice|take|index_at", INDEX, lambda: x[v, w]),
        ("at|slice_update|slice|add|maximum|where|index|add_at|set_at|max_at", INDEX + ["value", "b"],
         lambda: rng.choice(PLACES)(x.at[v], w)),
        ("tensor", ["data", "dtype"], lambda: wf.tensor(v, w)), ("asarray", ["obj", "dtype"], lambda: wf.asarray(v, dtype=w)),
        ("from_dlpack", ["x"], lambda: wf.from_dlpack(v)), ("add|\\+", OPERAND, lambda: x + v),
        ("matmul|@", OPERAND, lambda: v @ x), ("setitem", ["value", "x"], lambda: x.__setitem__(v, w)),
        ("int", ["tensor", "x"], lambda: int(x)), ("finfo", ["type"], lambda: wf.finfo(v)), ("iinfo", ["type"], lambda: wf.iinfo(v)),
        ("result_type", ["arguments", "arrays_and_dtypes"], lambda: wf.result_type(v, w)),
        ("can_cast", ["from_", "to"], lambda: wf.can_cast(v, w)), ("unstack", ["x", "axis"], lambda: wf.unstack(v, axis=w)),
        ("", [""], lambda: np.asarray(x, dtype=v)), ("isdtype", ["dtype", "kind"], lambda: wf.isdtype(v, w)),
        ("weft", [re.escape(name)], lambda: getattr(wf, name)), ("Key", ["seed"], lambda: wf.random.Key(v)),
        ("full", ["shape", "fill_value", "dtype"], lambda: wf.full(v, w)), ("help", ["topic", "named"], lambda: wf.help(w)),
        ("set_num_threads", ["count"], lambda: wf.set_num_threads(str(v)))])


PLACES = [lambda place, value: place.set(value), lambda place, value: place.add(value), lambda place, value: place.maximum(value)]


def names(text, words):
    """Whether one of the words stands in the text as a word of its own."""
    return any(not word or re.search(rf"(?<!\w){word}(?!\w)", text) for word in words)


def main(wanted, seed):
    rng = random.Random(seed)
    entries = [_core.describe(f"{m}.{n}" if m else n) for m, n, _ in _ops.listed()]
    wf.memory.set_limit(1 << 24)
    warnings.simplefilter("ignore")  # NumPy's, of odd dtypes
    calls = errors = bad = 0
    sys.stdout, real = open("/dev/null", "w"), sys.stdout
    while errors < wanted:
        calls += 1
        name, arguments, call = random_call(rng, entries) if rng.random() < 0.85 else random_other(rng)
        try:
            call()
        except RecursionError:
            raise
        except Exception as error:
            errors += 1
            text = "\n".join([str(error)] + getattr(error, "__notes__", []))
            internal = isinstance(error, (wf.InternalError, SystemError))
            if internal or not re.search(name, text) or not names(text, arguments):
                print(f"{name}({', '.join(arguments)}): {type(error).__name__}: {text}", file=sys.stderr)
                bad += 1
                if bad > 20:
                    sys.exit(1)
    wf.set_num_threads(1)
    if bad:
        sys.exit(1)
    print(f"{calls} calls, {errors} errors", file=real)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
