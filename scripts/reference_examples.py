"""An example for each op of the reference: made from its signature where that is enough, else written here."""

# Lines of Python; the last one is an expression whose result is shown.
WRITTEN = {
    "topk": ["wf.topk(wf.tensor([1.0, 4.0, 2.0, 3.0]), 2)"],
    "searchsorted": ["wf.searchsorted(wf.tensor([1, 2, 2, 4]), wf.tensor([2, 3]), side='right')"],
    "quantile": ["wf.quantile(wf.tensor([1.0, 2.0, 3.0, 4.0]), 0.25)"],
    "cummax": ["wf.cummax(wf.tensor([1, 3, 2, 5]), axis=0)"],
    "cummin": ["wf.cummin(wf.tensor([4, 3, 5, 1]), axis=0)"],
    "logcumsumexp": ["wf.logcumsumexp(wf.tensor([0.0, 0.0, 0.0]), axis=0)"],
    "diff": ["wf.diff(wf.tensor([1, 4, 9, 16]))"],
    "bincount": ["wf.bincount(wf.tensor([0, 2, 2, 1]))"],
    **{f"segment_{how}": [f"wf.segment_{how}(wf.tensor([1.0, 2.0, 3.0, 4.0]), wf.tensor([1, 0, 1, 1]), num_segments=2)"]
       for how in ("sum", "prod", "max", "min", "mean")},
    **{f"random.{name}": [f"wf.random.{name}(wf.random.Key(0), (2,))"]
       for name in ("exponential", "gumbel", "laplace", "logistic", "cauchy", "rademacher")},
    **{f"random.{name}": [f"wf.random.{name}(wf.random.Key(0), (2, 2))"]
       for name in ("glorot_uniform", "glorot_normal", "he_uniform", "he_normal", "lecun_uniform", "lecun_normal",
                    "variance_scaling", "orthogonal")},
    "random.gamma": ["wf.random.gamma(wf.random.Key(0), wf.tensor([0.5, 4.0]))"],
    "random.beta": ["wf.random.beta(wf.random.Key(0), wf.tensor([0.5, 4.0]), 2.0)"],
    "random.dirichlet": ["wf.random.dirichlet(wf.random.Key(0), wf.tensor([1.0, 2.0, 3.0]))"],
    "random.poisson": ["wf.random.poisson(wf.random.Key(0), wf.tensor([0.5, 40.0]))"],
    "random.binomial": ["wf.random.binomial(wf.random.Key(0), 10, wf.tensor([0.1, 0.9]))"],
    "random.truncated_normal": ["wf.random.truncated_normal(wf.random.Key(0), -1.0, 1.0, shape=(3,))"],
    "random.categorical": ["wf.random.categorical(wf.random.Key(0), wf.tensor([0.0, 1.0, 2.0]), shape=(4,))"],
    "random.choice": ["wf.random.choice(wf.random.Key(0), wf.tensor([10, 20, 30]), shape=(2,), replace=False)"],
    "random.shuffle": ["wf.random.shuffle(wf.random.Key(0), wf.tensor([1, 2, 3, 4]))"],
    "arange": ["wf.arange(0, 10, 3)"],
    "broadcast_to": ["wf.broadcast_to(wf.tensor([1.0, 2.0]), (2, 2))"],
    "cast": ["wf.cast(wf.tensor([1.7, -1.7]), wf.int32)"],
    "concat": ["wf.concat([wf.tensor([1, 2]), wf.tensor([3])])"],
    "clip": ["wf.clip(wf.tensor([-2.0, 0.5, 3.0]), -1.0, 1.0)"],
    "expand_dims": ["wf.expand_dims(wf.tensor([1.0, 2.0]), axis=0)"],
    "eye": ["wf.eye(2)"],
    "flip": ["wf.flip(wf.tensor([1, 2, 3]))"],
    "full": ["wf.full((2,), 0.5)"],
    "gather": ["wf.gather(wf.tensor([[1.0, 2.0], [3.0, 4.0]]), wf.tensor([[1], [0]]), axis=1)"],
    "linspace": ["wf.linspace(0, 1, 5)"],
    "matmul": ["wf.matmul(wf.tensor([[1.0, 2.0], [3.0, 4.0]]), wf.tensor([1.0, -1.0]))"],
    "one_hot": ["wf.one_hot(wf.tensor([0, 2]), 3)"],
    "permute_dims": ["wf.permute_dims(wf.tensor([[1, 2, 3], [4, 5, 6]]), (1, 0))"],
    "reshape": ["wf.reshape(wf.arange(6), (2, 3))"],
    "nn.cross_entropy": ["logits = wf.tensor([[2.0, 0.0, -1.0], [0.0, 1.0, 0.0]])",
                         "wf.nn.cross_entropy(logits, wf.tensor([0, 2]), reduction='none')"],
    "nn.nll_loss": ["logits = wf.tensor([[2.0, 0.0], [0.0, 1.0]])",
                    "wf.nn.nll_loss(wf.log_softmax(logits), wf.tensor([0, 1]))"],
    "nn.layer_norm": ["wf.nn.layer_norm(wf.tensor([[1.0, 2.0, 3.0]]))"],
    "polygamma": ["wf.polygamma(wf.tensor([0.5, 1.0, 2.0]), 1)"],
    "nn.glu": ["wf.nn.glu(wf.tensor([1.0, 2.0, 0.0, -1.0]))"],
    "nn.swiglu": ["wf.nn.swiglu(wf.tensor([1.0, 2.0, 0.0, -1.0]))"],
    "nn.prelu": ["wf.nn.prelu(wf.tensor([[1.0, -2.0]]), wf.tensor([0.1, 0.25]))"],
    "nn.threshold": ["wf.nn.threshold(wf.tensor([0.5, 2.0]), 1.0, 0.0)"],
    "nn.binary_cross_entropy": ["wf.nn.binary_cross_entropy(wf.tensor([0.9, 0.2]), wf.tensor([1.0, 0.0]))"],
    "nn.binary_cross_entropy_with_logits": [
        "wf.nn.binary_cross_entropy_with_logits(wf.tensor([2.0, -1.0]), wf.tensor([1.0, 0.0]))"],
    "nn.hinge_loss": ["wf.nn.hinge_loss(wf.tensor([0.5, -2.0]), wf.tensor([1.0, -1.0]), reduction='none')"],
    "nn.kl_div": ["p, q = wf.tensor([0.5, 0.5]), wf.tensor([0.25, 0.75])",
                  "wf.nn.kl_div(wf.log(q), p, reduction='sum')"],
    "nn.cosine_embedding_loss": ["a, b = wf.tensor([[1.0, 0.0], [1.0, 1.0]]), wf.tensor([[1.0, 1.0], [1.0, 1.0]])",
                                 "wf.nn.cosine_embedding_loss(a, b, wf.tensor([1, -1]), reduction='none')"],
    "ones": ["wf.ones((2, 2))"],
    "zeros": ["wf.zeros(3)"],
    "empty": ["wf.empty((2, 3)).shape"],
    "empty_like": ["wf.empty_like(wf.ones((2, 3))).shape"],
    "full_like": ["wf.full_like(wf.tensor([1.0, 2.0]), 7)"],
    "squeeze": ["wf.squeeze(wf.ones((1, 2)), axis=0)"],
    "take": ["wf.take(wf.tensor([10, 20, 30]), wf.tensor([2, 0]))"],
    "linear_recurrence": ["wf.linear_recurrence(wf.tensor([0.5, 0.5, 0.5]), wf.tensor([1.0, 1.0, 1.0]), axis=0)"],
    "pad": ["wf.pad(wf.tensor([1, 2]), [1], [2])"],
    "scatter_add": ["wf.scatter_add(wf.zeros(3), wf.tensor([2, 0, 2]), wf.tensor([1.0, 2.0, 3.0]), axis=0)"],
    "slice": ["x = wf.tensor([[1, 2, 3], [4, 5, 6]])", "x[:, ::2]"],
    "slice_update": ["x = wf.tensor([1.0, 2.0, 3.0])", "x.at[1:].set(0.0)"],
    "split": ["wf.split(wf.tensor([1, 2, 3]), [1, 2])"],
    "linalg.solve": ["wf.linalg.solve(wf.tensor([[2.0, 1.0], [1.0, 3.0]]), wf.tensor([3.0, 5.0]))"],
    "linalg.solve_triangular": [
        "wf.linalg.solve_triangular(wf.tensor([[2.0, 0.0], [1.0, 4.0]]), wf.tensor([[2.0], [5.0]]))"],
    "cross": ["wf.cross(wf.tensor([1.0, 0.0, 0.0]), wf.tensor([0.0, 1.0, 0.0]))"],
    "outer": ["wf.outer(wf.tensor([1.0, 2.0]), wf.tensor([3.0, 4.0, 5.0]))"],
    "linalg.matrix_norm": ["wf.linalg.matrix_norm(wf.tensor([[3.0, 0.0], [0.0, 4.0]]), ord='nuc')"],
    "linalg.matrix_power": ["wf.linalg.matrix_power(wf.tensor([[1.0, 1.0], [1.0, 0.0]]), 10)"],
    "fft.c2r": ["wf.fft.c2r(wf.tensor([6.0, -2.0, -2.0]), n=4, scale=0.25)"],
    "fft.fft2": ["wf.fft.fft2(wf.tensor([[1.0, 2.0], [3.0, 4.0]]))"],
    "fft.ifft2": ["wf.fft.ifft2(wf.tensor([[10.0, -2.0], [-4.0, 0.0]]))"],
    "fft.rfft2": ["wf.fft.rfft2(wf.tensor([[1.0, 2.0], [3.0, 4.0]]))"],
    "fft.irfft2": ["wf.fft.irfft2(wf.tensor([[10.0, -2.0], [-4.0, 0.0]]))"],
    "fft.fftfreq": ["wf.fft.fftfreq(5)"],
    "fft.rfftfreq": ["wf.fft.rfftfreq(5)"],
    "nn.conv": ["x = wf.tensor([[[1.0], [2.0], [3.0]]])  # [batch, space, channels]",
                "wf.nn.conv(x, wf.tensor([[[1.0]], [[-1.0]]]))"],
    "nn.conv1d": ["x = wf.tensor([[[1.0, 2.0, 4.0, 8.0]]])", "wf.nn.conv1d(x, wf.tensor([[[-1.0, 1.0]]]))"],
    "nn.conv2d": ["x = wf.reshape(wf.arange(9.0), (1, 1, 3, 3))", "wf.nn.conv2d(x, wf.ones((1, 1, 2, 2)), stride=1)"],
    "nn.conv3d": ["wf.nn.conv3d(wf.ones((1, 1, 2, 2, 3)), wf.ones((1, 1, 2, 2, 2)))"],
    "nn.conv_transpose1d": ["wf.nn.conv_transpose1d(wf.tensor([[[1.0, 2.0]]]), wf.ones((1, 1, 2)), stride=2)"],
    "nn.conv_transpose2d": ["wf.nn.conv_transpose2d(wf.ones((1, 1, 1, 2)), wf.ones((1, 1, 2, 2)))"],
    "nn.conv_transpose3d": ["wf.nn.conv_transpose3d(wf.ones((1, 1, 1, 1, 2)), wf.ones((1, 1, 1, 1, 2)))"],
    "random.normal": ["wf.random.normal(wf.random.Key(0), (3,))"],
    "random.permutation": ["wf.random.permutation(wf.random.Key(0), 5)"],
    "random.randint": ["wf.random.randint(wf.random.Key(0), 0, 10, (4,))"],
    "random.uniform": ["wf.random.uniform(wf.random.Key(0), (3,))"],
    "index_at": ["x = wf.reshape(wf.arange(12), (3, 4))", "x[wf.tensor([0, 2]), wf.tensor([1, 3])]"],
    "set_at": ["wf.zeros(3).at[wf.tensor([0, 2, 0])].set(wf.tensor([1.0, 2.0, 3.0]))"],
    "add_at": ["wf.zeros(3).at[wf.tensor([0, 2, 0])].add(wf.tensor([1.0, 2.0, 3.0]))"],
    "multiply_at": ["wf.ones(3).at[wf.tensor([0, 2, 0])].multiply(wf.tensor([2.0, 3.0, 4.0]))"],
    "min_at": ["wf.ones(3).at[wf.tensor([0, 2, 0])].min(wf.tensor([2.0, 0.5, -1.0]))"],
    "max_at": ["wf.ones(3).at[wf.tensor([0, 2, 0])].max(wf.tensor([2.0, 0.5, 4.0]))"],
    "argwhere": ["wf.argwhere(wf.tensor([[0, 1], [2, 0]]))"],
    "nonzero": ["x = wf.tensor([[0, 1], [2, 0]])", "x[wf.nonzero(x)]"],
    "count_nonzero": ["wf.count_nonzero(wf.tensor([[0, 1], [2, 3]]), axis=1)"],
    "masked_fill": ["x = wf.tensor([1.0, -2.0, 3.0])", "wf.masked_fill(x, x < 0, 0.0)"],
    "masked_select": ["x = wf.tensor([1.0, -2.0, 3.0])", "wf.masked_select(x, x > 0)"],
    "moveaxis": ["wf.moveaxis(wf.ones((2, 3, 4)), 0, -1).shape"],
    "swapaxes": ["wf.swapaxes(wf.tensor([[1, 2, 3], [4, 5, 6]]), 0, 1)"],
    "roll": ["wf.roll(wf.tensor([1, 2, 3, 4]), 1, axis=0)"],
    "rot90": ["wf.rot90(wf.tensor([[1, 2], [3, 4]]))"],
    "tile": ["wf.tile(wf.tensor([1, 2]), (2, 2))"],
    "repeat": ["wf.repeat(wf.tensor([1, 2, 3]), wf.tensor([2, 0, 1]))"],
    "unstack": ["wf.unstack(wf.tensor([[1, 2], [3, 4]]))"],
    "broadcast_arrays": ["[x.shape for x in wf.broadcast_arrays(wf.ones(3), wf.ones((2, 1)))]"],
    "meshgrid": ["wf.meshgrid(wf.tensor([1, 2]), wf.tensor([3, 4, 5]))[0]"],
    "tril": ["wf.tril(wf.ones((3, 3)))"],
    "triu": ["wf.triu(wf.ones((3, 3)), k=1)"],
    "diag": ["wf.diag(wf.tensor([1, 2]))"],
    "diag_embed": ["wf.diag_embed(wf.tensor([[1, 2], [3, 4]]))[1]"],
    "diff": ["wf.diff(wf.tensor([1, 4, 9, 16]))"],
    "einsum": ["a, b = wf.reshape(wf.arange(6.0), (2, 3)), wf.ones((3, 2))", "wf.einsum('ij,jk->ik', a, b)"],
    "take_along_axis": ["wf.take_along_axis(wf.tensor([[10, 30, 20]]), wf.tensor([[1, 2, 0]]))"],
    "put_along_axis": ["wf.put_along_axis(wf.zeros((2, 3)), wf.tensor([[1], [2]]), 5.0)"],
    "index_select": ["wf.index_select(wf.tensor([[1, 2], [3, 4]]), wf.tensor([1, 1]), axis=0)"],
    "gather_nd": ["wf.gather_nd(wf.tensor([[1, 2], [3, 4]]), wf.tensor([[0, 1], [1, 0]]))"],
    "scatter_nd": ["wf.scatter_nd(wf.tensor([5.0, 6.0]), wf.tensor([[3], [1]]), (4,))"],
    "nn.pixel_shuffle": ["wf.nn.pixel_shuffle(wf.reshape(wf.arange(4), (4, 1, 1)), 2)"],
    "nn.pixel_unshuffle": ["wf.nn.pixel_unshuffle(wf.reshape(wf.arange(4), (1, 2, 2)), 2)"],
    "nn.depth_to_space": ["wf.nn.depth_to_space(wf.reshape(wf.arange(4), (1, 1, 4)), 2)"],
    "nn.space_to_depth": ["wf.nn.space_to_depth(wf.reshape(wf.arange(4), (2, 2, 1)), 2)"],
    "nn.unfold": ["wf.nn.unfold(wf.reshape(wf.arange(6), (1, 2, 3)), 2)"],
    "nn.fold": ["wf.nn.fold(wf.ones((4, 2)), (2, 3), 2)"],
    "where": ["wf.where(wf.tensor([True, False]), wf.tensor([1.0, 2.0]), 0.0)"],
}

