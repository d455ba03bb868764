"""CheckpointManager: runs that are interrupted end with the bytes of those that are not."""

import math
import subprocess
import sys

import numpy as np
import pytest

import weft as wf


class Thing:
    """Something with a state: what a model, an optimizer or an iterator is to a manager."""

    def __init__(self, **state):
        self.state = state

    def state_dict(self):
        return dict(self.state)

    def load_state_dict(self, state):
        self.state = dict(state)


def same(a, b):
    if isinstance(a, (wf.Tensor, wf.Variable)):
        return type(b) is wf.Tensor and a.dtype is b.dtype and a.shape == b.shape and a.tolist() == b.tolist()
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and (a == b or (a != a and b != b))


def test_any_state_comes_back(tmp_path):
    state = {"none": None, "flag": True, "count": -3, "huge": 2**200, "word": 2**63, "loss": 0.1, "nan": math.nan,
             "inf": -math.inf, "text": "é\n", "bytes": b"\x00\xff", "betas": (0.9, 0.999), "list": [1, [2.0, ()], {}],
             "by number": {0: {"step": 1}, 1: {"step": 2}}, "$tensor": {"$": 1}, "layer.weight": wf.ones((2, 3)),
             "layer": {"weight": wf.zeros(2)}, "half": wf.ones(2, dtype=wf.bfloat16), "complex": wf.ones(2, dtype=wf.complex128),
             "array": np.arange(3, dtype=np.int16), "scalar": np.float32(1.5), "dtype": wf.float16, "key": wf.random.Key(3),
             "variable": wf.Variable([1, 2])}
    thing = Thing(**state)
    manager = wf.CheckpointManager(tmp_path, thing=thing)
    manager.save(1)
    thing.state = {}
    assert manager.restore_latest() == 1
    assert list(thing.state) == list(state)
    for name in state:
        assert same(state[name], thing.state[name]), name
    assert set(wf.load(tmp_path / "000001.step-1" / "thing.safetensors")) == {
        "layer.weight", "layer.weight#2", "half", "complex", "array", "scalar", "key", "variable"}
    assert same(manager.load(1)["thing"]["betas"], (0.9, 0.999))


def test_variables_and_trees_are_restored_in_place(tmp_path):
    v, inner = wf.Variable([1.0]), wf.Variable([2.0])
    tree = {"layers": [inner, wf.tensor([3.0])], "epoch": 4}
    manager = wf.CheckpointManager(tmp_path, v=v, tree=tree)
    manager.save(0)
    v.assign([0.0])
    inner.assign([0.0])
    tree["layers"][1], tree["epoch"] = wf.tensor([0.0]), 0
    manager.restore(0)
    assert v.tolist() == [1.0] and inner.tolist() == [2.0] and tree["layers"][1].tolist() == [3.0] and tree["epoch"] == 4
    tree["more"] = 1
    with pytest.raises(ValueError, match=r"a tree keeps its form \[CheckpointManager.tree\]"):
        manager.restore(0)


def test_the_default_generator_goes_on_where_it_was(tmp_path):
    manager = wf.CheckpointManager(tmp_path)
    wf.seed(3)
    wf.rand(2)
    manager.save(5)
    expected = wf.randn(4).tolist()
    assert manager.restore_latest() == 5 and wf.randn(4).tolist() == expected
    state = wf.random.generator_state()
    wf.random.set_generator_state(state)
    assert wf.random.generator_state() == state
    with pytest.raises(TypeError) as caught:
        wf.random.set_generator_state(3)
    assert str(caught.value) == ("set_generator_state: state must be what generator_state() gave, but got 3 "
                                 "[set_generator_state.state]")


def test_the_last_and_the_best_are_kept(tmp_path):
    manager = wf.CheckpointManager(tmp_path, max_to_keep=2, best=("accuracy", "max"), thing=Thing(a=1))
    assert manager.restore_latest() is None and manager.latest_step() is None and manager.best_step() is None
    for step, accuracy in enumerate([0.1, wf.tensor(0.9), 0.3, math.nan, 0.4]):
        manager.save(step, metrics={"accuracy": accuracy})
    assert manager.steps() == [1, 3, 4] and manager.best_step() == 1 and manager.latest_step() == 4
    everything = wf.CheckpointManager(tmp_path / "all", max_to_keep=None)
    for step in range(12):
        everything.save(step)
    assert everything.steps() == list(range(12))


