"""Texts with traced values in them: printed and asserted whenever the graph runs, refused elsewhere."""

import io
import itertools
import logging
import sys
import warnings

import numpy as np
import pytest
import weft as wf


def _printed(f, *arguments):
    """What f prints, eagerly or as a graph, call by call."""
    before, sys.stdout = sys.stdout, io.StringIO()
    try:
        for values in arguments:
            f(*values)
        return sys.stdout.getvalue()
    finally:
        sys.stdout = before


def by_f_string(x, v, n):
    print(f"x is {x}, {x:.3f} and {n:05d}: {v} {{braces}} {n!s:>15}|{x!r}")


def by_format(x, v, n):
    print("x is {0}, {0:.3f} and {n:05d}: {v[0]:.2f} {v}".format(x, v=v, n=n))
    print("{:.1e} {}".format(x, n), format(x, "+.2f"), format(n))


def by_percent(x, v, n):
    print("%s and %.2f and %5d|%-6d|%05d 100%%" % (x, x, n, n, n))
    print("%(x)8.3f %(v)s" % {"x": x, "v": v}, "%s" % v)
    print("%*.*f|%10s|%s" % (9, 2, x, "name", [1]))


def by_str(x, v, n):
    print("x: " + str(x) + ", " + str(n), str(v), sep="; ", end="!\n")


def by_containers(x, v, n):
    print([x, v], (n,), {"a": x, "b": [1, {}]}, ())
    print(f"{[x, 1]} {(x, n)}")


def with_nested_widths(x, v, n):
    width, digits = 12, 4
    print(f"{x:{width}.{digits}f}|{x:>{width}.2e}|{n:<{width}}|")


def in_branches(x, v, n):
    if x > 1:
        print(f"large: {x:.1f}", v)
    else:
        print(f"small: {x:.1f} {3} {'a'}")


def in_loops(x, v, n):
    for k in range(n):
        print(f"{k:d}: {x * k:.2f}")


PRINTING = [by_f_string, by_format, by_percent, by_str, by_containers, with_nested_widths, in_branches, in_loops]


def _arguments(*xs):
    return [(wf.tensor(x), wf.tensor([x, 2.0]), wf.tensor(k + 2)) for k, x in enumerate(xs)]


@pytest.mark.parametrize("f", PRINTING)
def test_graphs_print_what_python_prints(f):
    arguments = _arguments(3.14159, -0.5, 12345.0)
    if f is in_loops:  # Python's range takes no tensor
        expected = "".join(f"{k}: {x * np.float32(k):.2f}\n" for n, x in ((2, np.float32(3.14159)), (3, np.float32(-0.5)))
                           for k in range(n))
        assert _printed(wf.function(f), *arguments[:2]) == expected
        return
    assert _printed(wf.function(f), *arguments) == _printed(f, *arguments)


def test_formats_of_numbers_are_python_s():
    floats = [0.0, -0.0, 1.0, -2.5, 3.14159, 1234567.891, 1e-7, 6.02e23, 0.1, 99.995, float("inf"), float("-inf"), float("nan")]
    forms = [f"{align}{sign}{zero}{width}{group}{precision}{kind}" for align, sign, zero, width, group, precision, kind in
             itertools.product(("", "*^", "<"), ("", "+"), ("", "0"), ("", "12"), ("", ","), ("", ".0", ".3"), ("f", "e", "g", "%", ""))]
    forms = [form for form in forms if form]
    for kind, values in ((wf.float64, floats), (wf.int64, [0, 7, -42, 1234567]), (wf.uint8, [200]), (wf.bool, [True, False])):
        fit = [form for form in forms if kind is wf.float64 or form[-1] in "feg%" or "." not in form]

        @wf.function
        def f(x):
            for form in fit:
                print(format(x, form), end="|")

        for value in values:
            x = wf.tensor(value, kind)
            assert _printed(f, (x,)).split("|")[:-1] == [format(x.item(), form) for form in fit]
    integers = ["d", "5d", "<6d", "#x", "X", "_b", "o", "+,d", "^9"]

    @wf.function
    def g(x):
        for form in integers:
            print(format(x, form), end="|")

    for value in (0, 255, -1234567):
        assert _printed(g, (wf.tensor(value),)).split("|")[:-1] == [format(value, form) for form in integers]


