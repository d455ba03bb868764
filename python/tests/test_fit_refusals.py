"""What fit says of a training that could not learn, or would not be the one that was asked for."""

import numpy as np
import pytest

import weft as wf
from weft import nn

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 4)).astype(np.float32)
Y = (X[:, 0] > 0).astype(np.int64)


def compiled(loss="cross_entropy", last=2, **options):
    wf.seed(3)
    model = nn.Sequential([nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, last)])
    model.compile("adam", loss, **options)
    return model


def refused(act):
    with pytest.raises(wf.InvalidError) as error:
        act()
    return str(error.value).partition("\n")[0]


@pytest.mark.parametrize("weights, text", [
    ({5: 2.0}, "fit: class_weight names the class 5, but the model tells 2 classes apart; the last one is 1 [fit.class_weight]"),
    ({1: -2.0}, "fit: class_weight gives class 1 the weight -2; weights are finite, and 0 or more [fit.class_weight]"),
    ({0: float("nan")}, "fit: class_weight gives class 0 the weight nan; weights are finite, and 0 or more [fit.class_weight]"),
    ({0: float("inf")}, "fit: class_weight gives class 0 the weight inf; weights are finite, and 0 or more [fit.class_weight]"),
])
@pytest.mark.parametrize("source", ["rows", "dataset"])
def test_weights_of_no_class_and_of_no_weight_are_refused(weights, text, source):
    model = compiled()
    before = wf.fingerprint(model.state_dict())
    given = (X, Y) if source == "rows" else (wf.data.Dataset.from_tensor_slices((X, Y)).batch(16),)
    assert refused(lambda: model.fit(*given, class_weight=weights, verbose=0)) == text
    assert wf.fingerprint(model.state_dict()) == before


@pytest.mark.parametrize("loss, last, targets, weights", [
    ("binary_cross_entropy_with_logits", 1, Y[:, None].astype(np.float32), {1: 2.0}),
    ("cross_entropy", 3, Y, {2: 2.0}),  # a class that no example has is one all the same
    ("cross_entropy", 2, np.eye(2, dtype=np.float32)[Y], {1: 2.0})])
def test_weights_of_classes_that_the_model_tells_are_taken(loss, last, targets, weights):
    assert compiled(loss, last).fit(X, targets, class_weight=weights, verbose=0)["loss"]


def test_weights_of_one_output_are_of_two_classes():
    model = compiled("binary_cross_entropy_with_logits", 1)
    assert refused(lambda: model.fit(X, Y[:, None].astype(np.float32), class_weight={2: 1.0}, verbose=0)) == (
        "fit: class_weight names the class 2, but the model tells 2 classes apart; the last one is 1 [fit.class_weight]")


def test_a_model_that_is_frozen_is_refused():
    model = compiled()
    model.freeze()
    assert refused(lambda: model.fit(X, Y, verbose=0)) == (
        "fit: all parameters of Sequential are frozen; there is nothing to train: unfreeze() some [fit.parameters]")
    empty = nn.Tanh()
    empty.compile(wf.optim.SGD([wf.Variable(1.0)]), "mse")
    assert refused(lambda: empty.fit(X, X, verbose=0)) == "fit: Tanh has no parameters; there is nothing to train [fit.parameters]"


def test_a_run_goes_on_with_the_rows_that_it_had(tmp_path):
    compiled().fit(X, Y, resume=tmp_path, verbose=0)
    assert refused(lambda: compiled().fit(X[:50], Y[:50], epochs=2, resume=tmp_path, verbose=0)) == (
        "resume: the run was saved with 64 rows, and has 50 rows now; go on as it was, or take another folder [resume.rows]")
    dataset = wf.data.Dataset.from_tensor_slices((X, Y))
    compiled().fit(dataset.batch(16), resume=tmp_path / "b", verbose=0)
    assert refused(lambda: compiled().fit(dataset.batch(32), epochs=2, resume=tmp_path / "b", verbose=0)) == (
        "resume: the run was saved with 4 batches in an epoch, and has 2 batches in an epoch now; go on as it was, or take another folder "
        "[resume.batches]")


def test_a_run_of_another_model_is_refused_by_the_name_of_its_folder(tmp_path):
    compiled().fit(X, Y, resume=tmp_path, verbose=0)
    other = nn.Linear(4, 2)
    other.compile("adam", "cross_entropy")
    before = wf.fingerprint(other.state_dict())
    text = refused(lambda: other.fit(X, Y, epochs=2, resume=tmp_path, verbose=0))
    assert text.startswith(f"resume: what is saved in '{tmp_path}' is of another model or optimizer: load_state_dict: the state does not fit ")
    assert text.endswith("; take another folder for this one [resume.model]") and wf.fingerprint(other.state_dict()) == before


@pytest.mark.parametrize("verbose", [0, 1, 2])
def test_a_run_at_its_end_says_so(verbose, tmp_path, capsys):
    first = compiled().fit(X, Y, epochs=2, resume=tmp_path, verbose=0)
    model = compiled()
    again = model.fit(X, Y, epochs=2, resume=tmp_path, verbose=verbose)
    line = f"resume: the run in '{tmp_path}' has come to its end after epoch 2 of 2; nothing is left to train\n"
    assert capsys.readouterr().out == (line if verbose else "")
    assert again.history == first.history and again.epoch == [0, 1]


