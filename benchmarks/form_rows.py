"""Rows of single ops that users found slow, and of two equivalent forms of one computation that should take equally long.

In the rows of forms the other form stands where a peer would: "27 % slower" reads 0.79 there.
"""

from __future__ import annotations

from rows import Row


def op_rows(wf, torch, np):
    rng = np.random.default_rng(11)

    def floats(*shape):
        a = rng.standard_normal(shape, dtype=np.float32)
        return wf.asarray(a), torch.from_numpy(a)

    for n in (99_991, 1_000_003):
        a = (rng.standard_normal(n) + 1j * rng.standard_normal(n)).astype(np.complex64)
        wa, ta = wf.asarray(a), torch.from_numpy(a)
        yield Row(f"fft of prime length {n}", {"weft": lambda x=wa: wf.fft.fft(x), "torch": lambda x=ta: torch.fft.fft(x)})
    (wa, ta), (wb, tb) = floats(10**6), floats(10**6)
    yield Row("dot 10^6", {"weft": lambda x=wa, y=wb: wf.vecdot(x, y), "torch": lambda x=ta, y=tb: torch.dot(x, y)})
    yield Row("x @ y 10^6", {"weft": lambda x=wa, y=wb: x @ y, "torch": lambda x=ta, y=tb: x @ y})
    yield Row("eye 4000", {"weft": lambda: wf.eye(4000), "torch": lambda: torch.eye(4000)})
    yield Row("eye 30000", {"weft": lambda: wf.eye(30000), "torch": lambda: torch.eye(30000)})
    yield from segment_rows(wf, torch, np, rng)
    wx, tx = floats(8, 64, 56, 56)
    interpolate = torch.nn.functional.interpolate
    for mode in ("bilinear", "nearest"):
        yield Row(f"interpolate {mode} x2 [8, 64, 56, 56]",
                  {"weft": lambda m=mode: wf.nn.interpolate(wx, scale_factor=2, mode=m),
                   "torch": lambda m=mode: interpolate(tx, scale_factor=2, mode=m)})
    key = wf.random.Key(0)
    yield Row("permutation 10^6", {"weft": lambda: wf.random.permutation(key, 10**6), "torch": lambda: torch.randperm(10**6)})
    (wx, tx), (wv, tv) = floats(1000, 1000), floats(1000, 1000)
    places = rng.integers(0, 1000, (1000, 1000))
    wi, ti = wf.asarray(places), torch.from_numpy(places)
    for axis in (0, 1):
        yield Row(f"put_along_axis {axis} [1000, 1000]",
                  {"weft": lambda k=axis: wf.put_along_axis(wx, wi, wv, axis=k),
                   "torch": lambda k=axis: torch.scatter(tx, k, ti, tv)})
    for n, columns in ((64, 1), (512, 1), (512, 512), (1500, 64)):
        a = np.tril(rng.standard_normal((n, n), dtype=np.float32)) + n * np.eye(n, dtype=np.float32)
        b = rng.standard_normal((n, columns), dtype=np.float32)
        wa, wb, ta, tb = wf.asarray(a), wf.asarray(b), torch.from_numpy(a), torch.from_numpy(b)
        yield Row(f"solve_triangular {n}, {columns} columns",
                  {"weft": lambda a=wa, b=wb: wf.linalg.solve_triangular(a, b),
                   "torch": lambda a=ta, b=tb: torch.linalg.solve_triangular(a, b, upper=False)})
    for rows, columns in ((1000, 3), (1000, 64), (2000, 256)):
        (wx, tx), (wy, ty) = floats(rows, columns), floats(rows, columns)
        yield Row(f"cdist {rows} x {rows} of {columns}", {"weft": lambda x=wx, y=wy: wf.nn.cdist(x, y),
                                                          "torch": lambda x=tx, y=ty: torch.cdist(x, y)})
    wx, tx = floats(1 << 20)
    for name in ("sin", "cos", "erfc"):
        yield Row(f"{name} 1M", {"weft": lambda f=getattr(wf, name): f(wx), "torch": lambda f=getattr(torch, name): f(tx)})


