"""50 random lengths through an encoder layer, tracing and compiling included: what a new length costs.

    scripts/bench.sh's environment, then:  python benchmarks/lengths.py [--systems weft torch ...] [--rounds 3]

Each system runs in a process of its own and compiles nothing of the layer before the clock starts, only a function of one op,
which loads what it needs for that; the systems take turns. The
layer is that of a transformer, width 64, 4 heads, 256 hidden, batch 8, forward; lengths are from 16 to 128.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time

WIDTH, HEADS, HIDDEN, BATCH = 64, 4, 256, 8
SYSTEMS = ("weft", "torch", "torch.compile", "jax", "tf")


def lengths(np):
    return np.random.default_rng(0).integers(16, 129, 50)


def weights(np):
    rng = np.random.default_rng(1)
    shapes = {"qkv": (WIDTH, 3 * WIDTH), "out": (WIDTH, WIDTH), "up": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH)}
    return {name: rng.standard_normal(shape, dtype=np.float32) * 0.1 for name, shape in shapes.items()}


def encoder_in(lib, softmax, gelu, norm, transpose, reshape):
    """The layer in any library's words."""
    def layer(w, x):
        n = x.shape[1]
        q, k, v = (transpose(reshape((x @ w["qkv"])[..., i * WIDTH:(i + 1) * WIDTH], (BATCH, n, HEADS, WIDTH // HEADS)))
                   for i in range(3))
        scores = softmax((q @ lib.swapaxes(k, -1, -2)) * (WIDTH // HEADS) ** -0.5)
        mixed = reshape(transpose(scores @ v), (BATCH, n, WIDTH))
        x = norm(x + mixed @ w["out"])
        return norm(x + gelu(x @ w["up"]) @ w["down"])
    return layer


def weft(np):
    import weft as wf

    layer = wf.function(encoder_in(wf, lambda s: wf.softmax(s, axis=-1), wf.gelu, lambda x: wf.nn.layer_norm(x),
                                   lambda x: wf.permute_dims(x, (0, 2, 1, 3)), wf.reshape))
    w = {name: wf.asarray(value) for name, value in weights(np).items()}
    wf.function(lambda x: x + 1)(wf.ones(3))
    return (lambda x: layer(w, wf.asarray(x)).numpy()), lambda: f"{layer.trace_count} traces"


def torch_layer(np, compile):
    import torch
    from torch.nn import functional

    layer = encoder_in(torch, lambda s: torch.softmax(s, -1), functional.gelu,
                       lambda x: functional.layer_norm(x, (WIDTH,)), lambda x: x.permute(0, 2, 1, 3), torch.reshape)
    if compile:
        layer = torch.compile(layer)
        torch.compile(lambda x: x + 1)(torch.ones(3))
    w = {name: torch.from_numpy(value) for name, value in weights(np).items()}
    return (lambda x: layer(w, torch.from_numpy(x)).numpy()), lambda: ""


def jax(np):
    import jax
    import jax.numpy as jnp

    def norm(x):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5)

    layer = jax.jit(encoder_in(jnp, jax.nn.softmax, lambda x: jax.nn.gelu(x, approximate=False), norm,
                               lambda x: x.transpose(0, 2, 1, 3), jnp.reshape))
    w = {name: jnp.asarray(value) for name, value in weights(np).items()}
    jax.jit(lambda x: x + 1)(jnp.ones(3))
    return (lambda x: np.asarray(layer(w, jnp.asarray(x)))), lambda: ""


def tf(np):
    import tensorflow as tf

    def norm(x):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return (x - mean) / tf.sqrt(variance + 1e-5)

    def layer(w, x):
        n = tf.shape(x)[1]
        parts = tf.split(tf.einsum("bnd,de->bne", x, w["qkv"]), 3, axis=-1)
        q, k, v = (tf.transpose(tf.reshape(part, (BATCH, n, HEADS, WIDTH // HEADS)), (0, 2, 1, 3)) for part in parts)
        scores = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * (WIDTH // HEADS) ** -0.5)
        mixed = tf.reshape(tf.transpose(tf.matmul(scores, v), (0, 2, 1, 3)), (BATCH, n, WIDTH))
        x = norm(x + tf.einsum("bnd,de->bne", mixed, w["out"]))
        hidden = tf.nn.gelu(tf.einsum("bnd,de->bne", x, w["up"]))
        return norm(x + tf.einsum("bnd,de->bne", hidden, w["down"]))

    traced = tf.function(layer, reduce_retracing=True)
    w = {name: tf.constant(value) for name, value in weights(np).items()}
    tf.function(lambda x: x + 1)(tf.ones(3))
    return (lambda x: traced(w, tf.constant(x)).numpy()), lambda: f"{traced.experimental_get_tracing_count()} traces"


def one(system):
    """Runs one system in this process: its seconds, a number to compare, and a remark."""
    import numpy as np

    make = {"weft": weft, "torch": lambda np: torch_layer(np, False), "torch.compile": lambda np: torch_layer(np, True),
            "jax": jax, "tf": tf}[system]
    run, remark = make(np)
    rng = np.random.default_rng(2)
    inputs = [rng.standard_normal((BATCH, n, WIDTH), dtype=np.float32) for n in lengths(np)]
    start = time.perf_counter()
    total = sum(float(np.abs(run(x)).mean()) for x in inputs)
    print(f"figures {time.perf_counter() - start} {total} {remark()}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", choices=SYSTEMS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.one)
        return 0
    seconds, totals, remarks = {}, {}, {}
    env = {**os.environ, "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}  # of what an earlier process compiled
    for _ in range(options.rounds):
        for system in options.systems:
            ran = subprocess.run([sys.executable, __file__, "--one", system], capture_output=True, text=True, check=True, env=env)
            out = ran.stdout
            taken, total, *remark = next(line for line in out.splitlines() if line.startswith("figures")).split()[1:]
            seconds.setdefault(system, []).append(float(taken))
            totals[system], remarks[system] = float(total), " ".join(remark)
    for system, taken in seconds.items():
        print(f"{system:14} {statistics.median(taken):8.3f} s  mean |y| {totals[system] / 50:.5f}  {remarks[system]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
