"""Metrics over uneven batches are those of all examples at once, as scikit-learn computes them; traced and eager alike."""

import math

import numpy as np
import pytest
from sklearn import metrics as sk

import weft as wf

RNG = np.random.default_rng(0)
LOGITS, CLASSES = RNG.normal(size=(103, 7)).astype(np.float32), RNG.integers(0, 7, 103)
SCORES = RNG.random(103).astype(np.float32).round(1)  # with ties
LABELS = (SCORES + RNG.normal(size=103) * 0.5 > 0.5).astype(np.int64)
VALUES = (LOGITS[:, :2] + RNG.normal(size=(103, 2)) * 0.1).astype(np.float32)
SAID, PROBABILITIES = LOGITS.argmax(1), np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True)

PAIRS = (RNG.normal(size=(103, 2)) * [6, 1] + LABELS[:, None] * [-3, 1]).astype(np.float32)
FAR = 1e8 + RNG.normal(size=103)

TABLE = {
    "accuracy": (wf.metrics.Accuracy, LOGITS, CLASSES, sk.accuracy_score(CLASSES, SAID)),
    "accuracy of scores": (wf.metrics.Accuracy, SCORES, LABELS, sk.accuracy_score(LABELS, SCORES > 0.5)),
    "accuracy of one hot targets": (wf.metrics.Accuracy, LOGITS, np.eye(7, dtype=np.float32)[CLASSES], sk.accuracy_score(CLASSES, SAID)),
    "top 3": (lambda: wf.metrics.TopKAccuracy(3), LOGITS, CLASSES, sk.top_k_accuracy_score(CLASSES, LOGITS, k=3)),
    "precision": (wf.metrics.Precision, SCORES, LABELS, sk.precision_score(LABELS, SCORES > 0.5)),
    "precision of a class": (lambda: wf.metrics.Precision(of=2), LOGITS, CLASSES, sk.precision_score(CLASSES == 2, SAID == 2)),
    "recall": (wf.metrics.Recall, SCORES, LABELS, sk.recall_score(LABELS, SCORES > 0.5)),
    "f1": (lambda: wf.metrics.F1(threshold=0.3), SCORES, LABELS, sk.f1_score(LABELS, SCORES > np.float32(0.3))),
    "auc": (wf.metrics.AUC, SCORES, LABELS, sk.roc_auc_score(LABELS, SCORES)),
    "mse": (wf.metrics.MSE, VALUES, LOGITS[:, :2], sk.mean_squared_error(LOGITS[:, :2], VALUES)),
    "mae": (wf.metrics.MAE, VALUES, LOGITS[:, :2], sk.mean_absolute_error(LOGITS[:, :2], VALUES)),
    "r2": (wf.metrics.R2, VALUES[:, 0], LOGITS[:, 0], sk.r2_score(LOGITS[:, 0], VALUES[:, 0])),
    "r2 of columns": (wf.metrics.R2, VALUES * [1, 30], LOGITS[:, :2] * [1, 30], sk.r2_score(LOGITS[:, :2] * [1, 30], VALUES * [1, 30])),
    "r2 far from 0": (wf.metrics.R2, FAR + RNG.normal(size=103) * 0.1, FAR, None),
    "r2 of equal targets": (wf.metrics.R2, np.array([[1.0, 2.0], [1.5, 2.0]]), np.array([[1.0, 2.0], [1.0, 2.0]]), 0.5),
    "auc of two classes": (wf.metrics.AUC, PAIRS, LABELS, sk.roc_auc_score(LABELS, np.diff(PAIRS.astype(np.float64))[:, 0])),
    "f1 of two classes": (wf.metrics.F1, PAIRS, LABELS, sk.f1_score(LABELS, PAIRS.argmax(1))),
    "perplexity": (wf.metrics.Perplexity, LOGITS, CLASSES, math.exp(-np.log(PROBABILITIES[np.arange(103), CLASSES]).mean())),
}


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("traced", (False, True))
def test_metrics(name, traced):
    make, outputs, targets, expected = TABLE[name]
    expected = sk.r2_score(targets, outputs) if expected is None else expected
    metric = make()
    if traced and not metric.is_traced:
        pytest.skip("is updated outside of traces")
    update = wf.function(lambda a, b: metric.update(a, b)) if traced else metric.update
    for rows in (slice(0, 40), slice(40, 41), slice(41, 103)) if len(outputs) > 40 else (slice(0, 1), slice(1, 2)):
        update(wf.tensor(outputs[rows]), wf.tensor(targets[rows]))
    assert metric.result() == pytest.approx(expected, rel=1e-5)
    kept, other = metric.state_dict(), make()
    metric.reset()
    assert math.isnan(metric.result())
    other.load_state_dict(kept)
    assert other.result() == pytest.approx(expected, rel=1e-5)


def test_confusion_matrix():
    metric = wf.metrics.ConfusionMatrix(7)
    for rows in (slice(0, 50), slice(50, 103)):
        metric.update(wf.tensor(LOGITS[rows]), wf.tensor(CLASSES[rows]))
    assert metric.result().tolist() == sk.confusion_matrix(CLASSES, SAID).tolist()