def test_variables_are_printed_as_they_are_then():
    w = wf.Variable(wf.tensor(1.5))

    @wf.function
    def f(x):
        print(f"w is {w:.1f}", end=" ")
        w.assign_add(x)
        print(f"and {w:.1f}")

    one = wf.tensor(1.0)
    assert _printed(f, (one,), (one,)) == "w is 1.5 and 2.5\nw is 2.5 and 3.5\n"


def test_assertions_say_the_value():
    @wf.function
    def f(x, n):
        assert x < 10, f"too large: {x:.2f} of {n}, {{}}"
        assert n > 0, "too small: %d" % n
        return x

    f(wf.tensor(1.0), wf.tensor(2))
    with pytest.raises(wf.InvalidError, match=r"too large: 12.50 of tensor\(3, dtype=int64\), \{\}\nat .*test_texts.py"):
        f(wf.tensor(12.5), wf.tensor(3))
    with pytest.raises(wf.InvalidError, match=r"too small: -3\n"):
        f(wf.tensor(1.0), wf.tensor(-3))
    with pytest.raises(wf.InvalidError, match=r"too large: tensor\(\[ 1., 11.\]"):
        wf.vmap(lambda x: f2(x))(wf.tensor([1.0, 11.0]))


@wf.function
def f2(x):
    assert x < 10, f"too large: {x}"
    return x


def test_an_assertion_of_python_s_says_what_is_traced():
    @wf.function
    def f(x, flag):
        assert flag, f"no flag for {x}"
        return x

    with pytest.raises(AssertionError, match="no flag for tensor.*graph value"):
        f(wf.tensor(1.0), False)


def test_invalid_formats_raise_as_in_python():
    with pytest.raises(ValueError, match="Unknown format code 'd' for object of type 'float'"):
        wf.function(lambda x: print(f"{x:d}"))(wf.tensor(1.0))
    with pytest.raises(TypeError, match="unsupported format string passed to list"):
        wf.function(lambda x: print(f"{[x]:.2f}"))(wf.tensor(1.0))


REFUSED = [lambda x: f"{x}", lambda x: f"{x:.2f}", lambda x: f"{[x]}", lambda x: "%s" % x, lambda x: "{}".format(x), lambda x: str(x),
           lambda x: format(x, ".2f"), lambda x: "a" + str(x), lambda x: "%d %s" % (1, {"a": x}), lambda x: {f"{x}": 1},
           lambda x: print(f"{x}".upper()), lambda x: print(len(str(x)))]


@pytest.mark.parametrize("f", REFUSED, ids=range(len(REFUSED)))
def test_texts_that_would_be_frozen_are_refused(f):
    with pytest.raises(wf.WrongTypeError, match=r"is written into a text while the function is traced.*\[function.text\]\nat .*test_texts"):
        wf.function(f)(wf.tensor(1.0))


def test_repr_is_for_debugging():
    seen = []

    @wf.function
    def f(x):
        seen.append(repr(x) + f"{x!r}" + "%r" % x + "{!r}".format(x))
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the list
        f(wf.tensor(1.0))
    assert seen[0].count("graph value") == 4


def test_code_that_is_not_rewritten_warns():
    @wf.function
    def f(x):
        logging.getLogger("test_texts").warning("x is %s", x)
        return x

    with pytest.warns(UserWarning, match=r"written into a text.*\[function.text\]") as told:
        f(wf.tensor(1.0))
    assert told[0].filename == __file__


def test_texts_of_python_values_are_python_s():
    @wf.function
    def f(x, n):
        name = f"{n}-{x.ndim}" + "%d" % n + "{}".format(n) + str(n) + format(n, "03d")
        return x * len(name)

    assert f(wf.tensor(1.0), 5).item() == len("5-0" + "5" + "5" + "5" + "005")
    assert str(wf.tensor(1.0)) == f"{wf.tensor(1.0)}" == repr(wf.tensor(1.0))


def test_graphs_print_without_their_code():
    def f(x):
        print(f"x is {x:.2f} {{}}")
        return x * 2

    g = wf.Graph()
    with g:
        x = g.placeholder(wf.float32, (), "x") if hasattr(g, "placeholder") else wf.placeholder(wf.float32, (), "x")
        y = wf.function(f)(x)
    text = str(g)
    assert "x is {:.2f} {{}}" in text
    read = wf.Graph.parse(text)
    assert str(read) == text
