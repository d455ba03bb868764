"""Checks that every op goes through: inference, gradients against differences, batching against a loop."""

from . import _core, _hints

# How far two results may be apart, by dtype: relative to the largest value.
TOLERANCE = {"float16": 5e-3, "bfloat16": 4e-2, "float32": 2e-5, "float64": 1e-10, "complex64": 2e-5, "complex128": 1e-10}


class CheckFailed(AssertionError):
    """A check that an op did not pass."""


def check_op(op, *samples, reference=None, gradient=True, batching=True):
    """Runs the op on each sample and checks what its definition promises.

    A sample is a tuple of arguments, or (arguments, keywords). Checked are: the type of the result is the inferred one;
    the value equals `reference(*arrays, **keywords)` if that is given; VJP and JVP agree with central differences in
    float64; batching agrees with a loop, for every choice of batched inputs.

    >>> wf.testing.check_op(wf.exp, (wf.tensor([0.5, -1.0]),))
    """
    if not samples:
        raise _core.InvalidError("check_op: needs at least one sample [check_op.samples]")
    for sample in samples:
        args, keywords = _split(sample)
        out = _outputs(op(*args, **keywords))
        _check_reference(op, args, keywords, out, reference)
        entry = _core.describe(op.__qualname__)
        if entry["composite"]:
            continue
        _check_inference(op, args, keywords, out)
        if gradient:
            _check_gradient(op, args, keywords)
        if batching:
            _check_batching(op, args, keywords)


def assert_close(actual, expected, *, tolerance=None, what="the result"):
    """Raises CheckFailed unless both have one shape and all elements are close."""
    import numpy

    actual, expected = _array(actual, "actual"), _array(expected, "expected")
    if actual.shape != expected.shape:
        raise CheckFailed(f"{what} has shape {actual.shape} where {expected.shape} is expected")
    if tolerance is None:
        tolerance = TOLERANCE.get(actual.dtype.name, 0)
    tolerance = _hints.as_number(tolerance, "assert_close", "tolerance")
    wide = numpy.complex128 if actual.dtype.kind == "c" or expected.dtype.kind == "c" else numpy.float64
    a, b = actual.astype(wide), expected.astype(wide)
    scale = numpy.max(numpy.abs(b[numpy.isfinite(b)]), initial=1e-30)
    close = (a == b) | (numpy.isnan(a) & numpy.isnan(b)) | (numpy.abs(a - b) <= tolerance * scale)
    if not numpy.all(close):
        at = tuple(int(i) for i in numpy.argwhere(~close)[0])
        raise CheckFailed(f"{what} is {actual[at]} at {at} where {expected[at]} is expected "
                          f"({int((~close).sum())} of {close.size} elements differ)")


def _array(values, name):
    """A NumPy array of numbers."""
    import numpy

    try:
        array = numpy.asarray(values)
    except ValueError:  # of lists that have no shape
        array = None
    if array is None or array.dtype.kind in "OSUMm":
        raise _core.WrongTypeError(f"assert_close: {name} must be a tensor, an array or numbers, but got {_hints.brief(values)} "
                                   "[assert_close.argument]")
    return array


def _split(sample):
    if isinstance(sample, tuple) and len(sample) == 2 and isinstance(sample[0], tuple) and isinstance(sample[1], dict):
        return sample
    return (sample if isinstance(sample, tuple) else (sample,)), {}


def _outputs(result):
    return result if isinstance(result, tuple) else (result,)


def _check_reference(op, args, keywords, out, reference):
    if reference is None:
        return
    arrays = [a.numpy() if isinstance(a, _core.Tensor) else a for a in args]
    for i, (actual, expected) in enumerate(zip(out, _outputs(reference(*arrays, **keywords)))):
        assert_close(actual, expected, what=f"output {i} of {op.__name__}")


def _check_inference(op, args, keywords, out):
    inferred = _core.infer(op, args, keywords)
    actual = tuple((t.dtype, t.shape) for t in out)
    if inferred != actual:
        raise CheckFailed(f"{op.__name__} infers {inferred} but gives {actual}")


def _float64(value):
    if isinstance(value, _core.Tensor) and value.dtype.kind == "real floating":
        return value.astype(_core.float64)
    return value


def _check_gradient(op, args, keywords):
    """<u, J v> by differences, by JVP, and <J^T u, v> by VJP: all the same number."""
    import numpy

    rng = numpy.random.default_rng(0)
    args = tuple(_float64(a) for a in args)
    wanted = [isinstance(a, _core.Tensor) and a.dtype is _core.float64 and not _core.no_gradient_reason(op, i)
              for i, a in enumerate(args)]
    out = _outputs(op(*args, **keywords))
    if not any(wanted) or any(o.dtype is not _core.float64 for o in out):
        return
    tangents = [_core._tensor(rng.standard_normal(a.shape), None, "check_op") if w else None for a, w in zip(args, wanted)]
    cotangents = tuple(_core._tensor(rng.standard_normal(o.shape), None, "check_op") for o in out)
    numeric = _directional(op, args, keywords, tangents, cotangents)
    back = _core.call_vjp(op, args, keywords, cotangents, wanted)
    by_vjp = sum(_dot(g, t) for g, t in zip(back, tangents) if g is not None and t is not None)
    _compare(op, "its VJP", by_vjp, numeric)
    try:
        forward = _core.call_jvp(op, args, keywords, tuple(tangents))
    except NotImplementedError:
        return
    by_jvp = sum(_dot(u, t) for u, t in zip(cotangents, forward) if t is not None)
    _compare(op, "its JVP", by_jvp, numeric)


def _directional(op, args, keywords, tangents, cotangents, step=1e-6):
    def moved(sign):
        at = [a if t is None else _core._tensor(a.numpy() + sign * step * t.numpy(), None, "check_op")
              for a, t in zip(args, tangents)]
        return _outputs(op(*at, **keywords))

    return sum((_dot(u, high) - _dot(u, low)) / (2 * step) for u, high, low in zip(cotangents, moved(1), moved(-1)))


def _dot(a, b):
    return float((a.numpy() * b.numpy()).sum())


def _compare(op, what, actual, expected):
    if not abs(actual - expected) <= 1e-5 * max(1.0, abs(expected)):
        raise CheckFailed(f"{op.__name__}: {what} gives {actual} along a random direction where differences give "
                          f"{expected}")


def _check_batching(op, args, keywords, size=3):
    import itertools

    import numpy

    positions = [i for i, a in enumerate(args) if isinstance(a, _core.Tensor)]
    rows = {i: [numpy.roll(args[i].numpy(), k) for k in range(size)] for i in positions}
    for chosen in itertools.product((False, True), repeat=len(positions)):
        batched = {i for i, is_batched in zip(positions, chosen) if is_batched}
        if not batched:
            continue
        stacked = tuple(_core._tensor(numpy.stack(rows[i]), None, "check_op") if i in batched else a
                        for i, a in enumerate(args))
        flags = tuple(i in batched for i in range(len(args)))
        got = _core.call_batch(op, stacked, keywords, flags, size)
        for k in range(size):
            one = tuple(_core._tensor(rows[i][k], None, "check_op") if i in batched else a for i, a in enumerate(args))
            for j, (whole, part) in enumerate(zip(got, _outputs(op(*one, **keywords)))):
                assert_close(whole[k], part, what=f"example {k} of output {j} of {op.__name__}, batched {sorted(batched)},")
