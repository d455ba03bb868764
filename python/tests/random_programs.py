"""Random small programs: lists of instructions that any of the backends of peer_backends.py can interpret.

A program has control flow of the host language (branches, loops and recursion decided by values), broadcasting,
reductions, indexing and matrix products. It prints as the Python it stands for, so that a failure can be read.
"""

import random

UNARY = ("tanh", "sigmoid", "sin", "cos", "exp", "expm1", "square", "abs", "relu", "gelu", "erf", "negative", "log_of",
         "log1p_of", "sqrt_of", "rsqrt_of", "reciprocal_of", "clip", "cube")
BINARY = ("add", "subtract", "multiply", "divide_by", "maximum", "minimum", "choose", "pow_of", "atan2_of", "logaddexp")
REDUCTIONS = ("sum", "mean", "max", "min", "prod", "logsumexp", "var", "std", "norm")
ROWS = ("softmax", "log_softmax", "layer_norm", "cumulative_sum", "cumulative_prod")
SHAPES = ((), (3,), (3, 3))  # few, for JAX compiles every op for every shape
BOUND = 6.0  # values beyond it are not used: differences between libraries would be those of conditioning


class Step:
    """`v[target] = op(args, **attrs)`, or control flow around ops."""

    def __init__(self, kind, ops, args, **attrs):
        self.kind, self.ops, self.args, self.attrs = kind, ops, args, attrs

    def run(self, b, values):
        x = [values[i] for i in self.args]
        a = self.attrs
        if self.kind == "call":
            return getattr(b, self.ops[0])(*x, **a)
        f = getattr(b, self.ops[0])
        if self.kind == "if":
            return f(*x) if b.number(b.sum(x[0])) > a["limit"] else getattr(b, self.ops[1])(*x)
        if self.kind == "while":
            y, count = x[0], 0
            while b.number(b.sum(y * y)) > a["limit"] and count < a["times"]:
                y, count = f(y) * 0.75, count + 1
            return y

        def descend(y, depth):
            if depth == 0 or b.number(b.sum(y)) > a["limit"]:
                return y
            return f(descend(y * 0.5 + 0.25, depth - 1)) + y

        return descend(x[0], a["times"])

    def __str__(self):
        args = ", ".join(f"v{i}" for i in self.args)
        a = self.attrs
        if self.kind == "call":
            return f"{self.ops[0]}({args}{''.join(f', {key}={value!r}' for key, value in a.items())})"
        first = f"v{self.args[0]}"
        if self.kind == "if":
            return f"{self.ops[0]}({args}) if sum({first}) > {a['limit']:.6f} else {self.ops[1]}({args})"
        if self.kind == "while":
            return (f"{first}; while sum(v * v) > {a['limit']:.6f}, at most {a['times']} times: "
                    f"v = {self.ops[0]}(v) * 0.75")
        return (f"descend({first}, {a['times']}) where descend(v, n) is v if n == 0 or sum(v) > {a['limit']:.6f} "
                f"else {self.ops[0]}(descend(v * 0.5 + 0.25, n - 1)) + v")


class Program:
    """Inputs by shape, steps, and the values that nothing uses: their means make the loss."""

    def __init__(self, seed, shapes):
        self.seed, self.shapes, self.steps = seed, shapes, []

    def loss(self, b, *inputs):
        values, used = list(inputs), set()
        for step in self.steps:
            values.append(step.run(b, values))
            used.update(step.args)
        out = 0.0
        for i, value in enumerate(values):
            if i not in used:
                out = out + b.mean(value)
        return out

    def __str__(self):
        lines = [f"program {self.seed}: " + ", ".join(f"v{i}: {list(s)}" for i, s in enumerate(self.shapes))]
        lines += [f"  v{len(self.shapes) + i} = {step}" for i, step in enumerate(self.steps)]
        return "\n".join(lines)


def inputs_of(program, numpy):
    """Values and a direction for each input, in float64."""
    rng = numpy.random.default_rng(program.seed)
    draw = lambda low, high: [rng.uniform(low, high, shape) for shape in program.shapes]  # noqa: E731
    return draw(-1.5, 1.5), draw(-1.0, 1.0)


