"""Random programs of functions in functions, some of them traced: what they branch on (sizes, flags, values, errors of ops) changes from
call to call, and the bits are those of the same program without a trace."""

import random

import pytest
import weft as wf

FLAGS = {"p": 0, "q": 0, "r": 0}
KINDS = ("size", "flag", "handler", "grad", "vmap", "composed", "value", "scan")


def program(rng, depth, is_traced):
    """A function of a vector. The same draws make the same program, with traced parts or without."""
    kind = rng.choice(KINDS) if depth else "leaf"
    slope, size, name, is_function = rng.uniform(-2, 2), rng.randrange(1, 7), rng.choice("pqr"), rng.random() < 0.6
    one, other = (program(rng, depth - 1, is_traced) for _ in range(2)) if depth else (None, None)

    def leaf(x):
        return x * slope + 1.0

    def by_size(x):
        if x.shape[0] > size:
            return one(x)
        return other(x)

    def by_flag(x):
        if FLAGS[name] > 1:
            return one(x)
        return other(x) * FLAGS[name]

    def handler(x):
        try:
            y = one(x)
            return (wf.ones(size + 1) + y)[:1] * y
        except ValueError:
            return other(x)

    def grad(x):
        return wf.grad(lambda x: (one(x) ** 2).sum())(x) + other(x)

    def vmap(x):
        return wf.vmap(lambda row: one(row))(wf.stack([x, x * 2.0])).sum(0)

    def composed(x):
        return one(other(x))

    def value(x):
        if wf.sum(x) > slope:
            return one(x)
        return other(x)

    def scan(x):
        return wf.scan(lambda c, _: (c * 0.5 + one(x) * 0.1, c), other(x), length=2)[0]

    made = {"leaf": leaf, "size": by_size, "flag": by_flag, "handler": handler, "grad": grad, "vmap": vmap, "composed": composed,
            "value": value, "scan": scan}[kind]
    return wf.function(made) if is_traced and is_function else made


@pytest.mark.parametrize("first", range(0, 120, 10))
def test_programs_of_functions_in_functions(first):
    compared = 0
    for seed in range(first, first + 10):
        plain = program(random.Random(seed), 3, is_traced=False)
        traced = wf.function(program(random.Random(seed), 3, is_traced=True))
        rng = random.Random(-1 - seed)
        for _ in range(8):
            FLAGS[rng.choice("pqr")] = rng.randrange(4)
            x = wf.random.normal(wf.random.Key(rng.randrange(10 ** 6)), (rng.randrange(1, 9),))
            try:
                want = plain(x)
            except wf.WrongTypeError:  # an `if` on values in vmap or scan, which only a trace takes
                continue
            assert wf.fingerprint(traced(x)) == wf.fingerprint(want), (seed, x.shape, FLAGS)
            compared += 1
    assert compared > 40
