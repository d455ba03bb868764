"""Functions with logical operators, conditional expressions, comparisons, asserts and prints on traced values."""

# ruff: noqa: E701, SIM, RET, PLR
import numpy as np
from rewrite_table import F, I, case

_TWO = [(F(a), F(b)) for a in (1, -1) for b in (1, -1)]


@case(*_TWO, staged="and")
def and_of_two(x, y):
    return x > 0 and y > 0


@case(*_TWO, staged="or")
def or_of_two(x, y):
    return x > 0 or y > 0


@case((F(1),), (F(-1),), staged="not")
def not_of_one(x):
    return not x > 0


@case(*_TWO, staged="and or not")
def mixed(x, y):
    return (x > 0 and not y > 0) or (not x > 0 and y > 0)


@case(*_TWO, staged="and")
def and_of_three(x, y):
    return x > 0 and y > 0 and x + y > 1


@case(*_TWO, staged="cond")
def and_as_condition(x, y):
    if x > 0 and y > 0:
        return x + y
    return x - y


@case((I(1), np.array([1.0, 2.0])), (I(7), np.array([1.0, 2.0])), staged="cond")
def short_circuit(i, x):
    return i < 2 and x[i] > 1.5


@case((I(0), I(4)), (I(2), I(4)), staged="cond")
def or_short_circuit(i, n):
    return i == 0 or abs(n // i) > 1


@case((F(3), F(4)), (F(0), F(4)), staged="cond")
def values_of_and(x, y):
    return x and y


@case((F(3), F(4)), (F(0), F(4)), staged="cond")
def values_of_or(x, y):
    return x or y


@case((F(3), True), (F(3), False), (F(-3), True))
def python_first(x, flag):
    return flag and x > 0


@case((F(3), True), (F(-3), False))
def python_last(x, flag):
    return x > 0 and flag


@case((F(3), None), (F(3), F(2)))
def none_first(x, y):
    return y is None or x > y


@case((F(3),), (F(0),), staged="not")
def not_of_number(x):
    return not x


@case((F(1),), (F(3),), (F(5),), staged="and")
def chained_comparison(x):
    return 2 < x < 4


@case((F(1),), (F(3),), (F(5),), staged="and")
def longer_chain(x):
    return 0 <= x < 4 != x


@case((F(3),), (F(5),))
def chain_evaluates_once(x):
    seen = []

    def middle():
        seen.append(1)
        return x

    inside = 2 < middle() < 4
    return inside, len(seen)


@case((F(3),), (F(-3),), staged="cond")
def conditional(x):
    return x if x > 0 else -x


@case((F(3),), (F(-3),), (F(0),), staged="cond")
def nested_conditional(x):
    return 1 if x > 0 else -1 if x < 0 else 0


@case((F(3),), (F(-3),), staged="cond")
def conditional_of_tuples(x):
    a, b = (x, 1) if x > 0 else (-x, 2)
    return a * b


@case((F(3), True), (F(3), False))
def conditional_in_python(x, flag):
    return x if flag else [x, x]


@case((F(3),), (F(-3),), staged="cond")
def conditional_as_argument(x):
    return abs(x + (1 if x > 0 else 2))


@case((F(3),), (F(-3),), staged="cond")
def conditional_in_comprehension(x):
    return [x * k if x > k else x for k in range(3)]


@case((np.array([1.0, -2.0, 3.0]),))
def comprehension_over_tensor(x):
    return [row * 2 for row in x]


@case((np.array([1.0, -2.0, 3.0]),), staged="cond")
def comprehension_with_choice(x):
    return {k: v if v > 0 else -v for k, v in enumerate(x)}


@case((F(3), [1, 2, 3]),)
def python_filter(x, items):
    return [x * k for k in items if k % 2 and k > 1]


@case((F(3),))
def generator_expression(x):
    return list(x + k for k in range(3) if not k == 1)


@case((F(3), 2), (F(3), 5))
def membership_in_python(x, k):
    return x if k in (1, 2, 3) and k not in [7] else -x


@case((F(3),), staged="assert")
def assertion(x):
    assert x > 0
    return x


@case((F(3),), staged="assert")
def assertion_with_message(x):
    assert x > 0, f"{x} is not positive"
    return x


@case((F(3),), (F(-3),), staged="assert cond")
def assertion_in_branch(x):
    if x > 0:
        assert x < 10, "too large"
        x = x + 1
    return x


@case((F(-3),), staged="assert cond")
def assertion_that_would_fail_elsewhere(x):
    if x > 0:
        assert False, "positive"
    return x


@case((F(3), 4))
def assertion_in_python(x, n):
    assert n == 4, "four"
    return x * n


@case((F(3),))
def walrus_first(x):
    if (y := x + 1) > 0:
        y = y * 2
    return y


@case((F(3), 1), (F(3), 0))
def walrus_in_python(x, n):
    return (m := n + 1) > 1 and (k := m * 2) > 3 and x * k


@case((F(3),), (F(-3),), staged="cond")
def subscript_of_choice(x):
    return (x, x + 1)[0 if x.shape == () else 1] if x > 0 else x


@case((F(3), F(4)), (F(3), F(2)), staged="cond")
def condition_in_call(x, y):
    def larger(a, b):
        return a if a > b else b

    return larger(larger(x, y), 3.5)


@case((F(3),), (F(-3),), staged="cond")
def f_string_in_python(x):
    label = f"{1 if x.shape == () else 2}"
    return (label, x) if x > 0 else (label, -x)