def segment_rows(wf, torch, np, rng):
    for rows, segments in ((1, 10**7), (10**6, 10**6), (10**6, 100)):
        ids, data = rng.integers(0, segments, rows), rng.standard_normal(rows, dtype=np.float32)
        wi, wd, ti, td = wf.asarray(ids), wf.asarray(data), torch.from_numpy(ids), torch.from_numpy(data)

        def torch_min(n=segments, i=ti, d=td):
            return torch.full((n,), float("inf")).scatter_reduce(0, i, d, "amin")

        def torch_sum(n=segments, i=ti, d=td):
            return torch.zeros(n).index_add(0, i, d)

        yield Row(f"segment_min {rows} rows, {segments} segments",
                  {"weft": lambda n=segments, i=wi, d=wd: wf.segment_min(d, i, n), "torch": torch_min})
        yield Row(f"segment_sum {rows} rows, {segments} segments",
                  {"weft": lambda n=segments, i=wi, d=wd: wf.segment_sum(d, i, n), "torch": torch_sum})


def form_rows(wf, torch, np):
    """`weft` is the form that users write, `torch` the faster of the two equivalent forms."""
    rng = np.random.default_rng(12)
    sizes = (16, 64, 64, 8)
    weights = [rng.standard_normal((a, b), dtype=np.float32) * 0.1 for a, b in zip(sizes, sizes[1:])]
    biases = [np.zeros(b, np.float32) for b in sizes[1:]]
    for batch in (1, 32):
        x = wf.asarray(rng.standard_normal((batch, 16), dtype=np.float32))
        ws, bs = [wf.asarray(w) for w in weights], [wf.asarray(b) for b in biases]
        turned = [wf.asarray(np.ascontiguousarray(w.T)) for w in weights]

        def plain(x, ws=ws, bs=bs):
            for w, b in zip(ws, bs):
                x = wf.relu(x @ w + b)
            return x

        def linear(x, ws=turned, bs=bs):
            for w, b in zip(ws, bs):
                x = wf.relu(wf.nn.linear(x, w, b))
            return x

        yield Row(f"MLP by linear of x @ w + b, batch {batch}", {"weft": lambda f=linear, x=x: f(x), "torch": lambda f=plain, x=x: f(x)})
        fl, fp = wf.function(linear), wf.function(plain)
        yield Row(f"the same traced, batch {batch}", {"weft": lambda f=fl, x=x: f(x), "torch": lambda f=fp, x=x: f(x)})
        vs, vb = [wf.Variable(w) for w in weights], [wf.Variable(b) for b in biases]
        held = wf.function(lambda x, vs=vs, vb=vb: plain(x, vs, vb))
        yield Row(f"traced with Variables of tensors, batch {batch}", {"weft": lambda f=held, x=x: f(x), "torch": lambda f=fp, x=x: f(x)})
    yield from update_rows(wf, np, rng)


def update_rows(wf, np, rng):
    shapes = [(64, 64), (64,)] * 20
    gradients = [wf.asarray(rng.standard_normal(s, dtype=np.float32)) for s in shapes]

    def made():
        variables = [wf.Variable(np.zeros(s, np.float32)) for s in shapes]
        return variables, wf.optim.Adam(variables, lr=1e-3)

    variables, eager = made()
    for v, g in zip(variables, gradients):
        v.grad = g
    traced_variables, optimizer = made()
    traced = wf.function(lambda gs: optimizer.apply_gradients(zip(gs, traced_variables)))
    yield Row("Adam: traced apply_gradients of eager step, 40 tensors",
              {"weft": lambda: traced(gradients), "torch": lambda: eager.step()})


FAMILIES = (op_rows, form_rows)
