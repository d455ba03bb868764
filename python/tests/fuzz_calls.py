"""Calls ops with random bad arguments: each call must succeed or raise a Python exception that names the op.

  python fuzz_calls.py <number of errors to see> <seed> [trace]
Prints the number of calls and of errors; test_fuzz.py runs it in a process of its own. With `trace` every call is printed
before it is made, to see which one ended the process.
"""

import itertools
import random
import sys

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
    if args and rng.random() < 0.2 and isinstance(args[0], wf.Tensor) and hasattr(wf.Tensor, entry["name"]):
        method = getattr(args[0], entry["name"])
        if callable(method):
            return entry["name"], lambda: method(*args[1:], **keywords)
    if TRACE:
        show(entry["name"], args, keywords)
    return entry["name"], lambda: op(*args, **keywords)


def random_other(rng):
    x, v, w = rng.choice(TENSORS), value(rng), value(rng)
    return rng.choice([
        ("", lambda: x[v]), ("", lambda: x[v, w]), ("slice", lambda: x.at[v].set(w)), ("tensor", lambda: wf.tensor(v, w)),
        ("asarray", lambda: wf.asarray(v, dtype=w)), ("", lambda: wf.from_dlpack(v)), ("", lambda: x + v), ("", lambda: v @ x),
        ("", lambda: x.__setitem__(v, w)), ("", lambda: int(x)), ("", lambda: wf.finfo(v)), ("", lambda: wf.result_type(v, w)),
        ("", lambda: np.asarray(x, dtype=v)), ("", lambda: wf.isdtype(v, w)), ("", lambda: getattr(wf, str(v)[:20])),
        ("", lambda: wf.random.Key(v)), ("", lambda: wf.help(w)), ("", lambda: wf.set_num_threads(str(v)))])


def main(wanted, seed):
    rng = random.Random(seed)
    entries = [_core.describe(f"{m}.{n}" if m else n) for m, n, _ in _ops.listed()]
    wf.memory.set_limit(1 << 24)
    calls = errors = 0
    sys.stdout, real = open("/dev/null", "w"), sys.stdout
    while errors < wanted:
        calls += 1
        name, call = random_call(rng, entries) if rng.random() < 0.85 else random_other(rng)
        try:
            call()
        except RecursionError:
            raise
        except Exception as error:
            errors += 1
            text = str(error) + " ".join(getattr(error, "__notes__", []))
            if isinstance(error, (wf.InternalError, SystemError)) or name not in text:
                print(f"{name}: {type(error).__name__}: {text}", file=sys.stderr)
                if calls > 0:
                    sys.exit(1)
    wf.set_num_threads(1)
    print(f"{calls} calls, {errors} errors", file=real)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
