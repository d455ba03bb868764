"""sample_weight: examples count in the loss by their weights, whatever way they come."""

import numpy as np
import pytest

import weft as wf
from weft import nn

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)).astype(np.float32)
Y = (X[:, 0] > 0).astype(np.int64)
W = RNG.uniform(0.0, 2.0, size=60).astype(np.float32)


def compiled(loss="cross_entropy", **options):
    wf.seed(3)
    model = nn.Linear(4, 2)
    model.compile("adam", loss, **options)
    return model


def trained(*given, model=None, **options):
    model = model or compiled()
    model.fit(*given, **{"epochs": 2, "batch_size": 16 if len(given) > 1 else None, "verbose": 0, **options})
    return wf.fingerprint(model.state_dict())


def each(model):
    return nn.cross_entropy(model(wf.tensor(X)), Y, reduction="none").numpy()


def test_the_loss_is_the_mean_of_weighted_losses():
    model = compiled(metrics=["accuracy"])
    wanted, plain = (each(model) * W).mean(), model.evaluate(X, Y)
    logs = model.evaluate(X, Y, batch_size=16, sample_weight=W)
    assert logs["loss"] == pytest.approx(wanted, rel=1e-6) and logs["accuracy"] == plain["accuracy"]
    assert plain["loss"] == pytest.approx(each(model).mean(), rel=1e-6)
    assert model.train_on_batch(X, Y, sample_weight=W)["loss"] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("shuffle", [False, True])
def test_rows_of_weight_zero_teach_nothing(shuffle):
    other = X.copy()
    other[30:] = 100.0
    weights = np.where(np.arange(60) < 30, 1.0, 0.0)
    model, same = compiled(), compiled()
    wf.seed(7)
    first = trained(X, Y, model=model, sample_weight=weights, shuffle=shuffle)
    wf.seed(7)
    assert trained(other, Y, model=same, sample_weight=weights, shuffle=shuffle) == first


def test_all_ways_give_the_same_bits():
    by_rows = trained(X, Y, sample_weight=W, shuffle=False)
    assert trained(X, Y, shuffle=False) != by_rows
    triples = wf.data.Dataset.from_tensor_slices((X, Y, W)).batch(16)
    assert trained(triples) == by_rows
    listed = wf.data.Dataset.from_generator(lambda: iter([(X[k:k + 16], Y[k:k + 16], W[k:k + 16]) for k in range(0, 60, 16)]))
    assert trained(listed) == by_rows
    assert trained(X, Y, model=compiled(run_eagerly=True), sample_weight=W, shuffle=False) == by_rows
    assert trained(X, Y, sample_weight=W.astype(np.float64), shuffle=False) == by_rows
    assert trained(X, Y, sample_weight=wf.tensor(W), shuffle=False) == by_rows
    careful = trained(X, Y, sample_weight=W, shuffle=False, callbacks=[wf.callbacks.TerminateOnNaN()])
    assert careful == by_rows


def test_weights_of_classes_multiply_them():
    halved = trained(X, Y, sample_weight=W, class_weight={0: 0.5, 1: 0.5})
    assert trained(X, Y, sample_weight=W * np.float32(0.5)) == halved


def test_validation_has_weights_of_its_own():
    model = compiled()
    history = model.fit(X[:40], Y[:40], validation_data=(X[40:], Y[40:], W[40:]), verbose=0)
    assert history["val_loss"][0] == pytest.approx((each(model) * W)[40:].mean(), rel=1e-5)
    split = compiled()
    history = split.fit(X, Y, sample_weight=W, validation_split=1 / 3, verbose=0)
    assert history["val_loss"][0] == pytest.approx((each(split) * W)[40:].mean(), rel=1e-5)


def test_a_weighted_run_is_taken_up_with_the_same_bytes(tmp_path):
    class Stop(wf.callbacks.Callback):
        def on_batch_end(self, batch, compiled):
            if self.run.step == 3:
                self.run.stop("interrupted")

    whole = trained(X, Y, sample_weight=W)
    trained(X, Y, sample_weight=W, callbacks=[Stop()], resume=tmp_path)
    assert trained(X, Y, sample_weight=W, resume=tmp_path) == whole


