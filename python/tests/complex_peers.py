"""Complex derivatives as in PyTorch (gradients) and JAX (Jacobians of holomorphic functions); run in .venv-peers.

    PYTHONPATH=build/release/python .venv-peers/bin/python python/tests/complex_peers.py
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

import weft as wf  # noqa: E402

jax.config.update("jax_enable_x64", True)

Z = np.array([0.3 + 0.7j, -1.2 + 0.4j, 0.9 - 0.5j])
MATRIX = np.array([[1 + 2j, 0.5j, -1.0], [2.0, 1 - 1j, 0.3 + 0.1j]])

# Each as a function of the library's module: the same source for all three.
HOLOMORPHIC = {"square": lambda m, z: z * z, "exp": lambda m, z: m.exp(z), "quotient": lambda m, z: z / (z * z + 2.0),
               "tanh": lambda m, z: m.tanh(z), "log": lambda m, z: m.log(z + 3.0),
               "linear": lambda m, z: m.matmul(m.asarray(MATRIX), m.sin(z) * z)}
REAL = {"squared size": lambda m, z: m.sum(m.real(z * m.conj(z))), "abs": lambda m, z: m.sum(m.abs(z)),
        "imag": lambda m, z: m.sum(m.imag(z * z * z)), "mixed": lambda m, z: m.sum(m.real(m.exp(z)) * m.imag(z))}


def near(what, got, expected):
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape and got.dtype == expected.dtype, (what, got.dtype, expected.dtype)
    assert np.max(np.abs(got - expected)) <= 1e-12 * max(1.0, np.max(np.abs(expected))), (what, got, expected)


def compare_holomorphic(name, f):
    z, jz = wf.tensor(Z), jnp.asarray(Z)
    ours, theirs = (lambda x: f(wf, x)), (lambda x: f(jnp, x))
    expected = jax.jacfwd(theirs, holomorphic=True)(jz)
    near(f"jacfwd {name}", wf.jacfwd(ours)(z).numpy(), expected)
    near(f"jacrev {name}", wf.jacrev(ours)(z).numpy(), jax.jacrev(theirs, holomorphic=True)(jz))
    second = jax.jacfwd(jax.jacrev(theirs, holomorphic=True), holomorphic=True)(jz)
    for outer in (wf.jacfwd, wf.jacrev):
        for inner in (wf.jacfwd, wf.jacrev):
            near(f"{outer.__name__} {inner.__name__} {name}", outer(inner(ours))(z).numpy(), second)
    # PyTorch's vector-Jacobian product is the adjoint, and so is ours; JAX's is the transpose.
    y, pull = wf.vjp(ours, z)
    g = np.exp(1j * np.arange(y.size)).reshape(y.shape)
    near(f"vjp {name}", pull(wf.tensor(g))[0].numpy(), np.conj(expected).T @ g)
    leaf = torch.tensor(Z, requires_grad=True)
    f(torch, leaf).backward(gradient=torch.tensor(g))
    near(f"vjp {name}, PyTorch", pull(wf.tensor(g))[0].numpy(), leaf.grad.numpy())
    v = wf.Variable(Z)
    ours(v).backward(gradient=wf.tensor(g))
    near(f"backward {name}", v.grad.numpy(), leaf.grad.numpy())


def compare_real(name, f):
    z = wf.tensor(Z)
    leaf = torch.tensor(Z, requires_grad=True)
    f(torch, leaf).backward()
    slope = wf.grad(lambda x: f(wf, x))(z).numpy()
    near(f"grad {name}", slope, leaf.grad.numpy())
    theirs = np.asarray(jax.grad(lambda x: f(jnp, x))(jnp.asarray(Z)))
    near(f"grad {name}, JAX's conjugate", slope, np.conj(theirs))
    for mode in (wf.jacfwd, wf.jacrev):  # d f = Re(D dz): JAX's convention
        near(f"{mode.__name__} {name}", mode(lambda x: f(wf, x))(z).numpy(), theirs)


def refused(call):
    try:
        call()
    except (TypeError, RuntimeError):
        return True
    return False


def compare_refusals():
    """All three refuse to take the gradient of a complex loss."""
    leaf = torch.tensor(Z, requires_grad=True)
    assert refused(lambda: leaf.sum().backward())
    assert refused(lambda: jax.grad(jnp.sum)(jnp.asarray(Z)))
    assert refused(lambda: wf.grad(wf.sum)(wf.tensor(Z)))
    assert refused(lambda: wf.sum(wf.Variable(Z)).backward())


def main():
    for name, f in HOLOMORPHIC.items():
        compare_holomorphic(name, f)
    for name, f in REAL.items():
        compare_real(name, f)
    compare_refusals()
    print(f"{len(HOLOMORPHIC) + len(REAL)} complex functions agree")


if __name__ == "__main__":
    main()