_VALUES = {
    "floating": ["[0.5, -1.0, 2.0]", "[2.0, 0.25, -1.0]", "[1.0, 3.0, 0.5]", "[0.25, 0.5, 0.75]"],
    "integer": ["[6, 3, 10]", "[2, 1, 4]", "[1, 0, 2]"],
    "boolean": ["[True, False, True]", "[True, True, False]", "[False, False, True]"],
}
_MATRIX = "wf.tensor([[4.0, 2.0], [2.0, 3.0]])"
_CLASSES = {"bits": "integer", "integer": "integer", "boolean": "boolean"}


def lines_for(full, entry):
    """The lines of the example of an op."""
    if full in WRITTEN:
        return WRITTEN[full]
    given, classes = [], {}
    for argument in entry["inputs"]:
        if argument["optional"]:
            continue
        kind = argument["class"].removeprefix("like ")
        kind = classes.setdefault(argument["name"], classes.get(kind, _CLASSES.get(kind, "floating")))
        if argument["class"] == "key":
            given.append("wf.random.Key(0)")
            continue
        values = _VALUES[kind]
        of_vectors = entry["family"] != "linalg"
        tensor = f"wf.tensor({values[len(given) % len(values)]})" if of_vectors else _MATRIX
        given.append(f"[{tensor}, {tensor}]" if argument["variadic"] else tensor)
    return [f"wf.{full}({', '.join(given)})"]