@pytest.mark.parametrize("act, text", [
    (lambda m: m.fit(wf.data.Dataset.from_tensor_slices((X, Y)).batch(8), sample_weight=W),
     "fit: x is a dataset, which gives weights, as (x, y, weights), too, but there is a sample_weight; leave it out [fit.sample_weight]"),
    (lambda m: m.fit(X, Y, sample_weight=W[:50]), "fit: there are 60 rows in x, but 50 in another part; each row is one example [fit.rows]"),
    (lambda m: m.evaluate(X, Y, sample_weight=1.0),
     "evaluate: sample_weight has dtype float32 and shape []; it has a number for each example [evaluate.sample_weight]"),
    (lambda m: m.fit(X, Y, sample_weight=np.ones((60, 3)), verbose=0),
     "fit: the loss gives shape [32] for [32, 3] weights of examples; it must give one number for each example [fit.weight]"),
])
def test_what_are_no_weights_is_refused(act, text):
    with pytest.raises(wf.InvalidError) as error:
        act(compiled(run_eagerly=True))  # a trace has names for sizes
    assert str(error.value).partition("\n")[0] == text


class TwoHeads(nn.Module):
    def __init__(self):
        self.a, self.b = nn.Linear(4, 2), nn.Linear(4, 1)

    def forward(self, x):
        return {"a": self.a(x), "b": self.b(x)}


@pytest.mark.parametrize("is_eager", [False, True])
def test_several_outputs_have_the_weights_of_their_examples(is_eager):
    model, z = TwoHeads(), X[:, :1]
    model.compile("adam", {"a": "cross_entropy", "b": nn.mse_loss}, run_eagerly=is_eager)
    a = each(model.a)
    b = (model.b(wf.tensor(X)).numpy() - z)[:, 0] ** 2
    targets = {"a": Y, "b": z}
    assert model.evaluate(X, targets, sample_weight=W)["loss"] == pytest.approx((a * W).mean() + (b * W).mean(), rel=1e-5)
    before = wf.fingerprint(model.state_dict())
    model.fit(X, targets, sample_weight=W, verbose=0)
    assert wf.fingerprint(model.state_dict()) != before


def pixels():
    wf.seed(1)
    model = nn.Linear(4, 3)
    model.compile("adam", "cross_entropy")
    return model, RNG.normal(size=(6, 5, 7, 4)).astype(np.float32), RNG.integers(0, 3, size=(6, 5, 7))


def test_weights_of_examples_and_of_classes_of_pictures():
    model, x, y = pixels()
    w = np.linspace(0.0, 2.0, 6).astype(np.float32)
    losses = nn.cross_entropy(model(wf.tensor(x)), y, reduction="none").numpy()
    wanted = (losses * np.array([1.0, 3.0, 1.0])[y] * w[:, None, None]).mean()
    assert model.train_on_batch(x, y, class_weight={1: 3.0}, sample_weight=w)["loss"] == pytest.approx(wanted, rel=1e-5)
    model.fit(x, y, class_weight={1: 3.0}, sample_weight=w, verbose=0)
    with pytest.raises(wf.InvalidError, match=r"train_on_batch: there are weights of examples of shape \[6, 7\], and targets of "
                                              r"\[6, 5, 7\]; .* \[train_on_batch\.sample_weight\]"):
        model.train_on_batch(x, y, class_weight={1: 3.0}, sample_weight=np.ones((6, 7), np.float32))


@pytest.mark.parametrize("wrong, told", [(float("nan"), "nan"), (-0.5, "-0.5"), (float("inf"), "inf"), (-3, "-3")])
@pytest.mark.parametrize("who", ["fit", "evaluate", "train_on_batch", "a dataset"])
def test_weights_of_examples_are_finite_and_not_negative(who, wrong, told):
    layer = wf.nn.Linear(2, 1)
    layer.compile("sgd", "mse")
    x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    weight = np.ones(4, np.int32 if isinstance(wrong, int) else np.float32)
    before = layer.weight.tolist()
    calls = {
        "fit": lambda: layer.fit(x, y, sample_weight=weight, verbose=0),
        "evaluate": lambda: layer.evaluate(x, y, sample_weight=weight),
        "train_on_batch": lambda: layer.train_on_batch(x, y, sample_weight=weight),
        "a dataset": lambda: layer.fit(wf.data.Dataset.from_tensor_slices((x, y, weight)).batch(4), verbose=0),
    }
    weight[2] = wrong
    law = "fit" if who == "a dataset" else who
    with pytest.raises(wf.InvalidError, match=rf"{law}: the weight of example 2 is {told}; weights are finite, and 0 or more "
                                              rf"\[{law}.sample_weight\]"):
        calls[who]()
    assert layer.weight.tolist() == before
    weight[2] = 0
    calls[who]()
