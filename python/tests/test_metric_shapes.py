"""Metrics read outputs and targets as the loss does, whatever their shapes; what does not fit raises, and names differ."""

import math

import numpy as np
import pytest
from sklearn import metrics as sk

import weft as wf

RNG = np.random.default_rng(1)
LOGITS, CLASSES = RNG.normal(size=(30, 4)).astype(np.float32), RNG.integers(0, 4, 30)
SAID = LOGITS.argmax(1)
SCORES, LABELS = RNG.random(30).astype(np.float32), RNG.integers(0, 2, 30)

OF_CLASSES = (wf.metrics.Accuracy, lambda: wf.metrics.TopKAccuracy(2), lambda: wf.metrics.F1(of=1), wf.metrics.Perplexity,
              lambda: wf.metrics.ConfusionMatrix(4))
OF_SCORES = (wf.metrics.Accuracy, wf.metrics.Precision, wf.metrics.F1, wf.metrics.AUC, lambda: wf.metrics.ConfusionMatrix(2))


def _measured(make, output, target, is_traced=False):
    metric = make()
    update = wf.function(metric.update) if is_traced and metric.is_traced else metric.update
    update(wf.tensor(output), wf.tensor(target))
    result = metric.result()
    return result.tolist() if isinstance(result, wf.Tensor) else result


@pytest.mark.parametrize("is_traced", (False, True))
@pytest.mark.parametrize("make", OF_CLASSES)
def test_classes_in_a_column(make, is_traced):
    assert _measured(make, LOGITS, CLASSES[:, None], is_traced) == _measured(make, LOGITS, CLASSES)


@pytest.mark.parametrize("is_traced", (False, True))
@pytest.mark.parametrize("make", OF_SCORES)
def test_scores_and_answers_in_columns(make, is_traced):
    wanted = _measured(make, SCORES, LABELS)
    for output, target in ((SCORES, LABELS[:, None]), (SCORES[:, None], LABELS), (SCORES[:, None], LABELS[:, None]),
                           (SCORES, LABELS.astype(np.float32)), (SCORES, LABELS > 0)):
        assert _measured(make, output, target, is_traced) == wanted
    assert wf.metrics.Accuracy is not make or wanted == sk.accuracy_score(LABELS, SCORES > 0.5)


def test_scores_of_places():
    wanted = ((SCORES > 0.5) == LABELS).mean()
    assert _measured(wf.metrics.Accuracy, SCORES.reshape(5, 6, 1), LABELS.reshape(5, 6)) == pytest.approx(wanted)


@pytest.mark.parametrize("output, target", (((3, 2), (1,)), ((3, 2), ()), ((3, 2), (3, 3)), ((3, 2), (2, 2)), ((3,), (2,)), ((3,), (3, 2)),
                                            ((3, 1), (2, 1)), ((3, 4, 2), (3,)), ((3, 4, 2), (3, 2))))
@pytest.mark.parametrize("is_traced", (False, True))
def test_shapes_that_do_not_fit(output, target, is_traced):
    for make in (*OF_SCORES, lambda: wf.metrics.TopKAccuracy(1)):
        with pytest.raises(wf.InvalidError, match=r"the output has shape \[.*\] and the target \[.*\.shape\]"):
            _measured(make, np.ones(output, np.float32), np.ones(target, np.int64), is_traced)


def test_what_the_shapes_should_be():
    with pytest.raises(wf.InvalidError) as error:
        wf.metrics.Accuracy().update(wf.ones((3, 2)), wf.tensor([1]))
    assert str(error.value) == ("accuracy: the output has shape [3, 2] and the target [1]; targets are the class of each example, or one "
                                "hot [accuracy.shape]")
    with pytest.raises(wf.InvalidError, match=r"and the target \[2\]; each score has one target \[f1.shape\]"):
        wf.metrics.F1().update(wf.ones(3), wf.tensor([1, 0]))
    with pytest.raises(wf.InvalidError, match=r"the best of them are of scores of classes \[top_2_accuracy.classes\]"):
        wf.metrics.TopKAccuracy(2).update(wf.ones(3), wf.tensor([1, 0, 1]))


