"""What a branch that is not taken does to the world: nothing, because it is refused before it happens."""

import datetime
import os
import pathlib
import queue
import random
import shutil
import subprocess
import sys
import threading
import time
import uuid
import warnings

import numpy as np
import pytest

import weft as wf

# ruff: noqa: E701, SIM, RET, PLR, NPY002
_TWO = wf.tensor(2.0)


def _refused(f, text, *more):
    with pytest.raises(wf.WrongTypeError) as caught:
        wf.function(f)(_TWO, *more)
    assert text in str(caught.value) and "at line" in str(caught.value) and f"{__file__}:" in str(caught.value)


def _removes(x, path):
    if x < 0: os.remove(path)
    return x


def _unlinks(x, path):
    if x < 0: pathlib.Path(path).unlink()
    return x


def _removes_its_folder(x, path):
    if x < 0: shutil.rmtree(os.path.dirname(path))
    return x


def _runs(x, path):
    if x < 0: subprocess.run([sys.executable, "-c", f"import os; os.remove({path!r})"])
    return x


def _overwrites(x, path):
    if x < 0: x = x * pathlib.Path(path).write_text("other")
    return x


def _saves(x, path):
    while x < 0:
        x = x + 1
        np.savetxt(path, np.ones(2))
    return x


@pytest.mark.parametrize("f", [_removes, _unlinks, _removes_its_folder, _runs, _overwrites, _saves], ids=lambda f: f.__name__)
def test_files_stay(f, tmp_path):
    path = tmp_path / "precious.txt"
    path.write_text("precious")
    with pytest.raises(wf.WrongTypeError, match="acts on Python's side under the `.*` .*at line"):
        wf.function(f)(_TWO, str(path))
    assert path.read_text() == "precious"


def test_threads_and_queues():
    items, event = queue.Queue(), threading.Event()

    def puts(x):
        if x < 0: items.put(1)
        return x

    def sets(x):
        if x < 0: event.set()
        return x

    def asks(x):
        return x * 2 if x > 0 and not event.is_set() and items.empty() else x

    _refused(puts, "`Queue.put` acts")
    _refused(sets, "`Event.set` acts")
    assert items.empty() and not event.is_set()
    assert wf.function(asks)(_TWO).item() == 4


def test_state_of_weft():
    threads, variable, layer = wf.num_threads(), wf.Variable(1.0), wf.nn.Linear(2, 2)

    def sets_threads(x):
        if x < 0: wf.set_num_threads(threads + 1)
        return x

    def freezes(x):
        if x < 0: variable.trainable = False
        return x

    def evaluates(x):
        if x < 0: layer.eval()
        return x

    _refused(sets_threads, "`wf.set_num_threads` acts")
    _refused(freezes, "the attribute of a Variable is set")
    _refused(evaluates, "the attribute of a Linear is set")
    assert wf.num_threads() == threads and variable.trainable and layer.training


def test_what_is_captured():
    """Variables, optimizers and the generator are part of the graph, and what a branch makes is its own."""
    variable, w = wf.Variable(1.0), wf.Variable(wf.ones(2))
    optimizer = wf.optim.SGD([w], lr=0.5)

    @wf.function
    def step(x):
        if x > 0:
            variable.assign(x)
            optimizer.lr = 0.25
            wf.seed(3)
            found = []
            found.append(x)
            found.extend([x, x])
            print("taken")
            optimizer.minimize(lambda: wf.sum(w * x))
            variable.assign_add(wf.stack(found)[0])
        return x

    step(wf.tensor(-1.0))
    assert variable.item() == 1 and optimizer.lr == 0.5 and w.tolist() == [1, 1]
    step(_TWO)
    assert variable.item() == 4 and optimizer.lr == 0.25 and w.tolist() == [0.5, 0.5]


