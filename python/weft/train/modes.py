"""The mode of a model for a while."""

import contextlib


@contextlib.contextmanager
def mode_is(model, training):
    """A model is in a mode inside; then each of its modules is in its own again."""
    before = [(module, module.training) for module in model.modules()]
    try:
        model.train(training)
        yield
    finally:
        for module, mode in before:
            object.__setattr__(module, "training", mode)
