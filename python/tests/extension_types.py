"""Makes instances of every type that Python code can reach in every way that Python has, and uses what it gets.

  python extension_types.py [type]    a line before and after each attempt; test_extension_types.py runs it in a process of its own
Nothing may end the process: a half-made instance raises when it is used.
"""

import copy
import inspect
import io
import pickle
import sys
import warnings

import numpy as np

import weft as wf
from weft import _core
from weft._number import TracedNumber  # users reach it as the type of the index of a traced loop


class Odd:
    """Raises whatever it is asked."""

    def __getattr__(self, name):
        raise RuntimeError(name)


ARGUMENTS = [(), (2,), (slice(None),), ("x",), (None,), (Odd(),), ([1.0],), (wf.ones(2),), (wf.Variable(wf.ones(2)),), (1, 2),
             (-1, None, "a"),
             ({},), (np.ones(2),), (1e300,), (2**70,), (int,), (wf.float32,), (wf.add,)]
# What would wait, write files or change the process, and what only fails in its own way.
NOT_CALLED = {"_end_data_threads", "__init_subclass__", "__subclasshook__", "__class__", "__reduce__", "__reduce_ex__", "wait"}


def instances():
    """Public objects of as many types as there are."""
    out = [wf.ones(2), wf.Variable(wf.ones(2)), wf.float32, wf.add, wf.random.Key(0), wf.ones((2, 3)).at, wf.ones(2).shape,
           wf.ones((2, 3)).at[0], wf.nn.Linear(2, 2), wf.no_grad(), wf.GradientTape(), wf.eager()]
    v = wf.Variable(wf.ones(2))
    out += [wf.optim.SGD([v], lr=0.1), wf.optim.Adam([v])]
    out.append((v * 2.0).register_hook(lambda g: g))
    with wf.Graph() as g:
        x = wf.placeholder(wf.float32, (None, 2), name="x")
        y = x + 1.0
        out += [x, x.shape, x.shape[0], x.shape[0] / 3, g.operation("x"), g, TracedNumber(wf.placeholder(wf.int64, ()))]
    session = wf.Session(g)
    out += [session, session._core, g._core, session.plan(y, {x: np.ones((1, 2))}), session.plan(y, {x: np.ones((1, 2))}).profile(rounds=1)]
    f = wf.function(lambda x, n: x * n)
    f(wf.ones(2), 3)
    out += [f, f.get_concrete_function(wf.ones(2), 3)]
    seen = []
    wf.function(wf.do_not_rewrite(lambda x: (seen.extend((x, x.shape[0], x.shape[0] / 2)), x)[1]))(wf.ones(3))
    wf.vmap(lambda x: (seen.append(x), x)[1])(wf.ones(3))
    wf.grad(lambda x: (seen.append(x), x)[1])(1.0)
    out += seen
    dataset = wf.data.Dataset.range(3)
    out += [dataset, iter(dataset), iter(dataset.batch(2)), wf.nn.Input((2,)), wf.metrics.MSE()]
    return out


def found_types():
    """Types of the extension, and of all that public objects and their attributes are."""
    types = {one for one in vars(_core).values() if isinstance(one, type)}
    for one in instances():
        types.add(type(one))
        for name in dir(one):
            if name in ("T", "mT", "grad"):
                continue
            try:
                value = getattr(one, name)
            except Exception:  # noqa: BLE001
                continue
            types.add(type(value))
    ours = [one for one in types if str(one.__module__).split(".")[0] in ("weft", "nanobind")]
    return sorted(ours, key=lambda one: (str(one.__module__), one.__qualname__))


def use(thing):
    """Reads every attribute, calls what takes nothing, and asks Python's own questions."""
    for question in (repr, str, hash, bool, len, iter, int, float, lambda x: x == x, lambda x: x < x, lambda x: x + x, lambda x: -x,
                     lambda x: x[0], lambda x: x(), lambda x: format(x, ""), memoryview, np.asarray, lambda x: wf.tensor(x), copy.copy,
                     copy.deepcopy, lambda x: pickle.dumps(x), lambda x: wf.add(x, 1), lambda x: wf.ones(2) + x, lambda x: wf.zeros((x,)),
                     lambda x: wf.function(lambda y: y)(x), lambda x: list(wf.data.Dataset.from_tensors(x)), lambda x: wf.Session(x)):
        try:
            question(thing)
        except Exception:  # noqa: BLE001
            pass
    for name in dir(type(thing)):
        if name in NOT_CALLED:
            continue
        try:
            value = getattr(thing, name)
            if callable(value) and not inspect.isclass(value):
                value()
        except Exception:  # noqa: BLE001
            pass


def attempts(kind, known):
    yield from ((f"{kind.__qualname__}{args!r:.40}", lambda args=args: kind(*args)) for args in ARGUMENTS if not issubclass(kind, Exception))
    yield f"{kind.__qualname__}.__new__", lambda: kind.__new__(kind)
    for args in ARGUMENTS[1:8]:
        yield f"{kind.__qualname__}.__new__{args!r:.40}", lambda args=args: kind.__new__(kind, *args)
    yield f"object.__new__({kind.__qualname__})", lambda: object.__new__(kind)
    yield f"a class made of {kind.__qualname__}", lambda: type("Sub", (kind,), {})()
    yield f"__new__ of a class made of {kind.__qualname__}", lambda: (lambda sub: sub.__new__(sub))(type("Sub", (kind,), {}))
    for one in known:
        yield f"copy of a {kind.__qualname__}", lambda one=one: copy.copy(one)
        yield f"deepcopy of a {kind.__qualname__}", lambda one=one: copy.deepcopy(one)
        yield f"pickle of a {kind.__qualname__}", lambda one=one: pickle.loads(pickle.dumps(one))
        yield f"type(x)(x) of a {kind.__qualname__}", lambda one=one: type(one)(one)
        yield f"__init__ again of a {kind.__qualname__}", lambda one=one: one.__init__()
        yield f"__setstate__ of a {kind.__qualname__}", lambda one=one: one.__setstate__({})
        for name in ("__call__", "forward", "__weft_tensor__", "kind", "value", "shape", "_core"):
            yield f"del {name} of a {kind.__qualname__}", lambda one=one, name=name: delattr(one, name)


def main():
    sys.stdin = io.StringIO()
    warnings.simplefilter("ignore")
    kinds, samples = found_types(), instances()
    print("types", len(kinds), flush=True)
    for kind in kinds:
        if len(sys.argv) > 1 and kind.__qualname__ != sys.argv[1]:
            continue
        for name, make in attempts(kind, [one for one in samples if type(one) is kind][:2]):
            print(">>>", name, flush=True)
            try:
                made = make()
            except Exception:  # noqa: BLE001
                continue
            use(made)
    print("end", flush=True)


if __name__ == "__main__":
    main()
