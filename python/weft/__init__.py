"""Weft: tensors, automatic differentiation, graphs."""

from . import _core