def test_saving_goes_on_beside_the_training(tmp_path):
    w = wf.Variable(wf.zeros(1000))
    with wf.CheckpointManager(tmp_path, asynchronous=True, w=w) as manager:
        for step in range(5):
            manager.save(step)
            w.assign_add(wf.ones(1000))  # the snapshot does not see it
    for step in range(5):
        manager.restore(step)
        assert w.tolist() == [float(step)] * 1000


def test_an_asynchronous_save_ends_before_the_process_does(tmp_path):
    code = f"import weft as wf; wf.CheckpointManager({str(tmp_path)!r}, asynchronous=True, w=wf.Variable(wf.ones(2000000))).save(1)"
    subprocess.run([sys.executable, "-c", code], check=True)
    w = wf.Variable(wf.zeros(2000000))
    assert wf.CheckpointManager(tmp_path, w=w).restore_latest() == 1 and w.tolist()[-1] == 1.0


def test_memory_of_others_is_let_go_of_by_the_writer(tmp_path):
    for step in range(20):
        array = np.full(100_000, float(step))
        array.setflags(write=False)  # borrowed, not copied
        wf.CheckpointManager(tmp_path, asynchronous=True, thing=Thing(w=wf.asarray(array))).save(step)
        del array
    assert wf.CheckpointManager(tmp_path).steps() == [15, 16, 17, 18, 19]


def test_what_the_writer_met_with_is_raised_later(tmp_path):
    (tmp_path / "file").write_text("")
    manager = wf.CheckpointManager(tmp_path / "file" / "run", asynchronous=True, thing=Thing(a=1))
    manager.save(1)
    with pytest.raises(OSError, match="cannot make the folder"):
        manager.save(2)
    manager.wait()


def test_objects_stay_as_they_were_if_one_does_not_take_its_state(tmp_path):
    first, second = wf.Variable([1.0]), wf.Variable([1.0, 2.0])
    wf.CheckpointManager(tmp_path, first=first, second=second).save(1)
    first.assign([9.0])
    other = wf.Variable([0.0, 0.0, 0.0])
    wf.seed(4)
    with pytest.raises(wf.Error):
        wf.CheckpointManager(tmp_path, first=first, second=other).restore(1)
    assert first.tolist() == [9.0] and wf.random.generator_state() == (4, 0)


def test_a_damaged_checkpoint_is_reported(tmp_path, capfd):
    manager = wf.CheckpointManager(tmp_path, thing=Thing(w=wf.ones(100)))
    manager.save(1)
    manager.save(2)
    file = tmp_path / "000002.step-2" / "thing.safetensors"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(OSError, match=r"the checkpoint of step 2 in .* is damaged: .*has the checksum .* where .* was written; "
                                      r"others are of the steps \[1\] \[CheckpointManager.corrupt\]"):
        manager.restore_latest()
    assert manager.restore_latest(skip_corrupt=True) == 1
    assert "is damaged" in capfd.readouterr().err


