"""Functions with loops over traced values."""

# ruff: noqa: E701, SIM, RET, PLR
import numpy as np
from rewrite_table import F, I, case

_ROWS = np.array([[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]])
_LINE = np.array([3.0, 1.0, -2.0, 5.0])


@case((I(10),), (I(0),), staged="while_loop")
def count_down(n):
    total = 0
    while n > 0:
        total = total + n
        n = n - 1
    return total


@case((I(27),), (I(1),), staged="while_loop cond")
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@case((F(100),), (F(0.5),), staged="while_loop")
def while_with_call(x):
    def is_large(v):
        return v > 1

    while is_large(x):
        x = x / 2
    return x


@case((F(100),), (F(1),), staged="while_loop")
def while_and(x):
    n = 0
    while x > 1 and n < 3:
        x = x / 2
        n += 1
    return x, n


@case((F(3),), (F(300),), staged="while_loop")
def while_true_break(x):
    while True:
        x = x * 2
        if x > 100:
            break
    return x


@case((F(3),), (F(300),), staged="while_loop")
def break_first(x):
    n = 0
    while True:
        if x > 100:
            break
        x = x * 2
        n += 1
    return x, n


@case((I(10),), (I(0),), staged="while_loop cond")
def while_continue(n):
    odd = 0
    while n > 0:
        n = n - 1
        if n % 2 == 0:
            continue
        odd = odd + n
    return odd


@case((I(10),), (I(3),), (I(-1),), staged="while_loop")
def while_return(n):
    while n > 0:
        if n == 5:
            return n * 100
        n = n - 1
    return n


@case((I(10),), (I(3),), staged="while_loop")
def while_else(n):
    while n > 0:
        if n == 5:
            break
        n = n - 1
    else:
        n = n - 100
    return n


@case((I(10),), staged="while_loop")
def while_else_without_break(n):
    while n > 0:
        n = n - 3
    else:
        n = n - 100
    return n


@case((I(4),), (I(0),), staged="while_loop")
def nested_while(n):
    total = 0
    while n > 0:
        k = n
        while k > 0:
            total += k
            k -= 1
        n -= 1
    return total


@case((I(5), 3), (I(5), 0))
def python_while(x, n):
    while n:
        x = x + n
        n -= 1
    return x


@case((I(5), 3), staged="while_loop")
def while_that_becomes_traced(x, n):
    while n < 10:
        n = n + x
    return n


@case((F(5),), staged="while_loop")
def while_carries_trees(x):
    state = {"x": x, "history": (x, 0)}
    while state["x"] > 1:
        state = {"x": state["x"] / 2, "history": (state["x"], state["history"][1] + 1)}
    return state


@case((np.array([8.0, 9.0]),), staged="while_loop")
def while_on_vectors(x):
    while x.sum() > 1:
        x = x / 2
    return x


@case((F(9),), staged="while_loop")
def number_takes_dtype(x):
    y = 0
    while x > 1:
        y = y + x
        x = x / 2
    return y


@case((F(9),), staged="while_loop")
def walrus_in_test(x):
    y = x
    while (z := y / 2) > 1:
        y = z
    return y


@case((I(5),), (I(0),), staged="while_loop")
def for_range(n):
    total = 0
    for i in range(n):
        total = total + i
    return total


@case((I(2), I(9)), (I(9), I(2)), staged="while_loop")
def for_range_of_two(a, b):
    total = 0
    for i in range(a, b):
        total += i * i
    return total


@case((I(2), I(9)), staged="while_loop")
def for_range_steps(a, b):
    up = down = 0
    for i in range(a, b, 3):
        up = up * 10 + i
    for i in range(b, a, -2):
        down = down * 10 + i
    return up, down


@case((I(9),), (I(2),), staged="while_loop cond")
def for_range_break(n):
    total = 0
    for i in range(n):
        if i == 4:
            break
        total += i
    return total


@case((I(9),), (I(2),), staged="while_loop cond")
def for_range_continue(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        total += i
    return total


@case((I(9),), (I(2),), staged="while_loop")
def for_range_return(n):
    for i in range(n):
        if i * i > 10:
            return i
    return -1


@case((I(9),), (I(2),), staged="while_loop")
def for_range_else(n):
    found = -1
    for i in range(n):
        if i == 4:
            found = 1
            break
    else:
        found = 0
    return found


@case((_LINE,), staged="scan")
def for_tensor(x):
    total = 0.0
    for v in x:
        total = total + v
    return total


@case((_ROWS,), staged="scan")
def for_rows(x):
    total = x[0] * 0
    for row in x:
        total += row
    return total


@case((_ROWS,), staged="scan")
def for_unpacks(x):
    s = 0.0
    for a, b in zip(x, x + 1):
        s = s + (a * b).sum()
    return s


@case((_LINE,), staged="scan cond")
def for_with_if(x):
    positive = 0.0
    for v in x:
        if v > 0:
            positive += v
    return positive


@case((_LINE,), staged="while_loop")
def for_tensor_break(x):
    s = 0.0
    for v in x:
        if v < 0:
            break
        s += v
    return s


@case((_LINE,), (abs(_LINE),), staged="while_loop")
def for_tensor_return(x):
    for v in x:
        if v < 0:
            return v
    return 0.0


@case((_LINE,), staged="scan")
def for_enumerate(x):
    s = 0.0
    for i, v in enumerate(x, 1):
        s = s + i * v
    return s


@case((_ROWS, _LINE), staged="scan")
def for_zip(x, y):
    s = 0.0
    for row, v in zip(x, y):
        s = s + row.sum() * v
    return s


@case((_LINE,), staged="scan")
def for_enumerate_zip(x):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, x)):
        s = s + i * a * b
    return s


