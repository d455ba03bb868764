"""The ops of random programs in three libraries, each with value, gradient and second derivative along a direction."""

import numpy


class _Shared:
    """What is written with operators, the same way in all."""

    def negative(self, x):
        return -x

    def add(self, a, b):
        return a + b

    def subtract(self, a, b):
        return a - b

    def multiply(self, a, b):
        return a * b

    def matmul(self, a, b):
        return a @ b

    def cube(self, x):
        return x**3 * 0.25

    def divide_by(self, a, b):
        return a / (b * b + 1.0)

    def log_of(self, x):
        return self.log(x * x + 0.5)

    def log1p_of(self, x):
        return self.log1p(x * x)

    def sqrt_of(self, x):
        return self.sqrt(x * x + 0.25)

    def rsqrt_of(self, x):
        return self.rsqrt(x * x + 0.5)

    def reciprocal_of(self, x):
        return 1.0 / (x * x + 1.0)

    def choose(self, a, b):
        return self.where(a > b, a * 2.0, b * b)

    def pow_of(self, a, b):
        return (self.abs(a) + 0.5) ** b

    def atan2_of(self, a, b):
        return self.atan2(a, b * b + 0.5)

    def first(self, x):
        return x[0]

    def tail(self, x):
        return x[..., 1:]

    def take(self, x, indices):
        return x[..., self.integers(indices)]

    def flatten(self, x):
        return x.reshape((-1,))

    def expand(self, x):
        return x[:, None]

    def clip(self, x):
        return self.between(x, -0.6, 0.7)


class Weft(_Shared):
    def __init__(self, dtype):
        import weft as wf

        self.wf, self.dtype = wf, getattr(wf, dtype)
        for name in ("tanh sigmoid sin cos exp expm1 square abs relu gelu erf log log1p sqrt rsqrt maximum minimum "
                     "where atan2 logaddexp").split():
            setattr(self, name, getattr(wf, name))
        for name in ("sum", "mean", "max", "min", "prod", "logsumexp", "var", "std", "norm"):
            setattr(self, name, getattr(wf, name, None) or getattr(wf.linalg, name))
        self.between = wf.clip
        self.layer_norm = wf.nn.layer_norm
        self.softmax = lambda x: wf.softmax(x, axis=-1)
        self.log_softmax = lambda x: wf.log_softmax(x, axis=-1)
        self.cumulative_sum = lambda x: wf.cumulative_sum(x, axis=-1)
        self.cumulative_prod = lambda x: wf.cumulative_prod(x, axis=-1)
        self.transpose = lambda x: wf.permute_dims(x, tuple(reversed(range(len(x.shape)))))
        self.flip = lambda x: wf.flip(x, axis=-1)
        self.concat = lambda a, b: wf.concat([a, b], axis=-1)
        self.stack = lambda a, b: wf.stack([a, b], axis=0)
        self.spread = lambda x: wf.broadcast_to(x, (2, *x.shape))
        self.integers = lambda i: wf.tensor(list(i))

    def array(self, x):
        return self.wf.tensor(numpy.asarray(x), dtype=self.dtype)

    def numpy(self, x):
        return x.numpy()

    def number(self, x):
        return x.detach().item()  # it decides which way to go, and is no part of the value

    def derivatives(self, program, inputs, along):
        """(value, gradients, H v); the tape and reverse over reverse must say the same."""
        wf = self.wf
        x, v = tuple(map(self.array, inputs)), tuple(map(self.array, along))
        f = lambda *a: program.loss(self, *a)  # noqa: E731
        every = tuple(range(len(x)))
        value, gradients = wf.value_and_grad(f, every, unconnected="zero")(*x)
        second = wf.hvp(f, x, v)

        def slope(*a):
            g = wf.grad(f, every, unconnected="zero")(*a)
            return sum((gi * vi).sum() for gi, vi in zip(g, v))

        again = wf.grad(slope, every, unconnected="zero")(*x)
        variables = [wf.Variable(xi) for xi in x]
        f(*variables).backward()
        # One that only decides has none.
        taped = [wf.zeros_like(xi) if variable.grad is None else variable.grad for xi, variable in zip(x, variables)]
        return {"value": [value], "gradient": gradients, "gradient by the tape": taped,
                "second derivative": second, "second derivative by reverse over reverse": again,
                "slope along a direction": [wf.jvp(f, x, v)[1]]}