@pytest.mark.parametrize("eager", (False, True))
def test_classes_along_the_axis_of_the_loss(eager):
    logits, target = RNG.normal(size=(6, 4, 4)).astype(np.float32), RNG.integers(0, 4, (6, 4))
    model = wf.nn.Sequential([lambda x: x])
    metrics = ["accuracy", "perplexity", wf.metrics.TopKAccuracy(2), wf.metrics.F1(of=2)]
    model.compile(wf.optim.SGD([wf.Variable(1.0)]), wf.nn.CrossEntropyLoss(axis=1), metrics, run_eagerly=eager)
    logs = model.evaluate(logits, target, batch_size=4)
    said = logits.argmax(1)
    assert logs["accuracy"] == pytest.approx((said == target).mean())
    assert logs["perplexity"] == pytest.approx(math.exp(logs["loss"]), rel=1e-5)
    assert logs["top_2_accuracy"] == pytest.approx(sk.top_k_accuracy_score(target.ravel(), np.moveaxis(logits, 1, -1).reshape(-1, 4), k=2))
    assert logs["f1"] == pytest.approx(sk.f1_score(target.ravel() == 2, said.ravel() == 2))


def test_class_0_of_scores_that_stand_alone():
    assert _measured(lambda: wf.metrics.F1(of=0), SCORES, LABELS) == pytest.approx(sk.f1_score(LABELS, SCORES > 0.5, pos_label=0))


def test_scores_without_an_order():
    metric = wf.metrics.AUC()
    metric.update(wf.tensor([0.1, math.nan, 0.9]), wf.tensor([0, 0, 1]))
    assert math.isnan(metric.result())


@pytest.mark.parametrize("make", (wf.metrics.Accuracy, wf.metrics.F1, wf.metrics.AUC, wf.metrics.MSE, wf.metrics.R2))
def test_arrays_of_numpy(make):
    metric = make()
    metric.update(SCORES, LABELS.astype(np.float32))
    assert metric.result() == _measured(make, SCORES, LABELS.astype(np.float32))


def _model(metrics, loss="mse", **options):
    model = wf.nn.Sequential([lambda x: x])
    model.compile(wf.optim.SGD([wf.Variable(1.0)]), loss, metrics, **options)
    return model


@pytest.mark.parametrize("eager", (False, True))
def test_functions_are_weighted_by_rows(eager):
    def of_batch(output, target):
        return wf.mean(output)

    def of_each(output, target):
        return output

    x = np.concatenate([np.zeros(48), np.ones(2)]).astype(np.float32)[:, None]
    logs = _model([of_batch, of_each], run_eagerly=eager).evaluate(x, x, batch_size=48)
    assert logs["of_batch"] == pytest.approx(0.04) and logs["of_each"] == pytest.approx(0.04)


def test_functions_that_give_numbers():
    x = np.ones((5, 1), np.float32)
    assert _model([lambda a, b: 0.5], run_eagerly=True).evaluate(x, x, batch_size=2)["<lambda>"] == 0.5

    def nothing(output, target):
        return None

    with pytest.raises(wf.WrongTypeError, match=r"nothing: gave None; a metric gives a number, or a tensor .*\[nothing.value\]"):
        _model([nothing], run_eagerly=True).evaluate(x, x)


def test_metrics_of_one_name_are_numbered():
    def loss(output, target):
        return wf.zeros(())

    model = _model([wf.metrics.F1(of=0), wf.metrics.F1(of=1), loss, wf.metrics.F1(of=2)], "cross_entropy")
    logs = model.evaluate(LOGITS, CLASSES)
    wanted = [sk.f1_score(CLASSES == k, SAID == k) for k in range(3)]
    assert list(logs) == ["loss", "f1", "f1_2", "loss_2", "f1_3"]
    assert [logs[name] for name in ("f1", "f1_2", "f1_3")] == pytest.approx(wanted)
    assert logs["loss"] > 0 and logs["loss_2"] == 0


@pytest.mark.parametrize("eager", (False, True))
def test_batches_whose_targets_are_all_left_out(eager):
    targets = CLASSES.copy()
    targets[10:20] = -1
    targets[25] = -1
    model = wf.nn.Sequential([wf.nn.Linear(4, 4)])
    model.compile(wf.optim.SGD(model.parameters(), lr=0.0), wf.nn.CrossEntropyLoss(ignore_index=-1), run_eagerly=eager)
    kept = targets != -1
    wanted = wf.nn.cross_entropy(model(wf.tensor(LOGITS[kept])), wf.tensor(CLASSES[kept])).item()
    assert model.evaluate(LOGITS, targets, batch_size=10)["loss"] == pytest.approx(wanted, rel=1e-5)
    history = model.fit(LOGITS, targets, epochs=1, batch_size=10, shuffle=False, verbose=0)
    assert history["loss"] == [pytest.approx(wanted, rel=1e-5)]