@pytest.mark.parametrize("call, error, said", [
    (lambda p: wf.CheckpointManager(p, model=3), TypeError,
     "CheckpointManager: model is 3; it must have state_dict() and load_state_dict(), or be a Variable, a dict or a list "
     "[CheckpointManager.object]"),
    (lambda p: wf.CheckpointManager(p, best="loss"), TypeError,
     "CheckpointManager: best must be a metric and 'min' or 'max', ('val_loss', 'min'), but got 'loss' [CheckpointManager.best]"),
    (lambda p: wf.CheckpointManager(p, max_to_keep=0), ValueError,
     "CheckpointManager: max_to_keep is 0; it is 1 or more, or none to keep all [CheckpointManager.max_to_keep]"),
    (lambda p: wf.CheckpointManager(p, max_to_keep=2.5), TypeError,
     "CheckpointManager: max_to_keep must be an integer or None, but got 2.5 [CheckpointManager.max_to_keep]"),
    (lambda p: wf.CheckpointManager(p).save(1.5), TypeError,
     "CheckpointManager: step must be an integer, but got 1.5 [CheckpointManager.step]"),
    (lambda p: wf.CheckpointManager(p).restore(7), ValueError, None),
    (lambda p: wf.CheckpointManager(p, a=Thing(x={"y": object()})).save(1), TypeError,
     "CheckpointManager: 'a.x.y' is an object of type object; a state is made of tensors, arrays, numbers, texts, and lists, "
     "tuples and dicts of these [CheckpointManager.state]"),
])
def test_wrong_calls(tmp_path, call, error, said):
    with pytest.raises(error) as caught:
        call(tmp_path / "run")
    said = said or (f"CheckpointManager: there is no checkpoint of step 7 in '{tmp_path}/run'; there are those of the steps [] "
                    "[CheckpointManager.step]")
    assert str(caught.value) == said and isinstance(caught.value, wf.Error)


TRAINING = """
import sys
import weft as wf

folder, last, die = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
wf.seed(1)
w, moment = wf.Variable(wf.zeros(8), name="w"), wf.Variable(wf.zeros(8), name="moment")
clock = {"epoch": 0, "order": [3, 1, 2]}
manager = wf.CheckpointManager(folder, max_to_keep=2, asynchronous=True, w=w, moment=moment, clock=clock)
step = manager.restore_latest() or 0
while step < last:
    step += 1
    x = wf.randn(16, 8)
    gradient = wf.grad(lambda w: wf.mean((x @ w - wf.sum(x, axis=1)) ** 2))(w)
    moment.assign(moment * 0.9 + gradient)
    w.assign_sub(moment * 0.05)
    clock["epoch"], clock["order"] = step, clock["order"][1:] + clock["order"][:1]
    manager.save(step)
    if step == die:
        import os, signal
        os.kill(os.getpid(), signal.SIGKILL)
manager.wait()
print(wf.fingerprint([w.value(), moment.value(), wf.rand(3)]), clock)
"""


def test_a_run_that_is_killed_and_resumed_ends_with_the_same_bytes(tmp_path):
    def run(folder, die):
        return subprocess.run([sys.executable, "-c", TRAINING, str(tmp_path / folder), "30", str(die)], capture_output=True, text=True)

    whole = run("whole", 0)
    assert whole.returncode == 0, whole.stderr
    for die in (1, 7, 8, 20):
        assert run("killed", die).returncode == -9
    resumed = run("killed", 0)
    assert resumed.stdout == whole.stdout, resumed.stderr


def test_a_checkpoint_tells_the_sizes_of_layers_that_wait(tmp_path):
    saved = wf.nn.Sequential([wf.nn.Linear(3, 4), wf.nn.Linear(4, 2)])
    wf.CheckpointManager(tmp_path, model=saved).save(1)
    model = wf.nn.Sequential([wf.nn.Linear(None, 4), wf.nn.Linear(4, 2)])
    assert wf.CheckpointManager(tmp_path, model=model).restore_latest() == 1
    assert wf.fingerprint(model.state_dict()) == wf.fingerprint(saved.state_dict())


def test_layers_that_wait_are_as_they_were_if_a_checkpoint_does_not_fit(tmp_path):
    wf.CheckpointManager(tmp_path, model=wf.nn.Sequential([wf.nn.Linear(3, 4), wf.nn.Linear(4, 2)])).save(1)
    model = wf.nn.Sequential([wf.nn.Linear(None, 4), wf.nn.Linear(4, 5)])
    kept = wf.fingerprint(model[1].state_dict())
    with pytest.raises(wf.InvalidError, match="load_state_dict.match"):
        wf.CheckpointManager(tmp_path, model=model).restore_latest()
    assert model._is_any_pending() and wf.fingerprint(model[1].state_dict()) == kept
    assert model(wf.ones((1, 7))).shape == (1, 5)