@case((_ROWS,), staged="scan")
def nested_for(x):
    s = 0.0
    for row in x:
        for v in row:
            s = s + v
    return s


@case((_ROWS, I(2)), staged="scan while_loop")
def for_in_for(x, n):
    s = 0.0
    for row in x:
        for i in range(n):
            s = s + row.sum() * i
    return s


@case((_LINE,), staged="scan")
def append(x):
    out = []
    for v in x:
        out.append(v * 2)
    return out


@case((_LINE,), staged="scan")
def append_trees_twice(x):
    out, s = [x.sum()], 0.0
    for v in x:
        s = s + v
        out.append((v, s))
        out.append({"s": s})
    return out, s


@case((_LINE,), staged="scan cond")
def append_choices(x):
    out, sizes = [], []
    for i, v in enumerate(x):
        out.append(v if v > 0 else -v)
        sizes.append(i)
    return out, sizes


@case((_ROWS,), staged="scan")
def append_in_nested(x):
    out = []
    for row in x:
        for v in row:
            out.append(v + 1)
    return out


@case((_LINE,), staged="scan")
def append_by_a_helper(x):
    out = []

    def keep(where, v):
        where.append(v)

    for v in x:
        keep(out, v)
        out.append(v)
    return out


@case((F(3), [1, 2, 3]), (F(3), []))
def python_for(x, items):
    out = []
    for k in items:
        out.append(x * k)
    return out


@case((F(3), [1, 2, 3]), staged="cond")
def python_for_with_if(x, items):
    for k in items:
        if x > k:
            x = x - k
    return x


@case((F(3), [1, 2, 3, 4]), (F(0), [1, 2, 3, 4]), staged="cond")
def python_for_with_traced_break(x, items):
    n = 0
    for k in items:
        if x < k:
            break
        n = n + k
    return n


@case((F(3), [1, 2, 3, 4]), (F(9), [1, 2, 3, 4]), (F(9), []), staged="")
def python_for_with_traced_return(x, items):
    for k in items:
        if x < k:
            return k
    return 0


@case((F(1),), (F(1e9),), staged="while_loop")
def python_range_with_traced_break(x):
    n = 0
    for i in range(1000):
        if x > 50:
            break
        x = x * 2
        n = i
    return x, n


@case((F(1), 5), (F(100), 1))
def python_break_in_python(x, n):
    for i in range(10):
        if i == n:
            break
        x = x + i
    else:
        return x
    return -x


@case((F(5), {"a": 1, "b": 2}))
def for_items(x, table):
    for name, k in table.items():
        x = x * k + len(name)
    return x


@case((_LINE, ["a", "bb", "ccc"]))
def zip_with_python(x, words):
    return [v * len(word) for v, word in zip(x, words)]


@case((_LINE, ["a", "bb"]))
def zip_with_python_in_for(x, words):
    s = 0.0
    for v, word in zip(x, words):
        s = s + v * len(word)
    return s


@case((np.zeros((0, 2)),))
def empty_tensor(x):
    n = 1
    for row in x:
        n = n + row.sum()
    return n


@case((I(4),), staged="while_loop")
def target_given_before(n):
    i = -1
    for i in range(n):
        pass
    return i


@case((_LINE,), staged="scan")
def for_with_attribute_read(x):
    class Scale:
        k = 2.0

    s = 0.0
    for v in x:
        s += v * Scale.k
    return s


@case((I(6),), staged="while_loop cond")
def break_and_continue(n):
    total = 0
    while True:
        n = n - 1
        if n < 0:
            break
        if n % 2 == 0:
            continue
        total = total + n
    return total


@case((I(3), I(3)), staged="while_loop")
def break_of_inner_only(a, b):
    total = 0
    for i in range(a):
        for k in range(b):
            if k > i:
                break
            total += 10 * i + k
    return total


@case((I(5), I(5)), (I(1), I(1)), staged="while_loop")
def return_from_inner(a, b):
    for i in range(a):
        for k in range(b):
            if i * k == 6:
                return i, k
    return -1, -1


@case((I(5),), staged="while_loop")
def try_in_loop(n):
    s = 0
    while n > 0:
        try:
            if n == 3:
                continue
            s = s + n
        finally:
            n = n - 1
    return s


@case((F(50),), staged="while_loop")
def newton(x):
    y = x
    while abs(y * y - x) > 1e-9 * x:
        y = (y + x / y) / 2
    return y


@case((I(9),), (I(2),), staged="while_loop")
def break_past_a_variable(x):
    import contextlib
    while x > 0:
        with contextlib.nullcontext():
            if x == 5:
                break
            step = x // 5 + 1
        x = x - step
    return x


@case((I(9),), (I(2),), staged="while_loop")
def continue_past_a_variable(x):
    import contextlib
    total = 0
    while x > 0:
        x = x - 1
        with contextlib.nullcontext():
            if x % 2 == 0:
                continue
            twice = x * 2
        total = total + twice
    return total


@case((I(9),), (I(2),), staged="while_loop")
def value_kept_for_break(x):
    found = 0
    for i in range(x):
        found = i
        if i * i > 10:
            break
    else:
        found = -1
    return found