@pytest.mark.parametrize("eager", (False, True))
def test_one_logit_says_yes_above_0(eager):
    model = wf.nn.Sequential([lambda x: x])
    targets = (LOGITS[:, :1] + RNG.normal(size=(103, 1)) > 0).astype(np.float32)
    said = LOGITS[:, :1] > 0
    names = ["accuracy", "precision", "recall", "f1", "auc"]
    wanted = [sk.accuracy_score(targets, said), sk.precision_score(targets, said), sk.recall_score(targets, said),
              sk.f1_score(targets, said), sk.roc_auc_score(targets, LOGITS[:, :1])]
    for loss in ("binary_cross_entropy_with_logits", wf.nn.BCEWithLogitsLoss(), wf.nn.binary_cross_entropy_with_logits):
        model.compile(wf.optim.SGD([wf.Variable(1.0)]), loss, names, run_eagerly=eager)
        logs = model.evaluate(LOGITS[:, :1], targets, batch_size=40)
        assert [logs[name] for name in names] == pytest.approx(wanted)
    model.compile(wf.optim.SGD([wf.Variable(1.0)]), "binary_cross_entropy", names, run_eagerly=eager)
    chances = (1 / (1 + np.exp(-LOGITS[:, :1]))).astype(np.float32)
    logs = model.evaluate(chances, targets, batch_size=40)
    assert [logs[name] for name in names] == pytest.approx(wanted)


def test_several_answers_of_yes_or_no():
    targets = (LOGITS + RNG.normal(size=LOGITS.shape) > 0).astype(np.float32)
    model = wf.nn.Sequential([lambda x: x])
    model.compile(wf.optim.SGD([wf.Variable(1.0)]), "binary_cross_entropy_with_logits", ["accuracy", "f1", "auc"])
    logs = model.evaluate(LOGITS, targets)
    assert logs["accuracy"] == pytest.approx(((LOGITS > 0) == targets).mean())
    assert logs["f1"] == pytest.approx(sk.f1_score(targets, LOGITS > 0, average="micro"))
    assert logs["auc"] == pytest.approx(sk.roc_auc_score(targets, LOGITS, average="micro"))


@pytest.mark.parametrize("eager", (False, True))
def test_targets_that_the_loss_leaves_out(eager):
    targets = np.where(np.arange(103) % 3 == 0, -100, CLASSES)
    kept = targets != -100
    model = wf.nn.Sequential([lambda x: x])
    metrics = ["accuracy", "perplexity", wf.metrics.TopKAccuracy(3), wf.metrics.F1(of=2), wf.metrics.ConfusionMatrix(7)]
    model.compile(wf.optim.SGD([wf.Variable(1.0)]), wf.nn.CrossEntropyLoss(ignore_index=-100), metrics, run_eagerly=eager)
    logs = model.evaluate(LOGITS, targets, batch_size=103)
    assert logs["accuracy"] == pytest.approx(sk.accuracy_score(CLASSES[kept], SAID[kept]))
    assert logs["perplexity"] == pytest.approx(math.exp(logs["loss"]), rel=1e-5)
    assert logs["top_3_accuracy"] == pytest.approx(sk.top_k_accuracy_score(CLASSES[kept], LOGITS[kept], k=3, labels=range(7)))
    assert logs["f1"] == pytest.approx(sk.f1_score(CLASSES[kept] == 2, SAID[kept] == 2))
    assert logs["confusion_matrix"].tolist() == sk.confusion_matrix(CLASSES[kept], SAID[kept]).tolist()


@pytest.mark.parametrize("make, text", [
    (wf.metrics.F1, "f1: the output has scores of 7 classes; name the one that counts: wf.metrics.F1(of=1) [f1.classes]"),
    (wf.metrics.Precision, "precision: the output has scores of 7 classes; name the one that counts: wf.metrics.Precision(of=1) "
     "[precision.classes]"),
    (wf.metrics.AUC, "auc: the output has scores of 7 classes, but a curve is of two; watch wf.metrics.ConfusionMatrix, or one class "
     "against the rest in a metric of your own [auc.classes]"),
])
def test_what_is_of_two_classes_is_refused_for_more(make, text):
    with pytest.raises(wf.InvalidError) as error:
        make().update(wf.tensor(LOGITS), wf.tensor(CLASSES))
    assert str(error.value) == text


@pytest.mark.parametrize("make", (wf.metrics.Accuracy, wf.metrics.F1, wf.metrics.MSE, wf.metrics.R2, wf.metrics.Perplexity, wf.metrics.AUC))
def test_several_outputs_are_refused(make):
    x = wf.tensor(LOGITS)
    with pytest.raises(wf.InvalidError, match="there are 2 outputs and 1 targets of a batch; it measures one of each: give a function of"):
        make().update({"a": x, "b": x}, wf.tensor(CLASSES))


def test_names_and_functions():
    model = wf.nn.Linear(2, 1)
    with pytest.raises(ValueError, match=r"compile: there is no metric 'acuracy'; did you mean 'accuracy'\? \[compile.metrics\]"):
        model.compile("sgd", "mse", metrics=["acuracy"])
    with pytest.raises(TypeError, match=r"compile: a metric is 3; it is a name, an object of wf.metrics or a function \[compile.metrics\]"):
        model.compile("sgd", "mse", metrics=[3])

    def bias(output, target):
        return output - target

    model.compile(wf.optim.SGD(model.parameters(), lr=0.0), "mse", metrics=[bias], run_eagerly=True)
    x, y = wf.ones((5, 2)), wf.zeros((5, 1))
    logs = model.evaluate(x, y, batch_size=2)
    assert logs["bias"] == pytest.approx(model(x)[0, 0].item(), rel=1e-6)
    with pytest.raises(ValueError, match=r"mse: the output has shape \[5, 1\] and the target \[5\]; they must be equal \[mse.shape\]"):
        wf.metrics.MSE().update(model(x), wf.zeros(5))
