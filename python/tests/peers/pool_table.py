"""Pooling in one, two and three axes: ours and PyTorch's; JAX's by windows."""

import jax
import torch.nn.functional as F
from vocabulary import call, distinct, entry, normal

LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
FIRST = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


def layouts(n, function):
    """PyTorch's pooling for channels in either place."""
    def pooled(x, *args, data_format="", **rest):
        last = data_format.endswith("C")
        out = function(x.movedim(-1, -1 - n) if last else x, *args, **rest)
        turned = lambda y: y.movedim(-1 - n, -1) if last else y  # noqa: E731
        return tuple(map(turned, out)) if isinstance(out, tuple) else turned(out)

    return pooled


def torch_avg(n):
    """avg_pool1d has no divisor of its own: its sum is the mean times the window's size."""
    own = getattr(F, f"avg_pool{n}d")

    def pooled(x, kernel_size, divisor_override=None, **rest):
        if divisor_override is None or n > 1:
            return own(x, kernel_size, **rest,
                **({} if divisor_override is None else {"divisor_override": divisor_override}))
        taps = kernel_size if isinstance(kernel_size, int) else kernel_size[0]
        return own(x, kernel_size, **rest) * (taps / divisor_override)

    return pooled


def jax_max(n):
    def pooled(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, data_format=""):
        many = lambda v: (1, 1) + ((v,) * n if isinstance(v, int) else tuple(v))  # noqa: E731
        taps, pads = many(kernel_size), [(0, 0)] * 2 + [(p, p) for p in many(padding)[2:]]
        return jax.lax.reduce_window(x, -float("inf"), jax.lax.max, taps,
            many(kernel_size if stride is None else stride), pads, window_dilation=many(dilation))

    return pooled


def image(n, make, size=7, last=False):
    space = (size,) * (n - 1) + (size + 1,)
    return make(2, *space, 3) if last else make(2, 3, *space)


def max_pool(n, size, with_indices):
    each = tuple(range(2, n + 2))
    calls = [
        call(image(n, distinct, size), kernel_size=2),
            call(image(n, distinct, size), kernel_size=each, stride=1),
        call(image(n, distinct, size), kernel_size=3, stride=2, padding=1),
        call(image(n, distinct, size), kernel_size=2, dilation=2, stride=(1,) * n, only="torch"),
        call(image(n, distinct, size), kernel_size=3, stride=2, ceil_mode=True, only="torch"),
        call(image(n, distinct, size, last=True), kernel_size=2, data_format=LAST[n], only="torch"),
        call(image(n, distinct, size), kernel_size=2, data_format=FIRST[n], only="torch"),
        call(distinct(3, *(size,) * n), kernel_size=2, only="torch"),
    ]
    wrong = [call(image(n, normal, size), kernel_size=0, only="torch"),
             call(image(n, normal, size), kernel_size=2, padding=2, only="torch"),
             call(image(n, normal, size), kernel_size=20, only="torch")]
    name = f"max_pool{n}d" + ("_with_indices" if with_indices else "")
    theirs = layouts(n, lambda x, *a, **rest: getattr(F, f"max_pool{n}d")(x, *a, **rest,
        return_indices=with_indices))
    return entry(f"nn.{name}", theirs, None if with_indices else jax_max(n), *calls, wrong=wrong)


def avg_pool(n, size):
    each = tuple(range(2, n + 2))
    calls = [
        call(image(n, normal, size), kernel_size=2),
            call(image(n, normal, size), kernel_size=each, stride=1),
        call(image(n, normal, size), kernel_size=3, stride=2, padding=1),
        call(image(n, normal, size), kernel_size=3, stride=2, padding=1, count_include_pad=False),
        call(image(n, normal, size), kernel_size=3, stride=2, ceil_mode=True),
        call(image(n, normal, size), kernel_size=3, stride=2, padding=1, ceil_mode=True,
            count_include_pad=False),
        call(image(n, normal, size), kernel_size=2, divisor_override=3),
        call(image(n, normal, size, last=True), kernel_size=2, data_format=LAST[n]),
        call(normal(3, *(size,) * n), kernel_size=2),
    ]
    wrong = [call(image(n, normal, size), kernel_size=0),
        call(image(n, normal, size), kernel_size=2, padding=2)]
    return entry(f"nn.avg_pool{n}d", layouts(n, torch_avg(n)), None, *calls, wrong=wrong)


def adaptive(n, size, kind):
    make = normal if kind == "avg" else distinct
    sizes = tuple(range(2, n + 2))
    calls = [call(image(n, make, size), output_size=1),
        call(image(n, make, size), output_size=sizes),
        call(image(n, make, size), output_size=size + 2),
        call(image(n, make, size, last=True), output_size=sizes, data_format=LAST[n]),
        call(make(3, *(size,) * n), output_size=2)]
    own = getattr(F, f"adaptive_{kind}_pool{n}d")
    theirs = own if kind == "avg" else lambda x, size: own(x, size, return_indices=True)
    return entry(f"nn.adaptive_{kind}_pool{n}d",
        layouts(n, lambda x, output_size: theirs(x, output_size)), None, *calls,
        wrong=[call(image(n, make, size), output_size=(1,) * (n + 1)),
        call(image(n, make, size), output_size=-1)])


SIZES = {1: 9, 2: 6, 3: 5}
ENTRIES = [
    *(max_pool(n, size, with_indices) for n,
        size in SIZES.items() for with_indices in (False, True)),
    *(avg_pool(n, size) for n, size in SIZES.items()),
    *(adaptive(n, size, kind) for n, size in SIZES.items() for kind in ("avg", "max")),
]
