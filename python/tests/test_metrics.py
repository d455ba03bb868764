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
    "perplexity": (wf.metrics.Perplexity, LOGITS, CLASSES, math.exp(-np.log(PROBABILITIES[np.arange(103), CLASSES]).mean())),
}


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("traced", (False, True))
def test_metrics(name, traced):
    make, outputs, targets, expected = TABLE[name]
    metric = make()
    if traced and not metric.is_traced:
        pytest.skip("is updated outside of traces")
    update = wf.function(lambda a, b: metric.update(a, b)) if traced else metric.update
    for rows in (slice(0, 40), slice(40, 41), slice(41, 103)):
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
