"""Recursion that no traced value ends."""

# ruff: noqa: E701, SIM, RET, PLR
from rewrite_table import I, refused


@refused("function: `factorial` calls itself under a traced condition without end; write a loop: a traced recursion "
         "has no last call [function.recursion]", 3, I(5))
def endless_recursion(n):
    def factorial(k):
        # the last call is never reached while tracing
        if k > 1:
            return k * factorial(k - 1)
        return k

    return factorial(n)


def _factorial(n):
    return n * _factorial(n - 1) if n > 1 else n


@refused("function: `_factorial` calls itself under a traced condition without end; write a loop: a traced recursion "
         "has no last call [function.recursion]", -5, I(5))
def endless_recursion_of_a_module(n):
    return _factorial(n)