def _broadcasts(a, b):
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a), reversed(b)))


def _pick(rng, values, fits):
    found = [i for i, v in enumerate(values) if fits(tuple(v.shape))]
    # Late values more often than early ones, so that programs are deep.
    return found[max(rng.randrange(len(found)), rng.randrange(len(found)))] if found else None


def _unary_step(rng, values):
    return Step("call", (rng.choice(UNARY),), (_pick(rng, values, lambda s: True),))


def _binary_step(rng, values):
    a = _pick(rng, values, lambda s: True)
    b = _pick(rng, values, lambda s: _broadcasts(s, tuple(values[a].shape)))
    return Step("call", (rng.choice(BINARY),), (a, b))


def _reduction_step(rng, values):
    a = _pick(rng, values, lambda s: len(s) > 0)
    if a is None:
        return None
    axis = rng.randrange(len(values[a].shape))
    return Step("call", (rng.choice(REDUCTIONS),), (a,), axis=axis, keepdims=rng.random() < 0.5)


def _row_step(rng, values):
    a = _pick(rng, values, lambda s: len(s) > 0)
    return None if a is None else Step("call", (rng.choice(ROWS),), (a,))


def _matmul_step(rng, values):
    a = _pick(rng, values, lambda s: len(s) > 0)
    if a is None:
        return None
    inner = values[a].shape[-1]
    b = _pick(rng, values, lambda s: len(s) > 0 and s[-2 if len(s) > 1 else 0] == inner)
    return None if b is None else Step("call", ("matmul",), (a, b))


def _shape_step(rng, values):
    a = _pick(rng, values, lambda s: len(s) > 0)
    if a is None:
        return None
    rank, size = len(values[a].shape), values[a].shape[-1]
    choice = rng.choice(("transpose", "flatten", "flip", "expand", "first", "tail", "take", "concat", "stack", "spread"))
    if choice == "take":
        indices = tuple(rng.randrange(size) for _ in range(3))
        return Step("call", ("take",), (a,), indices=indices)
    if choice in ("concat", "stack"):
        b = _pick(rng, values, lambda s: s == tuple(values[a].shape))
        return Step("call", (choice,), (a, b))
    if choice in ("expand", "spread") and rank > 2:
        return None
    return Step("call", (choice,), (a,))


def _control_step(rng, values):
    kind = rng.choice(("if", "while", "recurse"))
    smooth = ("tanh", "sin", "sigmoid", "sqrt_of", "log_of")
    a = _pick(rng, values, lambda s: True)
    if kind == "if":
        return Step("if", tuple(rng.sample(UNARY, 2)), (a,), limit=rng.uniform(-1, 1))
    return Step(kind, (rng.choice(smooth),), (a,), limit=rng.uniform(0.1, 2.0), times=rng.randrange(1, 4))


_MAKERS = (_unary_step, _unary_step, _binary_step, _binary_step, _reduction_step, _row_step, _matmul_step, _shape_step,
           _control_step)


def make_program(seed, backend, numpy):
    """The program of that seed. `backend` runs it as it grows: a step whose values leave the range is made anew."""
    rng = random.Random(seed)
    program = Program(seed, [rng.choice(SHAPES) for _ in range(rng.randrange(2, 4))])
    values = [backend.array(x) for x in inputs_of(program, numpy)[0]]
    length = rng.randrange(5, 12)
    while len(program.steps) < length:
        step = rng.choice(_MAKERS)(rng, values)
        if step is None:
            continue
        value = step.run(backend, values)
        plain = numpy.asarray(backend.numpy(value))
        if plain.size == 0 or plain.size > 36 or not numpy.all(numpy.abs(plain) < BOUND):
            continue
        if step.ops[0] in ("norm", "std") and not numpy.all(plain):
            continue  # a kink, where the libraries have conventions of their own; test_kinks.py has ours
        program.steps.append(step)
        values.append(value)
    return program