def test_modules_in_branches():
    class Net(wf.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = wf.nn.Linear(1, 1)

        def forward(self, x):
            return self.layer(x)

    net, x = Net(), wf.tensor([[2.0]])

    @wf.function
    def f(x):
        return net(x) if x[0, 0] > 0 else net(-x)

    assert f(x).tolist() == net(x).tolist() == f(-x).tolist()


def test_function_without_source():
    """What cannot be rewritten, and not be read either, is refused where its result is dropped."""
    space = {}
    exec("def note(x):\n    seen.append(1)\n    return x", space)
    space["seen"] = []
    note = space["note"]

    def dropped(x):
        if x < 0: note(x)
        return x

    def used(x):
        return x

    _refused(dropped, "`note`, which is not rewritten, is called for its effect")
    assert space["seen"] == [] and wf.function(used)(_TWO).item() == 2


def test_marked_function():
    seen, variable = [], wf.Variable(0.0)

    @wf.do_not_rewrite
    def notes(x):
        seen.append(x)

    @wf.do_not_rewrite
    def assigns(x):
        variable.assign(x)

    def dropped(x):
        if x < 0: notes(x)
        return x

    @wf.function
    def captured(x):
        if x > 0: assigns(x)
        return x

    _refused(dropped, "`notes`, which is not rewritten, would change something outside")
    assert seen == []
    captured(_TWO)
    assert variable.item() == 2


def _draws(x):
    if x > 0: x = x * random.random()
    return x


def _draws_by_numpy(x):
    while x > 1: x = x * np.random.rand() * 0.5
    return x


_generator = np.random.default_rng(0)


def _draws_by_a_generator(x):
    return x * _generator.random() if x > 0 else x


@pytest.mark.parametrize("f", [_draws, _draws_by_numpy, _draws_by_a_generator], ids=lambda f: f.__name__)
def test_draws_in_branches_are_told(f):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        wf.function(f)(_TWO)
    assert [str(one.message).rpartition("; ")[2] for one in told] == ["when the graph runs it does not [function.drawn]"]
    assert told[0].filename == __file__


def _asks_for_the_time(x):
    return x * time.time()


def _asks_in_a_branch(x):
    if x > 0: x = x + time.perf_counter()
    return x


def _asks_for_the_day(x):
    return x * datetime.datetime.now().day if x > 0 else x


def _names_something(x):
    return x * len(str(uuid.uuid4()))


@pytest.mark.parametrize("f", [_asks_for_the_time, _asks_in_a_branch, _asks_for_the_day, _names_something], ids=lambda f: f.__name__)
def test_what_is_asked_once_is_told(f):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        wf.function(f)(_TWO)
    text = ("` answers while the function is traced; ask before the call, and pass the answer as a tensor; when the graph runs it does "
            "not [function.drawn]")
    assert len(told) == 1 and str(told[0].message).endswith(text) and told[0].filename == __file__


_ROWS, _TABLE = wf.tensor([1.0, 2.0, 3.0]), wf.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
_WALKS = {
    "list of enumerate": lambda x: [v for _, v in list(enumerate(x))],
    "dict of enumerate": lambda x: list(dict(enumerate(x)).values()),
    "list of zip": lambda x: list(zip(x, x[1:]))[1],
    "next": lambda x: next(zip(x, x)),
    "columns": lambda x: list(zip(*_TABLE * x[0])),
    "star": lambda x: [*enumerate(x)][2][1],
    "map": lambda x: list(map(lambda pair: pair[0] * pair[1], zip(x, x))),
    "sorted": lambda x: sorted(enumerate(x))[0][1],
    "named": lambda x: {key: v for key, v in zip("abc", x)},
}


@pytest.mark.parametrize("f", _WALKS.values(), ids=_WALKS)
def test_walks_in_python(f):
    def plain(tree):
        if isinstance(tree, (list, tuple)): return [plain(item) for item in tree]
        if isinstance(tree, dict): return {key: plain(item) for key, item in tree.items()}
        return tree.tolist() if hasattr(tree, "tolist") else tree

    traced = wf.function(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plain(traced(_ROWS)) == plain(f(_ROWS))


def test_truth_of_one_element():
    @wf.function
    def f(x):
        return x * 3 if x > 0 else x

    assert f(wf.tensor([2.0])).tolist() == [6] and f(wf.tensor([[-2.0]])).tolist() == [[-2]]


def test_traced_keys_are_refused():
    with pytest.raises(wf.WrongTypeError) as caught:
        wf.function(lambda x: [{"a": {x: 1}}])(_TWO)
    line = sys._getframe().f_lineno - 1
    assert str(caught.value) == ("function: a returned dict has a traced float32[] among its keys, which has no value once the trace is "
                                 f"over; return a list of pairs [function.leak]\nat {__file__}:{line}, in <lambda>")


def test_traced_closures_are_refused():
    def f(x):
        y = x * 2
        return {"f": lambda z: z + y, "g": abs}

    with pytest.raises(wf.WrongTypeError, match="the returned `<lambda>` keeps a traced float32.. in `y`, which has no value once"):
        wf.function(f)(_TWO)

    def g(x, scale=2.0):
        return lambda z: z * scale

    assert wf.function(g)(_TWO)(_TWO).item() == 4


def test_why_a_function_is_not_rewritten():
    def sees_its_variables(x):
        names = locals()
        return x * len(names) if x > 0 else x

    with pytest.raises(wf.WrongTypeError) as caught:
        wf.function(sees_its_variables)(_TWO)
    assert caught.value.__notes__[-1] == ("`sees_its_variables` is not rewritten: it calls locals(), which sees the variables of the "
                                          "function itself")


class _Lazy:
    weight = None

    @wf.function
    def by_list(self, x):
        if self.weight is None: self.weight = wf.Variable([1.0, 2.0, 3.0])
        return self.weight * x

    @wf.function
    def by_ops(self, x):
        if self.weight is None:
            with wf.eager(): self.weight = wf.Variable(wf.ones(3) * 2)
        return self.weight * x


def test_variables_made_at_the_first_call():
    lists, ops = _Lazy(), _Lazy()
    assert lists.by_list(_ROWS).tolist() == [1, 4, 9] == lists.by_list(_ROWS).tolist()
    assert ops.by_ops(_ROWS).tolist() == [2, 4, 6] == ops.by_ops(_ROWS).tolist()
