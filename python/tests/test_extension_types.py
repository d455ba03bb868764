"""No type that Python code can reach ends the process, however its instances are made. See extension_types.py."""

import copy
import pathlib
import pickle
import subprocess
import sys

import pytest

import extension_types
import weft as wf
from weft._number import TracedNumber


def test_types_survive_every_way_of_making_instances():
    run = subprocess.run([sys.executable, str(pathlib.Path(extension_types.__file__))], capture_output=True, text=True, timeout=900)
    lines = run.stdout.splitlines()
    assert run.returncode == 0 and lines[-1] == "end", (run.returncode, lines[-1:], run.stderr[-2000:])
    assert int(lines[0].split()[1]) > 60  # types were found


@pytest.mark.parametrize("function", [wf._core._tensor, wf._core._NoGrad.enter, wf._core._NoGrad().enter], ids=["func", "method", "bound"])
def test_types_of_functions_have_no_instances_of_ones_own(function):
    with pytest.raises(TypeError, match="cannot create 'nanobind.nb_"):
        type(function)()
    for new in (object.__new__, type(function).__new__):
        with pytest.raises(TypeError, match="is not safe"):
            new(type(function))


def test_the_type_of_a_traced_loop_index_takes_numbers():
    @wf.function
    def loop(x, n):
        for i in range(n):
            assert type(i) is TracedNumber  # so that users reach it
            x = x + type(i)(3) + type(i)(i)
        return x

    assert loop(wf.ones(2), wf.tensor(3)).tolist() == [1.0 + 9 + 3] * 2


def traced_number():
    with wf.Graph():
        return TracedNumber(wf.placeholder(wf.int64, ()))


def test_the_type_of_a_traced_number_takes_numbers():
    i = traced_number()
    number = type(i)
    assert number is TracedNumber
    assert (number(2), number(2.5), number(True), number(1j)) == (2, 2.5, True, 1j) and type(number(2)) is int
    assert number(i) is i and number(wf.tensor(7)) == 7
    assert copy.copy(i) is i and copy.deepcopy([i])[0] is i


@pytest.mark.parametrize("given, text", [
    (slice(None), "TracedNumber: x must be a tensor, but got slice; wf.tensor(data) makes one [TracedNumber.argument]"),
    ("2", "TracedNumber: x must be a tensor, but got '2'; wf.tensor(data) makes one [TracedNumber.argument]"),
    (None, "TracedNumber: x must be a tensor, but got None; wf.tensor(data) makes one [TracedNumber.argument]"),
    (wf.ones(3), "TracedNumber: x is f32[3]; a number is a tensor of rank 0 [TracedNumber.rank]"),
])
def test_a_traced_number_of_anything_else_raises(given, text):
    with pytest.raises((wf.Error, TypeError)) as error:
        TracedNumber(given)
    assert str(error.value).splitlines()[0] == text


def test_a_traced_number_is_not_pickled():
    with pytest.raises(wf.Error, match=r"pickling needs .*\[tensor.concrete\]"):
        pickle.dumps(traced_number())