def test_how_a_run_is_resumed_may_be_chosen(tmp_path):
    resume = wf.callbacks.Resume(tmp_path, every_steps=1, asynchronous=True)
    first = compiled().fit(X, Y, batch_size=16, resume=resume, verbose=0)
    assert resume.manager.steps() == [3, 4] and resume.resumed_step is None
    again = compiled().fit(X, Y, batch_size=16, resume=wf.callbacks.Resume(tmp_path), verbose=0)
    assert again.history == first.history


def test_a_run_that_was_stopped_for_good_says_why(tmp_path, capsys):
    def fit():
        stopping = wf.callbacks.EarlyStopping("loss", min_delta=10.0, patience=1)
        return compiled().fit(X, Y, epochs=9, resume=tmp_path, callbacks=[stopping], verbose=2)

    fit()
    capsys.readouterr()
    again = fit()
    out = capsys.readouterr().out
    assert out.startswith(f"resume: the run in '{tmp_path}' has come to its end after epoch 2 (early stopping: loss has not become better")
    assert out.count("\n") == 1 and len(again["loss"]) == 2


@pytest.mark.parametrize("word, count", [("on_epoch_end", 4), ("on_batch_end", 1)])
def test_stop_training_of_the_model_ends_it(word, count):
    steps = []
    counting = wf.callbacks.LambdaCallback(on_batch_end=lambda batch, compiled: steps.append(batch))
    model = compiled()
    stopping = wf.callbacks.LambdaCallback(**{word: lambda *_: setattr(model, "stop_training", True)})
    history = model.fit(X, Y, epochs=5, batch_size=16, callbacks=[counting, stopping], verbose=0)
    assert len(steps) == count and history.stop_reason == "stop_training was set"
    assert len(model.fit(X, Y, epochs=2, verbose=0)["loss"]) == 2  # the next one begins anew


@pytest.mark.parametrize("eager", [False, True])
def test_images_without_channels_are_the_convolutions_fault(eager):
    images, targets = np.zeros((32, 28, 28), np.float32), np.zeros(32, np.int64)

    def texts(first, last):
        """What each method says of a model, which is a new one for each."""
        acts = {"fit": lambda m: m.fit(images, targets, verbose=0), "evaluate": lambda m: m.evaluate(images, targets),
                "predict": lambda m: m.predict(images), "train_on_batch": lambda m: m.train_on_batch(images, targets)}
        for who, act in acts.items():
            model = nn.Sequential([nn.Conv2d(*first, 3), nn.Flatten(), nn.Linear(last, 10)])
            model.compile("adam", "cross_entropy", run_eagerly=eager)
            yield who, refused(lambda: act(model)), model

    text = "conv2d: x has shape [32, 28, 28] with 32 channels, but weight has shape [4, 1, 3, 3] with 1 for each of 1 groups"
    assert all(said.startswith(text) for _, said, _ in texts((1, 4), 4 * 26 * 26))
    # As many channels as examples are no error of the convolution itself.
    told = [*texts((None, 32), None), *texts((32, 32), 32 * 26 * 26)]
    for who, said, _ in told:
        assert said == (f"{who}: Conv2d '0' was given a batch of shape [32, 28, 28], and takes its 32 examples for channels; it needs an axis "
                        f"of channels after that of examples: x[:, None] makes one [{who}.channels]")
    assert all(waiting.fit(images[:, None], targets, verbose=0)["loss"] for _, _, waiting in told[:4])


def test_errors_of_the_loss_stay_errors_of_the_loss():
    assert refused(lambda: compiled().fit(X, X, verbose=0)).startswith("cross_entropy: ")


@pytest.mark.parametrize("options, text", [
    ({"shuffle": True}, "fit: shuffle=True puts rows in memory into a new order, and x gives batches itself; write dataset.shuffle() before "
                        "batch() [fit.shuffle]"),
    ({"batch_size": 64}, "fit: batch_size is 64, and x gives batches itself; write dataset.batch(64) [fit.batch_size]"),
    ({"epochs": 0}, "fit: epochs is 0; it is a number of epochs, 1 or more [fit.epochs]"),
    ({"epochs": 2, "initial_epoch": 2}, "fit: initial_epoch is 2, but training ends before epoch 2, which epochs says; it counts those that are "
                                        "done, too [fit.epochs]"),
])
def test_options_that_make_no_sense_are_refused(options, text):
    batches = wf.data.Dataset.from_tensor_slices((X, Y)).batch(16)
    assert refused(lambda: compiled().fit(batches, verbose=0, **options)) == text


