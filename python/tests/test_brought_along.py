"""What people bring along from other libraries: names, keywords and habits are answered, or work."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import weft as wf
from weft import _hints, nn


def refused(act, kind=wf.Error):
    with pytest.raises(kind) as error:
        act()
    return str(error.value).partition("\n")[0]


def test_fingerprints_of_modules_are_those_of_their_states():
    model = nn.Sequential([nn.Linear(4, 8), nn.BatchNorm1d(8)])
    optimizer = wf.optim.Adam(model.parameters())
    before = wf.fingerprint(model)
    assert before == wf.fingerprint(model.state_dict())
    assert wf.fingerprint([model, optimizer]) == wf.fingerprint([model.state_dict(), optimizer.state_dict()])
    assert wf.fingerprint({"w": model[0].weight}) == wf.fingerprint({"w": model[0].weight.value()})
    model[1].running_mean.assign_add(1.0)
    assert wf.fingerprint(model) != before


@pytest.mark.parametrize("owner, name, words", [
    (wf, "DataLoader", "wf.data.Dataset.from_tensor_slices"), (wf.data, "DataLoader", "wf.data.Dataset.from_tensor_slices"),
    (wf.data, "TensorDataset", "wf.data.Dataset.from_tensor_slices"), (wf.data, "AUTOTUNE", "leave num_parallel_calls out"),
    (wf, "AUTOTUNE", "leave num_parallel_calls out"), (wf, "utils", "datasets are in wf.data"),
    (wf.optim, "lr_scheduler", "use wf.optim.schedules"), (wf, "EarlyStopping", "it is wf.callbacks.EarlyStopping"),
    (wf, "ModelCheckpoint", "it is wf.callbacks.ModelCheckpoint"), (wf, "CosineRestarts", "it is wf.optim.schedules.CosineRestarts"),
    (wf, "GradScaler", "use wf.train.LossScaler()"), (wf.train, "EarlyStopping", "it is wf.callbacks.EarlyStopping")])
def test_names_of_others_are_answered(owner, name, words):
    assert f"has no attribute '{name}'; " in refused(lambda: getattr(owner, name), AttributeError)
    assert words in refused(lambda: getattr(owner, name), AttributeError)


def test_what_is_said_to_be_elsewhere_is_there():
    for path, names in _hints._LATE.items():
        for name in names:
            assert getattr(eval(f"wf.{path}"), name) is not None


def test_hints_load_nothing():
    code = ("import sys, weft as wf\ntry: wf.EarlyStopping\nexcept AttributeError as error: assert 'wf.callbacks' in str(error)\n"
            "assert 'weft.train.callbacks' not in sys.modules\nwf.nn.Linear(2, 1).compile('sgd', 'mse')")
    environment = {**os.environ, "PYTHONPATH": os.fspath(pathlib.Path(wf.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=120)


def fitted(**options):
    model = nn.Linear(2, 1)
    model.compile("sgd", "mse")
    return model.fit(np.zeros((4, 2), np.float32), np.zeros((4, 1), np.float32), **options)


@pytest.mark.parametrize("act, text", [
    (lambda: wf.callbacks.ModelCheckpoint("a", save_best_only=True), "ModelCheckpoint: has no argument 'save_best_only'; the best one is kept "
     "by monitor=\"val_loss\" beside the last ones: max_to_keep=1 keeps both [ModelCheckpoint.keyword]"),
    (lambda: wf.callbacks.ModelCheckpoint(filepath="a"), "ModelCheckpoint: has no argument 'filepath'; weft calls this folder "
     "[ModelCheckpoint.keyword]"),
    (lambda: wf.callbacks.EarlyStopping(patients=3), "EarlyStopping: has no argument 'patients'; its arguments are monitor, patience, "
     "min_delta, mode, restore_best_weights [EarlyStopping.keyword]"),
    (lambda: fitted(workers=2), "fit: has no argument 'workers'; datasets have threads of their own: dataset.map(f, num_parallel_calls=2)"
     ".prefetch(2) [fit.keyword]"),
    (lambda: fitted(steps_per_epoch=2), "fit: has no argument 'steps_per_epoch'; a dataset has as many batches as it has: "
     "dataset.take(steps) [fit.keyword]"),
    (lambda: fitted(lr=0.1), "fit: has no argument 'lr'; the optimizer has it: model.compile(wf.optim.Adam(model.parameters(), lr=0.01), "
     "loss) [fit.keyword]"),
    (lambda: nn.Linear(2, 1).compile(), "compile: argument 'optimizer' is missing [compile.count]"),
    (lambda: wf.callbacks.Resume(), "Resume: argument 'folder' is missing [Resume.count]")])
def test_keywords_of_others_are_answered(act, text):
    assert refused(act, wf.WrongTypeError) == text


def test_datasets_are_shuffled_by_themselves():
    model, dataset = nn.Linear(2, 1), wf.data.Dataset.from_tensor_slices((np.ones((4, 2), np.float32), np.ones((4, 1), np.float32))).batch(2)
    model.compile("sgd", "mse")
    assert refused(lambda: model.fit(dataset, shuffle=True)) == (
        "fit: shuffle=True puts rows in memory into a new order, and x gives batches itself; write dataset.shuffle() before batch() "
        "[fit.shuffle]")
    assert refused(lambda: fitted(shuffle="batch")) == "fit: shuffle is 'batch'; it is True or False [fit.shuffle]"
    assert model.fit(dataset, shuffle=False, verbose=0)["loss"]


def test_what_a_function_raises_itself_is_not_hidden():
    class Net(nn.Module):
        def forward(self, x):
            raise TypeError("of its own")

    model = Net()
    model.scale = wf.Variable(1.0)
    model.compile("sgd", "mse")
    assert refused(lambda: model.fit(np.zeros((4, 2), np.float32), np.zeros((4, 1), np.float32)), TypeError) == "of its own"


def test_types_of_columns_by_name(tmp_path):
    path = os.fspath(tmp_path / "a.csv")
    with open(path, "w", encoding="utf-8-sig") as file:
        file.write("a,b,word\n1,2,3\n4,5,x\n")
    kinds = lambda dataset: {name: getattr(value, "dtype", type(value)) for name, value in next(iter(dataset)).items()}  # noqa: E731
    assert kinds(wf.data.csv(path, types={"a": wf.float64})) == {"a": wf.float64, "b": wf.int64, "word": str}
    assert kinds(wf.data.csv(path, types={"word": str, "b": "float32"}, names=["word", "b"])) == {"word": str, "b": wf.float32}
    assert refused(lambda: wf.data.csv(path, types={"c": str})) == "csv: types names the column 'c'; there are a, b, word [csv.types]"
    assert refused(lambda: wf.data.csv(path, types=wf.float32)).startswith("csv: types is ")
    plain = os.fspath(tmp_path / "b.csv")
    with open(plain, "w") as file:
        file.write("1,2\n3,4\n")
    assert kinds(wf.data.csv(plain, types={"b": wf.float32, "a": wf.int32}, names=["a", "b"], header=False)) == {"a": wf.int32, "b": wf.float32}
    assert refused(lambda: wf.data.csv(plain, types={"b": str}, names=["a", "b"], header=False)) == (
        "csv: types has no 'a'; of files without a header it has all columns [csv.types]")
    assert refused(lambda: wf.data.csv(plain, types={"b": str}, header=False)) == (
        "csv: types names the column 'b'; the file has no names of columns: give names too [csv.types]")


def test_all_elements_of_a_length_that_is_not_known():
    numbers = wf.data.Dataset.from_generator(lambda: iter(range(5)))
    assert numbers.as_tensors().tolist() == [0, 1, 2, 3, 4]
    assert wf.data.Dataset.range(10).filter(lambda x: x % 3 == 0).as_tensors().tolist() == [0, 3, 6, 9]
    assert refused(lambda: wf.data.Dataset.range(3).repeat().as_tensors()) == (
        "as_tensors: the dataset is without end; take(n) gives the first n elements [as_tensors.infinite]")
    empty = "as_tensors: the dataset has no elements that would make tensors [as_tensors.empty]"
    assert refused(lambda: wf.data.Dataset.range(3).filter(lambda x: x < 0).as_tensors()) == empty
    assert refused(lambda: wf.data.Dataset.range(0).as_tensors()) == empty


def test_dicts_in_dicts_are_no_file(tmp_path):
    model = nn.Linear(2, 1)
    assert refused(lambda: wf.save(tmp_path / "a.safetensors", {"model": model.state_dict()})) == (
        "save: 'model' is a dict, but a file has one level of names; join them by dots, {'model.w': w}, or keep several states with "
        "wf.CheckpointManager [save.tensors]")
    wf.save(tmp_path / "a.safetensors", {f"model.{name}": value for name, value in model.state_dict().items()})
    assert sorted(wf.load(tmp_path / "a.safetensors")) == ["model.bias", "model.weight"]


def test_what_does_not_depend_is_documented_and_zero():
    assert 'unconnected="zero"' in wf.gradients.__doc__ and 'unconnected="zero"' in wf.GradientTape.gradient.__doc__
    with wf.Graph() as graph:
        x, y = wf.placeholder(wf.float32, ()), wf.placeholder(wf.float32, ())
        slope = wf.gradients(x * x, [x, y], unconnected="zero")
        assert "depend" in refused(lambda: wf.gradients(x * x, [y]))
    assert [one.item() for one in wf.Session(graph).run(slope, {x: 3.0})] == [6.0, 0.0]


def test_summaries_name_the_lists_that_hold_modules():
    class Net(nn.Module):
        def __init__(self):
            self.blocks = [nn.Linear(4, 4), nn.Sequential([nn.Linear(4, 4)])]
            self.heads = {"a": nn.Linear(4, 1)}
            self.last = nn.ModuleList([nn.Linear(1, 1)])

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return self.last[0](self.heads["a"](x))

    lines = str(Net().summary((2, 4))).split("\n")[2:9]
    assert [re.match(r" *(?:[\w.]+: )?\w+", line).group() for line in lines] == [
        "Net", "  blocks.0: Linear", "  blocks.1: Sequential", "    0: Linear", "  heads.a: Linear", "  last: ModuleList", "    0: Linear"]
