"""Checks that every op goes through: inference, gradients against differences, batching against a loop."""

from collections.abc import Callable
from typing import Any

from . import TensorLike

TOLERANCE: dict[str, float]

class CheckFailed(AssertionError): ...

def check_op(op: Callable[..., Any], *samples: Any, reference: Callable[..., Any] | None = None, gradient: bool = True,
             batching: bool = True) -> None: ...
def assert_close(actual: TensorLike, expected: TensorLike, *, tolerance: float | None = None,
                 what: str = "the result") -> None: ...