def test_sizes_of_batches_beside_a_dataset():
    batches = wf.data.Dataset.from_tensor_slices((X, Y)).batch(16)
    for who, act in (("evaluate", lambda m: m.evaluate(batches, batch_size=8)), ("predict", lambda m: m.predict(batches, batch_size=8))):
        assert refused(lambda: act(compiled())) == (f"{who}: batch_size is 8, and x gives batches itself; write dataset.batch(8) "
                                                    f"[{who}.batch_size]")
    # It is that of the rows that are validated with.
    assert compiled().fit(batches, batch_size=8, validation_data=(X, Y), verbose=0)["val_loss"]


@pytest.mark.parametrize("options, text", [
    ({"epochs": 1.5}, "fit: epochs is 1.5; it is a number of epochs, 1 or more [fit.epochs]"),
    ({"epochs": -1}, "fit: epochs is -1; it is a number of epochs, 1 or more [fit.epochs]"),
    ({"epochs": "3"}, "fit: epochs is '3'; it is a number of epochs, 1 or more [fit.epochs]"),
    ({"epochs": True}, "fit: epochs is True; it is a number of epochs, 1 or more [fit.epochs]"),
    ({"initial_epoch": -1}, "fit: initial_epoch is -1; it is a number of epochs, 0 or more [fit.initial_epoch]"),
    ({"batch_size": 8.0}, "fit: batch_size is 8.0; it is 1 or more [fit.batch_size]"),
    ({"batch_size": 0}, "fit: batch_size is 0; it is 1 or more [fit.batch_size]"),
    ({"verbose": []}, "fit: verbose is []; it is 0, 1, 2 or 'auto' [fit.verbose]"),
    ({"verbose": {}}, "fit: verbose is {}; it is 0, 1, 2 or 'auto' [fit.verbose]"),
    ({"validation_data": (X, Y), "validation_split": 0.25},
     "fit: there are validation_data and a validation_split; give one of them [fit.validation_split]"),
], ids=lambda given: str(given)[:30])
def test_arguments_that_mean_nothing_are_refused(options, text):
    model = compiled()
    before = wf.fingerprint(model.state_dict())
    assert refused(lambda: model.fit(X, Y, **{"verbose": 0, **options})) == text
    assert wf.fingerprint(model.state_dict()) == before


def test_integers_of_numpy_are_integers():
    def trained(kind):
        model = compiled(accumulate=kind(2))
        model.fit(X, Y, epochs=kind(3), initial_epoch=kind(1), batch_size=kind(8), verbose=0)
        return model.predict(X, batch_size=kind(16)).tolist(), model.evaluate(X, Y, batch_size=kind(16))

    assert trained(np.int64) == trained(int)


class OwnLoss(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return wf.mean(self.fc(x) ** 2)


@pytest.mark.parametrize("act", [
    lambda m, w: m.fit(X, sample_weight=w, verbose=0), lambda m, w: m.evaluate(X, sample_weight=w),
    lambda m, w: m.train_on_batch(X, sample_weight=w),
    lambda m, w: m.fit([(X, None, w)].__iter__(), verbose=0)])
def test_weights_of_a_model_that_is_its_own_loss_are_refused(act):
    model = OwnLoss()
    model.compile("adam")
    model.fit(X, verbose=0)
    assert refused(lambda: act(model, np.ones(64, np.float32))) == (
        "fit: there are weights of examples, but what the model gives is the loss, without examples; weigh them in the model, or compile "
        "it with a loss [fit.weight]")


@pytest.mark.parametrize("run_eagerly", [True, False])
@pytest.mark.parametrize("loss, text", [
    (lambda out, y: out ** 2,
     r"compile: the loss of a batch is float32\[\w+, 2\]; it is one number, a float, such as the mean\(\) of the losses of its "
     r"examples \[compile.loss\]"),
    (lambda out, y: out.argmax(1).sum(), r"compile: the loss of a batch is int64\[\]; it is one number, a float, .* \[compile.loss\]"),
    (lambda out, y: 3.0, r"compile: the loss is float, 3.0; it is a tensor that is made of the model's outputs \[compile.loss\]"),
    (lambda out, y: None, r"compile: the loss is NoneType, None; it is a tensor that is made of the model's outputs \[compile.loss\]"),
])
def test_a_loss_that_is_no_number_is_refused(loss, text, run_eagerly):
    model = compiled(loss, run_eagerly=run_eagerly)
    before = wf.fingerprint(model.state_dict())
    with pytest.raises(wf.WrongTypeError, match=text):
        model.fit(X, Y, verbose=0)
    assert wf.fingerprint(model.state_dict()) == before


def test_a_fit_without_targets_says_so():
    model = nn.Sequential(nn.Linear(2, 2))
    model.compile("sgd", "cross_entropy")
    with pytest.raises(wf.InvalidError, match=r"no targets, but CrossEntropyLoss compares.*fit\(x, y\).*\[fit.targets\]"):
        model.fit(wf.ones((4, 2)), verbose=0)


def test_a_traced_function_is_a_loss():
    model = nn.Sequential(nn.Linear(2, 2))
    model.compile("sgd", wf.function(lambda out, y: wf.nn.mse_loss(out, y)), metrics=["mae"])
    assert model.fit(wf.ones((4, 2)), wf.ones((4, 2)), verbose=0)["loss"][0] > 0
