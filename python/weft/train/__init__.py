"""Training: compile, fit, evaluate, predict and train_on_batch, which every Module has; metrics, callbacks, profiles.

>>> model = wf.nn.Sequential([wf.nn.Linear(2, 8), wf.nn.Tanh(), wf.nn.Linear(8, 1)])
>>> model.compile(optimizer="adam", loss="mse")
>>> x = wf.random.normal(wf.random.Key(0), (64, 2))
>>> history = model.fit(x, x[:, :1] * x[:, 1:], epochs=2, verbose=0)
>>> sorted(history.history)
['loss']
"""

from .. import _hints
from ..nn.module import Module
from .._users import as_it_is as _as_it_is


@_as_it_is
@_hints.spoken
def compile(self, optimizer, loss=None, metrics=(), *, run_eagerly=False, precision=None, clip_norm=None, accumulate=1):
    """Says how the model is trained; fit, evaluate and train_on_batch follow it.

    Arguments:
        optimizer: one of wf.optim, or its name, "adam", which takes the usual options
        loss: a function of (output, target), a module of wf.nn, or a name such as "cross_entropy"; of a model with several outputs
            also a dict or list of them, whose sum counts
        metrics: what is watched beside the loss: names such as "accuracy", or objects of wf.metrics; a dict of them by outputs
        run_eagerly: computes each step op by op, with the same bits as the traced one
        precision: "bfloat16" or "float16" computes products in that dtype; parameters stay as they are
        clip_norm: the greatest norm of all gradients together; longer ones are scaled down
        accumulate: how many batches' gradients are averaged before each update
    """
    from .compiled import Compiled

    compiled, before = Compiled(self, optimizer, loss, metrics, run_eagerly, precision, clip_norm, accumulate), _compiled_of(self)
    if before is not None:
        before.end()
    compiled.begin()
    object.__setattr__(self, "_compiled", compiled)


@_as_it_is
@_hints.spoken
def fit(self, x=None, y=None, epochs=1, batch_size=None, validation_data=None, callbacks=(), class_weight=None, initial_epoch=0,
        verbose="auto", *, shuffle=None, validation_split=0.0, resume=None, sample_weight=None):
    """Trains the model, and gives the History of what was measured.

    Arguments:
        x, y: tensors or arrays, or trees of them, with an example in each row; or x alone, a dataset or a list of
            (x, y) or (x, y, weight) batches
        epochs: training ends before the epoch of this number; the first is 0, so that it is how many there are unless initial_epoch
            says otherwise
        batch_size: rows in a batch, 32 unless told; a dataset has batches of its own
        validation_data: (x, y), (x, y, weight) or a dataset, evaluated after every epoch
        callbacks: objects of wf.callbacks
        class_weight: {class: weight} for targets that are classes
        initial_epoch: the first epoch's number
        verbose: 1 shows a progress bar, 2 one line an epoch, 0 nothing; "auto" is 1 on a terminal, 2 elsewhere
        shuffle: whether rows are put into a new order in each epoch, as they are unless it is False; a dataset has its own shuffle()
        validation_split: the part of x and y, at their end, that is kept for validation, without validation_data
        resume: a folder for checkpoints, or a wf.callbacks.Resume: a run that was stopped goes on where it was, with the same bits
        sample_weight: how much each example counts in the loss, by its row; metrics count all alike
    """
    from .fitting import Fit

    return Fit(self, _compiled(self, "fit"), x, y, epochs, batch_size, validation_data, callbacks, class_weight, initial_epoch,
               verbose, shuffle, validation_split, resume, sample_weight).run()


@_as_it_is
@_hints.spoken
def evaluate(self, x, y=None, batch_size=None, verbose=0, *, sample_weight=None):
    """{name: value} of the loss and the metrics over all of x and y, or of a dataset; the model is not trained. Examples count in the
    loss by their `sample_weight`, if there is one."""
    from .evaluating import evaluated

    return evaluated(self, _compiled(self, "evaluate"), x, y, batch_size, verbose, sample_weight)


@_as_it_is
@_hints.spoken
def predict(self, x, batch_size=None):
    """What the model gives for all rows of x, computed in batches, without training."""
    from .evaluating import predicted

    return predicted(self, x, batch_size)


@_as_it_is
@_hints.spoken
def train_on_batch(self, x, y=None, class_weight=None, sample_weight=None):
    """One step of training; gives {name: value} of the loss and the metrics of this batch."""
    from .fitting import train_once

    return train_once(self, _compiled(self, "train_on_batch"), x, y, class_weight, sample_weight)


def _compiled_of(model):
    return model.__dict__.get("_compiled")


def _compiled(model, who):
    from .. import _core

    found = _compiled_of(model)
    if found is None:
        raise _core.InvalidError(f"{who}: {type(model).__name__} does not know how it is trained; call "
                                 f"model.compile(optimizer, loss) first [{who}.compile]")
    return found


for _method in (compile, fit, evaluate, predict, train_on_batch):
    setattr(Module, _method.__name__, _method)


# What loads on first use, and where it is.
_LATE = {"draw_curves": "picture", "draw_confusion": "picture", "draw_images": "picture", "profile": "profiling",
         "LossScaler": "scaling"}


def __getattr__(name):
    import importlib

    if name in ("callbacks", "metrics"):
        return importlib.import_module(f"weft.train.{name}")
    if name in _LATE:
        return getattr(importlib.import_module(f"weft.train.{_LATE[name]}"), name)
    raise _hints.missing("weft.train", name)
