"""The words that the tables are written with: how inputs are made, a call, a wrong call, an entry.

    entry("sum", dims(torch.sum), jnp.sum, call(normal(3, 4)), call(normal(3, 4), axis=0),
          wrong=[call(normal(3), axis=1)])

An entry says which functions of PyTorch and JAX do what ours does; they are called with our
arguments, so that a lambda or `dims` translates where names differ. `compare.py` runs it.
"""

import dataclasses
import zlib

import numpy

FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
HALVES = ("float16", "bfloat16")


@dataclasses.dataclass(frozen=True)
class Input:
    """A tensor argument; the generator's seed is the entry's name and the call's number."""

    draw: object  # generator -> array
    kind: str = "float"  # of the run's dtype, with an imaginary part if that is complex; or a dtype
    differentiated: bool = True
    real: bool = False

    def fixed(self):
        """The same input, taken for a constant by derivatives."""
        return dataclasses.replace(self, differentiated=False)

    def always_real(self):
        return dataclasses.replace(self, real=True)

    def values(self, generator, dtype):
        """The array, rounded to what `dtype` holds."""
        made = numpy.asarray(self.draw(generator))
        if self.kind != "float":
            return made.astype(self.kind)
        if dtype in COMPLEX and not self.real:
            made = made + 1j * numpy.asarray(self.draw(generator))
            return made.astype(dtype)
        rounded = {"complex64": "float32", "complex128": "float64",
            "bfloat16": "float32"}.get(dtype, dtype)
        return made.astype(rounded)


def normal(*shape):
    return Input(lambda g: g.standard_normal(shape))


def between(low, high, *shape):
    return Input(lambda g: g.uniform(low, high, shape))


def positive(*shape):
    return between(0.3, 3.0, *shape)


def away_from_zero(*shape):
    """Between 0.3 and 3 in size, of both signs: no kink at 0, no pole."""
    return Input(lambda g: g.uniform(0.3, 3.0, shape) * g.choice([-1.0, 1.0], shape))


def distinct(*shape):
    """No two alike, and so far apart that their order is the same in every dtype."""
    return Input(lambda g: (g.permutation(int(numpy.prod(shape))).reshape(shape) - 3.3) / 8)


def definite(*shape):
    """Symmetric (Hermitian) positive definite matrices with eigenvalues apart from each other."""
    n = shape[-1]

    def draw(g):
        q, _ = numpy.linalg.qr(g.standard_normal(shape))
        return (q * (numpy.arange(n) + 1.0)) @ q.swapaxes(-1, -2)

    return Input(draw, real=True)


def invertible(*shape):
    return Input(lambda g: g.standard_normal(shape) + 3 * numpy.eye(shape[-1]))


def given(values):
    """These very numbers, as floats of the run."""
    return Input(lambda g: numpy.array(values, dtype="float64"), real=True)


def integers(low, high, *shape, dtype="int64"):
    return Input(lambda g: g.integers(low, high, shape), kind=dtype)


def ints(values, dtype="int64"):
    return Input(lambda g: numpy.array(values), kind=dtype)


def bools(*shape):
    return Input(lambda g: g.random(shape) < 0.5, kind="bool")


@dataclasses.dataclass(frozen=True)
class Call:
    args: tuple
    options: dict
    dtypes: tuple = ()  # instead of the entry's
    grad: bool = True
    only: str = ""  # "torch" or "jax", where the other has no such option
    differs: str = ""  # what is wrong with ours; an error as soon as it is not any more


def call(*args, dtypes=(), grad=True, only="", differs="", **options):
    return Call(args, options, dtypes, grad, only, differs)


def special(*args, **options):
    """A call with infinities, NaN and signed zeros: values only."""
    return call(*args, dtypes=FLOATS, grad=False, **options)


@dataclasses.dataclass(frozen=True)
class Entry:
    name: str
    torch: object
    jax: object
    calls: tuple
    wrong: tuple = ()
    ours: object = None  # instead of that function: makes an ambiguous result unique
    dtypes: tuple = FLOATS
    grad: bool = True
    same_dtype: bool = True
    jit: bool = True  # whether JAX can compile it; it cannot where values decide shapes
    looser: float = 1.0  # times the tolerance
    torch_looser: float = 1.0  # the same where only PyTorch is less accurate
    jax_looser: float = 1.0  # or only JAX
    why: str = ""  # a convention that differs, and why a comparison is looser or left out
    covers: tuple = ()  # options that `ours` sets itself

    def generator(self, number):
        return numpy.random.default_rng(zlib.crc32(f"{self.name} {number}".encode()))


def entry(name, torch, jax, *calls, wrong=(), half=False, complex=False, dtypes=FLOATS, **rest):
    dtypes = tuple(dtypes) + (HALVES if half else ()) + (COMPLEX if complex else ())
    return Entry(name, torch, jax, calls, tuple(wrong), dtypes=dtypes, **rest)


def dims(function, **more):
    """A function of PyTorch under our words: axis is dim, keepdims is keepdim."""
    words = {"axis": "dim", "axes": "dim", "keepdims": "keepdim", **more}
    return lambda *args, **options: function(*args,
        **{words.get(word, word): v for word, v in options.items()})
