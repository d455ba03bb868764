"""Runs an entry of a table in Weft, PyTorch and JAX: outputs, and gradients by cotangents."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy
import torch
import weft as wf
from vocabulary import COMPLEX, Input

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_disable_most_optimizations", True)  # what is compiled runs once
torch.set_num_threads(1)

# How far results may be apart, relative to the element or the root mean square, if that is more.
TOLERANCE = {"float64": 1e-12, "complex128": 1e-12, "float32": 4e-6, "complex64": 4e-6,
    "float16": 4e-3, "bfloat16": 3e-2}
# JAX compiles everything anew for a dtype: it is compared where rounding hides least.
JAX_DTYPES = ("float64", "complex128")
JAX_CALLS = {"float64": 3, "complex128": 1}  # how many calls of an entry it sees, unless all


def leaves_of(tree):
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in leaves_of(part)]
    return [tree]


def replaced(tree, replacement):
    """The tree with its inputs replaced, in order."""
    if isinstance(tree, Input):
        return next(replacement)
    if isinstance(tree, (list, tuple)):
        return type(tree)(replaced(part, replacement) for part in tree)
    return tree


@dataclasses.dataclass
class Library:
    """How a tensor is made and read, and what a dtype's name stands for."""

    tensor: object
    numpy: object
    dtype: object

    def call(self, function, call, tensors):
        each = iter(tensors)
        args = [replaced(arg, each) for arg in call.args]
        options = {word: replaced(value, each) for word, value in call.options.items()}
        if isinstance(options.get("dtype"), str):
            options["dtype"] = self.dtype(options["dtype"])
        out = function(*args, **options)
        return [out] if hasattr(out, "shape") else leaves_of(out)


def plain(x):
    """An array of a dtype that NumPy computes with."""
    return x.astype("float32") if x.dtype.name == "bfloat16" else x


WEFT = Library(lambda x, dtype: wf.tensor(x, dtype=getattr(wf, dtype)),
               lambda x: (wf.cast(x, wf.float32) if x.dtype.name == "bfloat16" else x).numpy(),
               lambda name: getattr(wf, name))
TORCH = Library(lambda x, dtype: torch.tensor(x, dtype=getattr(torch, dtype)),
                lambda x: (x.float() if x.dtype == torch.bfloat16 else x).numpy(force=True),
                lambda name: getattr(torch, name))
JAX = Library(lambda x, dtype: jnp.asarray(x, dtype=dtype), lambda x: plain(numpy.asarray(x)),
    lambda name: name)


def dtype_name(x):
    name = getattr(x.dtype, "name", None) or str(x.dtype).removeprefix("torch.")
    return name


def is_inexact(x):
    return any(word in dtype_name(x) for word in ("float", "complex"))


def found(name):
    """Our function of that name."""
    function = wf
    for part in name.split("."):
        function = getattr(function, part)
    return function


@dataclasses.dataclass
class Run:
    """A call in one dtype: the arrays that all libraries get."""

    entry: object
    call: object
    number: int
    dtype: str

    def __post_init__(self):
        self.inputs = [leaf for leaf in leaves_of([*self.call.args, *self.call.options.values()])
                       if isinstance(leaf, Input)]
        generator = self.entry.generator(self.number)
        self.arrays = [each.values(generator, self.dtype) for each in self.inputs]
        self.noise = self.entry.generator(-1 - self.number)
        self.wants_grad = self.entry.grad and self.call.grad and self.dtype not in ("float16",
            "bfloat16")
        self.varied = [i for i, each in enumerate(self.inputs) if each.kind == "float"
            and each.differentiated]

    def dtype_of(self, i):
        own = self.inputs[i]
        if own.kind != "float":
            return own.kind
        return str(self.arrays[i].dtype) if self.dtype in COMPLEX else self.dtype

    def tensors(self, library):
        return [library.tensor(x, self.dtype_of(i)) for i, x in enumerate(self.arrays)]

    def cotangents(self, outputs):
        """A random cotangent for each inexact output, rounded to its dtype."""
        made = []
        for out in outputs:
            value = numpy.asarray(self.noise.standard_normal(out.shape))
            if "complex" in dtype_name(out):
                value = value + 1j * self.noise.standard_normal(out.shape)
            made.append(value.astype(dtype_name(out)))
        return made

    def __str__(self):
        return f"{self.entry.name}, call {self.number} in {self.dtype}"


def runs_of(entry):
    for number, call in enumerate(entry.calls):
        floats = any(isinstance(leaf, Input) and leaf.kind == "float"
                     for leaf in leaves_of([*call.args, *call.options.values()]))
        for dtype in (call.dtypes or entry.dtypes) if floats else ("float64",):
            yield Run(entry, call, number, dtype)


def in_weft(run):
    """Outputs, gradients (none where nothing inexact comes out) and the cotangents they are for."""
    function, tensors = run.entry.ours or found(run.entry.name), run.tensors(WEFT)
    outputs = WEFT.call(function, run.call, tensors)
    exact = [is_inexact(out) for out in outputs]
    if not (run.wants_grad and run.varied and any(exact)):
        return outputs, [], []

    def inexact_outputs(*varied):
        filled = list(tensors)
        for i, x in zip(run.varied, varied):
            filled[i] = x
        return [out for out in WEFT.call(function, run.call, filled) if is_inexact(out)]

    values, pullback = wf.vjp(inexact_outputs, *(tensors[i] for i in run.varied))
    cotangents = run.cotangents(values)
    return outputs, list(pullback([wf.tensor(c) for c in cotangents])), cotangents


def in_torch(run, cotangents):
    tensors = run.tensors(TORCH)
    for i in run.varied:
        tensors[i].requires_grad_(bool(cotangents))
    outputs = TORCH.call(run.entry.torch, run.call, tensors)
    if not cotangents:
        return outputs, []
    pairs = [(y, torch.tensor(c)) for y,
        c in zip([y for y in outputs if is_inexact(y)], cotangents) if y.requires_grad]
    varied = [tensors[i] for i in run.varied]
    if not pairs:
        return outputs, [torch.zeros_like(x) for x in varied]
    grads = torch.autograd.grad([y for y, _ in pairs], varied, [c for _, c in pairs],
        materialize_grads=True)
    return outputs, [g.resolve_conj() for g in grads]


def jax_program(run, cotangents):
    """A function from arrays to outputs and gradients, which JAX has as conjugates of PyTorch's."""
    def program(arrays):
        def inexact_outputs(*varied):
            filled = list(arrays)
            for i, x in zip(run.varied, varied):
                filled[i] = x
            outputs = [jnp.asarray(out) for out in JAX.call(run.entry.jax, run.call, filled)]
            return [out for out in outputs if is_inexact(out)], outputs

        if not cotangents:
            return inexact_outputs()[1], []
        _, pullback, outputs = jax.vjp(inexact_outputs, *(arrays[i] for i in run.varied),
            has_aux=True)
        conjugates = [jnp.asarray(numpy.conj(c)) for c in cotangents]
        return outputs, [jnp.conj(g) for g in pullback(conjugates)]

    return program


def in_jax(entry, runs, cotangents):
    """All runs of an entry, compiled as one program."""
    programs = [jax_program(run, c) for run, c in zip(runs, cotangents)]

    def together(arrays):
        return [program(each) for program, each in zip(programs, arrays)]

    return (jax.jit(together) if entry.jit else together)([run.tensors(JAX) for run in runs])