class Torch(_Shared):
    def __init__(self, dtype):
        import torch

        torch.set_num_threads(1)
        self.torch, self.dtype = torch, getattr(torch, dtype)
        for name in "tanh sigmoid sin cos exp expm1 square abs relu erf log log1p sqrt rsqrt maximum minimum where atan2 logaddexp".split():
            setattr(self, name, getattr(torch, name))
        functional = torch.nn.functional
        self.gelu = functional.gelu
        self.between = torch.clamp
        self.mean = lambda x, axis=None, keepdims=False: x.mean() if axis is None else x.mean(axis, keepdim=keepdims)
        self.sum = lambda x, axis=None, keepdims=False: x.sum() if axis is None else x.sum(axis, keepdim=keepdims)
        self.max = lambda x, axis, keepdims: torch.amax(x, axis, keepdim=keepdims)
        self.min = lambda x, axis, keepdims: torch.amin(x, axis, keepdim=keepdims)
        self.prod = lambda x, axis, keepdims: torch.prod(x, axis, keepdim=keepdims)
        self.logsumexp = lambda x, axis, keepdims: torch.logsumexp(x, axis, keepdim=keepdims)
        self.var = lambda x, axis, keepdims: torch.var(x, axis, correction=0, keepdim=keepdims)
        self.std = lambda x, axis, keepdims: torch.std(x, axis, correction=0, keepdim=keepdims)
        self.norm = lambda x, axis, keepdims: torch.linalg.vector_norm(x, dim=axis, keepdim=keepdims)
        self.layer_norm = lambda x: functional.layer_norm(x, x.shape[-1:])
        self.softmax = lambda x: torch.softmax(x, -1)
        self.log_softmax = lambda x: torch.log_softmax(x, -1)
        self.cumulative_sum = lambda x: torch.cumsum(x, -1)
        self.cumulative_prod = lambda x: torch.cumprod(x, -1)
        self.transpose = lambda x: x.permute(*reversed(range(x.dim())))
        self.flip = lambda x: torch.flip(x, (-1,))
        self.concat = lambda a, b: torch.cat([a, b], -1)
        self.stack = lambda a, b: torch.stack([a, b])
        self.spread = lambda x: torch.broadcast_to(x, (2, *x.shape))
        self.integers = lambda i: torch.tensor(i)

    def number(self, x):
        return float(x.detach())

    def derivatives(self, program, inputs, along):
        torch = self.torch
        x = [torch.tensor(a, dtype=self.dtype, requires_grad=True) for a in inputs]
        v = [torch.tensor(a, dtype=self.dtype) for a in along]
        value = program.loss(self, *x)
        gradients = torch.autograd.grad(value, x, create_graph=True, materialize_grads=True)
        slope = sum((g * t).sum() for g, t in zip(gradients, v))
        second = [torch.zeros_like(t) for t in v]
        if slope.requires_grad:
            second = torch.autograd.grad(slope, x, materialize_grads=True)
        plain = lambda tensors: [t.numpy(force=True) for t in tensors]  # noqa: E731
        return {"value": plain([value]), "gradient": plain(gradients), "second derivative": plain(second),
                "slope along a direction": plain([slope])}


class Jax(_Shared):
    def __init__(self, dtype):
        import jax
        import jax.numpy as jnp

        jax.config.update("jax_enable_x64", True)
        self.jax, self.jnp, self.dtype = jax, jnp, dtype
        for name in ("tanh sin cos exp expm1 square abs log log1p sqrt maximum minimum where logaddexp sum mean max min "
                     "prod var std").split():
            setattr(self, name, getattr(jnp, name))
        self.sigmoid, self.relu, self.erf, self.rsqrt = jax.nn.sigmoid, jax.nn.relu, jax.lax.erf, jax.lax.rsqrt
        self.gelu = lambda x: jax.nn.gelu(x, approximate=False)
        self.atan2 = jnp.arctan2
        self.between = jnp.clip
        self.logsumexp = jax.nn.logsumexp
        self.norm = lambda x, axis, keepdims: jnp.linalg.norm(x, axis=axis, keepdims=keepdims)
        self.softmax, self.log_softmax = jax.nn.softmax, jax.nn.log_softmax
        self.cumulative_sum = lambda x: jnp.cumsum(x, -1)
        self.cumulative_prod = lambda x: jnp.cumprod(x, -1)
        self.transpose = jnp.transpose
        self.flip = lambda x: jnp.flip(x, -1)
        self.concat = lambda a, b: jnp.concatenate([a, b], -1)
        self.stack = lambda a, b: jnp.stack([a, b])
        self.spread = lambda x: jnp.broadcast_to(x, (2, *x.shape))
        self.integers = lambda i: numpy.array(i)

    def layer_norm(self, x):
        centred = x - x.mean(-1, keepdims=True)
        return centred * self.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)

    def number(self, x):
        return float(self.jax.lax.stop_gradient(x))

    def derivatives(self, program, inputs, along):
        x = tuple(self.jnp.asarray(a, dtype=self.dtype) for a in inputs)
        v = tuple(self.jnp.asarray(a, dtype=self.dtype) for a in along)
        f = lambda *a: program.loss(self, *a)  # noqa: E731
        value = []

        def slopes(*a):
            y, g = self.jax.value_and_grad(f, tuple(range(len(a))))(*a)
            value.append(y)
            return y, g

        (y, gradients), (slope, second) = self.jax.jvp(slopes, x, v)
        return {"value": [y], "gradient": gradients, "second derivative": second, "slope along a direction": [slope]}
