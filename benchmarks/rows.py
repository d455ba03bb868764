"""The rows of the table: the same work for Weft, PyTorch and, where it has an equal, JAX.

PyTorch writes into memory it is given wherever it has a form for that. layer_norm has none that is not a copy more:
there it allocates, from a heap that run.py keeps from being given back to the system, so that it is reused too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

SIZES = {"4K": 1 << 12, "256K": 1 << 18, "16M": 1 << 24}


@dataclass
class Row:
    """One line of the table; `times` of each system has an entry a round."""

    name: str
    runs: dict[str, Callable[[], object]] = field(default_factory=dict)
    bytes: int = 0  # read and written by the op, for the share of STREAM
    flops: int = 0  # for the share of FMA peak
    ops: int = 1  # how many a run does; the time is that of one
    make: Callable[[], dict[str, Callable[[], object]]] | None = None  # `runs`, if the row is wanted
    group: str = ""  # rows whose ratios have a geometric mean
    times: dict[str, list[float]] = field(default_factory=dict)


def elementwise_rows(wf, torch, np):
    rng = np.random.default_rng(0)
    for label, n in SIZES.items():
        a = rng.random(n, dtype=np.float32) + 0.5
        b = rng.random(n, dtype=np.float32) + 0.5
        wa, wb = wf.asarray(a), wf.asarray(b)
        ta, tb = torch.from_numpy(a), torch.from_numpy(b)
        out = torch.empty_like(ta)
        yield Row(f"add {label}", {"weft": lambda x=wa, y=wb: wf.add(x, y),
                                   "torch": lambda x=ta, y=tb, o=out: torch.add(x, y, out=o)}, bytes=12 * n)
        for name in ("exp", "tanh", "log"):
            wfn, tfn = getattr(wf, name), getattr(torch, name)
            yield Row(f"{name} {label}", {"weft": lambda x=wa, f=wfn: f(x),
                                          "torch": lambda x=ta, f=tfn, o=out: f(x, out=o)}, bytes=8 * n)
        gelu = torch._C._nn.gelu  # torch.nn.functional.gelu has no out=
        yield Row(f"gelu {label}", {"weft": lambda x=wa: wf.gelu(x),
                                    "torch": lambda x=ta, o=out: gelu(x, out=o)}, bytes=8 * n)
        for short, dtype, size in (("bf16", "bfloat16", 2), ("i32", "int32", 4)):
            cast_out = torch.empty(n, dtype=getattr(torch, dtype))
            yield Row(f"cast f32>{short} {label}", {"weft": lambda x=wa, d=getattr(wf, dtype): wf.astype(x, d),
                                                    "torch": lambda x=ta, o=cast_out: o.copy_(x)},
                      bytes=(4 + size) * n)


def reduction_rows(wf, torch, np):
    rng = np.random.default_rng(1)
    for label, n in SIZES.items():
        side = 1 << (n.bit_length() // 2)
        shape = (n // side, side)
        a = rng.random(shape, dtype=np.float32)
        wa, ta = wf.asarray(a), torch.from_numpy(a)
        for axis in (0, 1):
            sums = torch.empty(shape[1 - axis])
            yield Row(f"sum axis {axis} {label}", {"weft": lambda x=wa, k=axis: wf.sum(x, axis=k),
                                                   "torch": lambda x=ta, k=axis, o=sums: torch.sum(x, dim=k, out=o)},
                      bytes=4 * n)
        out = torch.empty((shape[1], shape[0]))
        yield Row(f"transpose copy {label}", {"weft": lambda x=wa: copy_of(wf, x.T),
                                              "torch": lambda x=ta, o=out: o.copy_(x.T)}, bytes=8 * n)


def copy_of(wf, x):
    return wf.asarray(x, copy=True)


def row_rows(wf, torch, np):
    rng = np.random.default_rng(2)
    a = rng.standard_normal((4096, 1024), dtype=np.float32)
    g = rng.standard_normal((4096, 1024), dtype=np.float32)
    w = rng.standard_normal(1024, dtype=np.float32)
    wa, wg, ww = wf.asarray(a), wf.asarray(g), wf.asarray(w)
    ta, tg, tw = torch.from_numpy(a), torch.from_numpy(g), torch.from_numpy(w)
    n = a.size
    functional, out = torch.nn.functional, torch.empty_like(ta)
    yield Row("softmax [4096,1024]", {"weft": lambda: wf.softmax(wa, axis=-1),
                                      "torch": lambda: torch.softmax(ta, dim=-1, out=out)}, bytes=8 * n)
    ws, ts = wf.softmax(wa, axis=-1), torch.softmax(ta, dim=-1)
    softmax_backward = torch.ops.aten._softmax_backward_data.out
    yield Row("softmax backward",
              {"weft": lambda f=wf._core.op("softmax.vjp"): f(wg, ws, axis=-1),
               "torch": lambda: softmax_backward(tg, ts, -1, torch.float32, grad_input=out)}, bytes=12 * n)
    yield Row("layer_norm [4096,1024]", {"weft": lambda: wf.nn.layer_norm(wa, ww, ww),
                                         "torch": lambda: functional.layer_norm(ta, (1024,), tw, tw)}, bytes=8 * n)
    layer_norm_backward, epsilon = wf._core.op("nn.layer_norm.vjp"), wf.tensor(1e-5, dtype=wf.float64)
    _, mean, rstd = torch.ops.aten.native_layer_norm(ta, (1024,), tw, tw, 1e-5)
    backward = torch.ops.aten.native_layer_norm_backward
    yield Row("layer_norm backward",
              {"weft": lambda: layer_norm_backward(wa, wg, ww, epsilon),
               "torch": lambda: backward(tg, ta, (1024,), mean, rstd, tw, tw, (True, True, True))}, bytes=12 * n)


def matmul_rows(wf, torch, np):
    rng = np.random.default_rng(3)

    def pair(m, k, n, form):
        a = rng.random((m, k), dtype=np.float32) if form[0] == "N" else rng.random((k, m), dtype=np.float32).T
        b = rng.random((k, n), dtype=np.float32) if form[1] == "N" else rng.random((n, k), dtype=np.float32).T
        wa = wf.asarray(a) if form[0] == "N" else wf.asarray(np.ascontiguousarray(a.T)).T
        wb = wf.asarray(b) if form[1] == "N" else wf.asarray(np.ascontiguousarray(b.T)).T
        out = torch.empty((m, n))
        ta, tb = torch.from_numpy(a), torch.from_numpy(b)
        return {"weft": lambda: wf.matmul(wa, wb), "torch": lambda: torch.matmul(ta, tb, out=out)}

    for n in (16, 32, 64, 128, 256, 512, 1024, 2048):
        for form in ("NN", "NT", "TN"):
            yield Row(f"matmul {form} {n}", pair(n, n, n, form), flops=2 * n**3)
    yield Row("matmul NN 512x768x3072", pair(512, 768, 3072, "NN"), flops=2 * 512 * 768 * 3072)
    yield Row("matmul NT 512x768x3072", pair(512, 768, 3072, "NT"), flops=2 * 512 * 768 * 3072)
    yield Row("matmul TN 768x512x3072 (dW)", pair(768, 512, 3072, "TN"), flops=2 * 512 * 768 * 3072)
    for m in (1, 8):
        for form in ("NN", "NT"):
            yield Row(f"matmul {form} M={m} 768x3072", pair(m, 768, 3072, form), flops=2 * m * 768 * 3072)
            yield Row(f"matmul {form} M={m} 4096x4096", pair(m, 4096, 4096, form), flops=2 * m * 4096 * 4096)
    a, b = rng.random((96, 128, 64), dtype=np.float32), rng.random((96, 64, 128), dtype=np.float32)
    wa, wb, ta, tb = wf.asarray(a), wf.asarray(b), torch.from_numpy(a), torch.from_numpy(b)
    out = torch.empty((96, 128, 128))
    yield Row("matmul batched 96x[128x64x128]", {"weft": lambda: wf.matmul(wa, wb),
                                                 "torch": lambda: torch.matmul(ta, tb, out=out)},
              flops=2 * 96 * 128 * 64 * 128)


def sort_rows(wf, torch, np):
    """Values alone are what sort gives here; PyTorch always gives the indices too, which argsort is compared with."""
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(1024, 4096)).astype(np.float32), rng.normal(size=(16, 50000)).astype(np.float32)
    wa, ta, wb, tb = wf.asarray(a), torch.from_numpy(a), wf.asarray(b), torch.from_numpy(b)
    values, indices = torch.empty_like(ta), torch.empty(ta.shape, dtype=torch.int64)
    torch_sort = lambda: torch.sort(ta, dim=-1, out=(values, indices))  # noqa: E731
    yield Row("sort [1024,4096]", {"weft": lambda: wf.sort(wa), "torch": torch_sort})
    yield Row("argsort [1024,4096]", {"weft": lambda: wf.argsort(wa), "torch": torch_sort})
    yield Row("topk 10 of [16,50000]", {"weft": lambda: wf.topk(wb, 10), "torch": lambda: torch.topk(tb, 10)})
    for axis in (0, 1):
        yield Row(f"cumulative_sum axis {axis} [1024,4096]",
                  {"weft": lambda k=axis: wf.cumulative_sum(wa, axis=k),
                   "torch": lambda k=axis: torch.cumsum(ta, k, out=values)}, bytes=8 * a.size)
    large = rng.normal(size=(4096, 4096)).astype(np.float32)
    wl, tl = wf.asarray(large), torch.from_numpy(large)
    sums = torch.empty_like(tl)
    for axis in (0, 1):
        yield Row(f"cumulative_sum axis {axis} [4096,4096]",
                  {"weft": lambda k=axis: wf.cumulative_sum(wl, axis=k),
                   "torch": lambda k=axis: torch.cumsum(tl, k, out=sums)}, bytes=8 * large.size)


def overhead_rows(wf, torch, np):
    a = np.ones(64, np.float32)
    wa, ta = wf.asarray(a), torch.from_numpy(a)
    yield Row("add f32[64], a + b", {"weft": lambda: wa + wa, "torch": lambda: ta + ta})
    yield Row("add f32[64], add(a, b)", {"weft": lambda f=wf.add: f(wa, wa), "torch": lambda f=torch.add: f(ta, ta)})


def add_jax(rows: list[Row], np) -> None:
    """JAX, jitted, for the rows that have an equal there; it chooses its threads itself."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return
    rng = np.random.default_rng(0)
    fns = {"add": lambda x: x + x, "exp": jnp.exp, "tanh": jnp.tanh, "log": jnp.log,
           "gelu": lambda x: jax.nn.gelu(x, approximate=False)}
    for row in rows:
        word, _, label = row.name.partition(" ")
        if word in fns and label in SIZES:
            x = jnp.asarray(rng.random(SIZES[label], dtype=np.float32) + 0.5)
            compiled = jax.jit(fns[word])
            row.runs["jax"] = lambda f=compiled, x=x: f(x).block_until_ready()


FAMILIES = (overhead_rows, elementwise_rows, reduction_rows, row_rows, sort_rows, matmul_rows)
