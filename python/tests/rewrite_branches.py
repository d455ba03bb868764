"""Functions with branches on traced values: what each gives in Python it gives as a graph."""

# ruff: noqa: E701, SIM, RET, PLR
import numpy as np
from rewrite_table import F, I, case


@case((F(2),), (F(-2),), staged="cond")
def if_else(x):
    if x > 0:
        y = x * 2
    else:
        y = -x
    return y


@case((F(2),), (F(-2),), staged="cond")
def if_without_else(x):
    y = x
    if x > 0:
        y = y + 1
    return y


@case((F(2),), (F(0),), (F(-2),), staged="cond")
def elif_chain(x):
    if x > 1:
        y = 1
    elif x < -1:
        y = -1
    else:
        y = 0
    return y


@case((F(2), F(3)), (F(-2), F(3)), (F(2), F(-3)), (F(-2), F(-3)), staged="cond")
def nested_if(x, y):
    if x > 0:
        if y > 0:
            z = x + y
        else:
            z = x - y
    else:
        z = x * y
    return z


@case((F(2),), (F(-2),), staged="cond")
def early_return(x):
    if x > 0:
        return x * 2
    return -x


@case((F(2),), (F(-2),), staged="cond")
def both_return(x):
    if x > 0:
        return x * 2
    else:
        return -x


@case((F(5),), (F(2),), (F(-2),), staged="cond")
def three_returns(x):
    if x > 4:
        return x
    if x > 0:
        return x * 2
    return -x


@case((F(5), F(1)), (F(5), F(-1)), (F(-5), F(1)), staged="cond")
def return_that_may_come(x, y):
    if x > 0:
        if y > 0:
            return x + y
        x = x * 3
    return x - y


@case((F(5), F(1)), (F(5), F(-1)), (F(-5), F(1)), staged="cond")
def code_after_return_that_may_come(x, y):
    if x > 0:
        if y > 0:
            return x
    z = x + y
    if z > 0:
        return z
    w = z * 2
    return w


@case((F(5),), (F(-5),), staged="cond")
def tuple_result(x):
    if x > 0:
        return x, 1.0
    return -x, 2.0


@case((F(5),), (F(-5),), staged="cond")
def dict_result(x):
    if x > 0:
        d = {"a": x, "b": (x, None)}
    else:
        d = {"b": (-x, None), "a": x}
    return d


@case((F(5),), (F(-5),), staged="cond")
def list_of_two(x):
    pair = [x, x]
    if x > 0:
        pair = [x + 1, x]
    return pair


@case((F(5),), (F(-5),), staged="cond")
def swap(x):
    a, b = x, x + 1
    if x > 0:
        a, b = b, a
    return a, b


@case((F(5),), (F(-5),))
def equal_constants_stay(x):
    if x > 0:
        mode = "train"
        n = 3
        y = x
    else:
        mode = "train"
        n = 3
        y = -x
    return y, mode, [y] * n


@case((F(5),), (F(-5),), staged="cond")
def numbers_become_tensors(x):
    y = 1
    if x > 0:
        y = 2
    return y + x


@case((F(5),), (F(-5),), staged="cond")
def integer_and_float(x):
    if x > 0:
        y = 1
    else:
        y = 0.5
    return y


@case((F(5),), (F(-5),), staged="cond")
def number_meets_tensor(x):
    if x > 0:
        y = 0
    else:
        y = x
    return y


@case((F(5),), (F(-5),), staged="cond")
def tensor_meets_number(x):
    if x > 0:
        y = x
    else:
        y = 0
    return y


@case((F(5),), (F(-5),), staged="cond")
def local_of_one_branch(x):
    y = x
    if x > 0:
        t = x * 2
        y = t + 1
    return y


@case((I(5),), (I(0),), staged="cond")
def truth_of_integer(n):
    if n:
        return n + 1
    return n - 1


@case((np.array([1.0, 2.0]),), (np.array([-1.0, -2.0]),), staged="cond")
def vectors(x):
    if x.sum() > 0:
        return x
    return -x


@case((F(5), True), (F(5), False), (F(-5), True))
def python_flag_outside(x, flag):
    if flag:
        if x > 0:
            return x
        return -x
    return x * 10


@case((F(5), True), (F(-5), False), staged="cond")
def python_flag_inside(x, flag):
    if x > 0:
        if flag:
            x = x + 1
        else:
            x = x - 1
    return x


@case((F(5), None), (F(5), F(2)))
def none_is_python(x, scale):
    if scale is None:
        return x
    if scale > 1:
        x = x * scale
    return x


@case((F(5),), (F(-5),), staged="cond")
def augmented(x):
    total = 0.0
    if x > 0:
        total += x
    else:
        total -= x
    return total


@case((F(5),), (F(-5),), staged="cond")
def pass_branch(x):
    if x > 0:
        pass
    else:
        x = -x
    return x


@case((F(5),), (F(-5),), staged="cond")
def annotated(x):
    y: float
    if x > 0:
        y: float = x
    else:
        y = -x
    return y


@case((F(5),), (F(-5),), staged="cond")
def deleted_in_both(x):
    t = x
    if x > 0:
        y = t
        del t
    else:
        y = -t
        del t
    return y


@case((F(5),), (F(-5),), staged="cond")
def fresh_objects_may_change(x):
    if x > 0:
        parts = []
        parts.append(x)
        parts.append(x + 1)
        table = {}
        table["a"] = parts[1]
        y = table["a"]
    else:
        y = x
    return y


@case((F(5),), (F(-5),), staged="cond")
def function_made_in_branch(x):
    y = x
    if x > 0:
        t = x * 2
        double = lambda v: v * t  # noqa: E731
        y = double(x)
    return y


@case((F(5),), (F(-5),), staged="cond")
def captured_before(x):
    y = x

    def read():
        return y

    if x > 0:
        y = x * 2
    return read()


@case((F(5),), (F(-5),), staged="cond")
def with_statement(x):
    import contextlib
    with contextlib.nullcontext(2.0) as two:
        if x > 0:
            return x * two
    return x


@case((F(5),), (F(-5),), staged="cond")
def try_finally(x):
    done = 0
    try:
        if x > 0:
            return x
        y = -x
    finally:
        done += 1
    return y + done


@case((F(5),), (F(-5),), staged="cond")
def try_except_else(x):
    try:
        if x > 0:
            return x
    except ZeroDivisionError:
        return x
    else:
        x = x * 2
    return x


@case((F(5), "a"), (F(-5), "b"), (F(1), "c"))
def match_in_python(x, word):
    match word:
        case "a" | "b":
            if x > 0:
                return x
            x = x - 1
        case other:
            x = x + len(other)
    return x


@case((F(5),), (F(-5),), staged="cond")
def raise_decided_by_python(x):
    if x > 0:
        if x.shape != ():
            raise ValueError("scalar wanted")
        y = x
    else:
        y = -x
    return y


@case((F(5),), (F(-5),), staged="cond")
def raise_and_catch(x):
    y = x
    if x > 0:
        try:
            raise KeyError
        except KeyError:
            y = x + 1
    return y
