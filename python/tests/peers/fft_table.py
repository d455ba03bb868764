"""Fourier transforms: ours, PyTorch's, JAX's."""

import jax.numpy as jnp
import torch
from vocabulary import COMPLEX, FLOATS, call, entry, integers, normal

NORMS = ("backward", "ortho", "forward")
# Sums over n points with twiddles; PyTorch's MKL or pocketfft rounds otherwise than ours.
ROUNDING = dict(looser=4, why="sums over up to 12 points")


def words(function):
    """PyTorch says dim."""
    def transform(x, **options):
        axes = options.pop("axis", options.pop("axes", None))
        return function(x, **options) if axes is None else function(x, dim=axes, **options)

    return transform


def one_axis(name, dtypes, **rest):
    """Lengths that are odd, a power of two, prime; cut and padded; each norm; another axis."""
    calls = [call(normal(8)), call(normal(3, 7)), call(normal(12), n=9), call(normal(5), n=11),
             call(normal(6, 3), axis=0, n=None), *(call(normal(2, 9), norm=norm) for norm in NORMS)]
    return entry(f"fft.{name}", words(getattr(torch.fft, name)), getattr(jnp.fft, name), *calls,
        dtypes=dtypes, wrong=[call(normal(4), axis=1), call(normal(4), norm="other"),
        call(normal(4), n=0)], **ROUNDING, **rest)


def many_axes(name, dtypes, two):
    calls = [call(normal(4, 6)), call(normal(3, 5), s=(4, 4)), call(normal(4, 5, 3), axes=(0, 1)),
             call(normal(4, 5), s=(3, 7), axes=(1, 0)),
                 *(call(normal(2, 4, 5), norm=norm) for norm in NORMS)]
    if not two:
        calls += [call(normal(3, 4, 2))]
    return entry(f"fft.{name}", words(getattr(torch.fft, name)), getattr(jnp.fft, name), *calls,
        dtypes=dtypes, wrong=[call(normal(4, 4), axes=(0, 2)), call(normal(4, 4), norm="other")],
        **ROUNDING)


def primitive(inverse):
    def c2c(x, axis=-1, inverse=inverse, scale=1.0):
        size = x.shape[axis]
        return torch.fft.ifft(x, dim=axis) * (size * scale) if inverse else torch.fft.fft(x,
            dim=axis) * scale

    return c2c


ENTRIES = [
    one_axis("fft", COMPLEX + FLOATS), one_axis("ifft", COMPLEX), one_axis("rfft", FLOATS),
        one_axis("irfft", COMPLEX),
    one_axis("hfft", COMPLEX), one_axis("ihfft", FLOATS),
    *(many_axes(name, COMPLEX, name.endswith("2")) for name in ("fft2", "ifft2", "fftn", "ifftn")),
    *(many_axes(name, FLOATS, name.endswith("2")) for name in ("rfft2", "rfftn")),
    *(many_axes(name, COMPLEX, name.endswith("2")) for name in ("irfft2", "irfftn")),
    *(entry(f"fft.{name}", words(getattr(torch.fft, name)), getattr(jnp.fft, name), call(normal(5)),
        call(normal(4, 3)), call(normal(4, 5, 3), axes=(0, 1)), call(integers(0, 9, 6), axes=(0,)),
        wrong=[call(normal(4), axes=(1,))]) for name in ("fftshift", "ifftshift")),
    *(entry(f"fft.{name}", getattr(torch.fft, name), getattr(jnp.fft, name), call(5),
        call(8, d=0.3), call(4, dtype="float64"), same_dtype=False,
        why="float32 without a dtype, as in PyTorch; JAX has float64", wrong=[call("three")])
        for name in ("fftfreq", "rfftfreq")),
    entry("fft.c2c", primitive(False), None, call(normal(3, 7)),
          call(normal(6, 2), axis=0, inverse=True, scale=0.3), dtypes=COMPLEX,
          wrong=[call(normal(4), axis=1)], **ROUNDING),
    entry("fft.r2c", lambda x, axis=-1, scale=1.0: torch.fft.rfft(x, dim=axis) * scale, None,
          call(normal(3, 7)), call(normal(6, 2), axis=0, scale=0.3),
          wrong=[call(normal(4), axis=1)], **ROUNDING),
    entry("fft.c2r", lambda x, n, axis=-1, scale=1.0: torch.fft.irfft(x, n, dim=axis) * (n * scale),
          None, call(normal(3, 4), n=7), call(normal(4, 2), n=6, axis=0, scale=0.3), dtypes=COMPLEX,
          wrong=[call(normal(4), n=7, axis=1)], **ROUNDING),
]
