"""Entries of random ops, which share no values with their peers, but a distribution.

    draws("random.normal", lambda key, shape, mean=0.0: mean + jax.random.normal(key, shape),
          call(shape=MANY), call(shape=MANY, mean=2.0))

Keys and seeds are fixed, so that every run sees the same draws. Two samples agree if their
distribution functions are nowhere further apart than chance allows once in a thousand times
(Kolmogorov and Smirnov). A slope is the derivative of the draws along a parameter: its mean is
within five standard errors of the derivative of the mean.
"""

import dataclasses

import jax
import numpy
import torch
import weft as wf
from compare import WEFT, Run, found

MANY = (20000,)


@dataclasses.dataclass(frozen=True)
class Draws:
    name: str
    theirs: object  # (key of JAX, the call's arguments) -> a sample
    calls: tuple
    wrong: tuple = ()
    slopes: tuple = ()  # (parameter, options, derivative of the mean)
    view: object = staticmethod(lambda x: x)  # what of a sample is compared
    apart: float = 0.0  # of few values: those closer than this are one, rounded in two ways
    law: object = None  # what must hold of every sample of ours
    ours: object = None
    torch: object = None
    jax: object = None
    covers: tuple = ()
    same_dtype: bool = True
    by_torch: bool = False  # `theirs` is PyTorch's, which has a generator of its own

    def generator(self, number):
        return numpy.random.default_rng(number + 1000)

    def run(self, number, call):
        return Run(_Plain(self), call, number, "float32")


class _Plain:
    """What Run wants of an entry."""

    def __init__(self, draws):
        self.name, self.generator, self.grad = draws.name, draws.generator, False


def draws(name, theirs, *calls, **rest):
    return Draws(name, theirs, calls, **rest)


def farthest(a, b, apart=0.0):
    """The distance of two empirical distribution functions, by what chance allows."""
    both = numpy.concatenate([a.ravel(), b.ravel()])
    order = numpy.argsort(both)
    if apart > 0:  # neighbours become one value, by their number
        both[order] = numpy.cumsum(numpy.diff(both[order], prepend=both[order[0]]) > apart)
    a, b = numpy.sort(both[:a.size]), numpy.sort(both[a.size:])
    every = numpy.concatenate([a, b])
    gap = numpy.searchsorted(a, every, side="right") / a.size - numpy.searchsorted(b, every,
        side="right") / b.size
    return numpy.abs(gap).max() / (1.95 * numpy.sqrt(1 / a.size + 1 / b.size))


def sample(entry, run, tensors):
    function = entry.ours or found(entry.name)
    key = wf.random.Key(run.number + 11)
    return WEFT.call(lambda *args, **options: function(key, *args, **options), run.call, tensors)[0]


def check_slope(entry, parameter, options, expected):
    def drawn(value):
        return found(entry.name)(wf.random.Key(5), **{**options, parameter: value})

    value = wf.tensor(options[parameter], dtype=wf.float64)
    out, slopes = wf.jvp(drawn, (value,), (wf.ones(value.shape, dtype=wf.float64),))
    slopes = slopes.numpy()
    error = 5 * slopes.std() / numpy.sqrt(slopes.size) + 1e-6
    if abs(slopes.mean() - expected) > error:
        return [f"{entry.name}: the mean has derivative {slopes.mean():.5g} along {parameter}, but "
                f"{expected:.5g} is right (within {error:.2g})"]
    return []


def drawing(entry, args, options):
    return lambda key: entry.theirs(key, *args, **options)


def check(entry):
    """(comparisons, sentences)."""
    out = []
    for number, call in enumerate(entry.calls):
        run = entry.run(number, call)
        drawn = WEFT.numpy(sample(entry, run, run.tensors(WEFT)))
        torch.manual_seed(number)
        options = dict(call.options)
        each = iter(run.arrays)
        args = [next(each) if hasattr(arg, "draw") else arg for arg in call.args]
        options = {word: next(each) if hasattr(value, "draw") else value for word,
            value in options.items()}
        program = drawing(entry, args, options)
        theirs = numpy.asarray((program if entry.by_torch
            else jax.jit(program))(
            jax.random.key(number, impl="rbg")))
        if drawn.shape != theirs.shape or (entry.same_dtype
            and drawn.dtype.kind != theirs.dtype.kind):
            out.append(f"{entry.name}, call {number}: {drawn.dtype}{drawn.shape}, but theirs are "
                       f"{theirs.dtype}{theirs.shape}")
        elif (far := farthest(entry.view(drawn), entry.view(theirs), entry.apart)) > 1:
            out.append(f"{entry.name}, call {number}: the distributions differ by "
                       f"{far:.2f} of what chance "
                       f"allows; means {drawn.mean():.5g} and {theirs.mean():.5g}, deviations "
                       f"{drawn.std():.5g} and {theirs.std():.5g}")
        if entry.law is not None and not entry.law(drawn):
            out.append(f"{entry.name}, call {number}: the draws break the law of all draws")
    for slope in entry.slopes:
        out += check_slope(entry, *slope)
    for number, call in enumerate(entry.wrong):
        run = entry.run(number, call)
        try:
            sample(entry, run, run.tensors(WEFT))
            out.append(f"{entry.name}: wrong call {number} is taken: {call}")
        except wf.Error:
            pass
    return len(entry.calls) + len(entry.slopes) + len(entry.wrong), out
