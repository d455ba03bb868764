"""Optimizers: they update Variables by gradients, eagerly, in traced functions and in graphs.

Their state and their numbers are Variables, so that a step can be traced, and a change of the learning rate traces nothing again.
"""

from .. import _hints
from . import schedules
from ._averages import EMA
from ._base import Optimizer
from ._builtin import (LAMB, LBFGS, SGD, ASGD, Adadelta, Adafactor, Adagrad, Adam, Adamax, AdamW, Lion, NAdam, RAdam, RMSprop, Rprop)
from ._clip import clip_by_global_norm, clip_by_value, clip_grad_norm, clip_grad_value

__all__ = ["Optimizer", "SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "Lion", "LAMB",
           "Adafactor", "Rprop", "ASGD", "LBFGS", "EMA", "schedules", "clip_grad_norm", "clip_grad_value", "clip_by_global_norm",
           "clip_by_value"]


def __dir__():
    return __all__


def __getattr__(name):
    raise _hints.missing("weft.optim", name)
