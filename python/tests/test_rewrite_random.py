"""Random programs of nested branches, loops and jumps: as a graph they give what they give in Python."""

import contextlib
import linecache
import random

import numpy as np
import pytest
from rewrite_toy import Toy, _rewrite, alike, backend, traced

import weft as wf

_NAMES = ("a", "b", "c")


class Program:
    """A function of three numbers, written at random. Every loop has a counter, so it ends."""

    def __init__(self, seed, dtype=np.int64):
        self.random, self.lines, self.loops, self.dtype = random.Random(seed), ["def program(a, b, c):"], 0, dtype
        self.block(1, 3, False)
        self.put(1, "return a, b, c")
        self.source = "\n".join(self.lines) + "\n"

    def put(self, depth, text):
        self.lines.append("    " * depth + text)

    def pick(self, *choices):
        return self.random.choice(choices)

    def value(self):
        x, y = self.pick(*_NAMES), self.pick(*_NAMES, "1", "2", "3")
        return self.pick(f"{x} + {y}", f"{x} - {y}", f"{x} * 2 - {y}", x, f"({x} if {self.test(0)} else {y})")

    def test(self, depth=1):
        x, y = self.pick(*_NAMES), self.pick(*_NAMES, "0", "4")
        simple = self.pick(f"{x} > {y}", f"{x} % 3 == 1", f"{x} < {y} < 9", f"not {x} > {y}")
        return self.pick(simple, f"({simple}) {self.pick('and', 'or')} {self.test(0)}") if depth else simple

    def block(self, depth, size, in_loop):
        for _ in range(self.random.randint(1, size)):
            kinds = [self.assign] * 3
            if depth < 5:
                kinds += [self.branch] * 3 + [self.loop, self.guard, self.manager, self.local]
            self.pick(*kinds)(depth, in_loop)
        if depth > 1 and self.random.random() < 0.35:
            self.put(depth, self.pick("return a, b, c", "return c, a, b", *(["break", "continue"] if in_loop else [])))

    def assign(self, depth, in_loop):
        name = self.pick(*_NAMES)
        self.put(depth, self.pick(f"{name} = {self.value()}", f"{name} += {self.pick(*_NAMES, '1')}"))

    def branch(self, depth, in_loop):
        self.put(depth, f"if {self.test()}:")
        self.block(depth + 1, 2, in_loop)
        if self.random.random() < 0.5:
            self.put(depth, "else:")
            self.block(depth + 1, 2, in_loop)

    def loop(self, depth, in_loop):
        self.loops += 1
        counter = f"n{self.loops}"
        header = self.pick("while", "range" if self.dtype is np.int64 else "while", "tensor", "list")
        if header == "while":
            self.put(depth, f"{counter} = 0")
            self.put(depth, f"while {counter} < 4 and ({self.test()}):")
            self.put(depth + 1, f"{counter} += 1")
        else:
            over = {"range": "range(abs(a) % 4)", "tensor": "(a * 0 + TABLE)", "list": "[1, 2, 3]"}[header]
            self.put(depth, f"for {counter} in {over}:")
            self.put(depth + 1, f"b = b + {counter}")
        self.block(depth + 1, 2, True)
        if self.random.random() < 0.3:
            self.put(depth, "else:")
            self.block(depth + 1, 1, in_loop)

    def guard(self, depth, in_loop):
        self.put(depth, "try:")
        self.block(depth + 1, 2, in_loop)
        self.put(depth, "finally:")
        self.put(depth + 1, "c = c + 1")

    def manager(self, depth, in_loop):
        self.put(depth, "with MANAGER:")
        self.block(depth + 1, 2, in_loop)

    def local(self, depth, in_loop):
        """A variable that has a value only where no jump went past it."""
        self.loops += 1
        self.put(depth, "with MANAGER:")
        self.put(depth + 1, f"if {self.test()}:")
        self.block(depth + 2, 2, in_loop)
        self.put(depth + 1, f"t{self.loops} = {self.value()}")
        self.put(depth, f"{self.pick(*_NAMES)} += t{self.loops}")

    def function(self, filename):
        linecache.cache[filename] = len(self.source), None, self.source.splitlines(True), filename
        names = {"TABLE": np.array([1, 5, 2], self.dtype), "MANAGER": contextlib.nullcontext()}
        exec(compile(self.source, filename, "exec"), names)
        return names["program"]


@pytest.mark.parametrize("seed", range(80))
def test_random_program(seed):
    program = Program(seed)
    f = program.function(f"<random program {seed}>")
    assert _rewrite.why_not(f) is None, program.source
    for arguments in ((1, 2, 3), (-4, 7, 0), (5, 5, 5)):
        arguments = [np.int64(x) for x in arguments]
        expected = f(*arguments)
        with backend.using(Toy()):
            assert alike(_rewrite.rewrite(f)(*arguments), expected), program.source
        assert alike(traced(f, *arguments)[0], expected), program.source


@pytest.mark.parametrize("seed", range(80))
def test_random_program_as_a_function(seed):
    """On tensors: now, as Python runs it, and traced once, as a graph that chooses by the values of each call."""
    program = Program(seed)
    f = program.function(f"<random program {seed}>")
    traced_once = wf.function(f)
    for arguments in ((1, 2, 3), (-4, 7, 0), (5, 5, 5)):
        expected = [int(x) for x in f(*(np.int64(x) for x in arguments))]
        tensors = [wf.tensor(x) for x in arguments]
        assert [int(x) for x in f(*tensors)] == expected, program.source
        assert [int(x) for x in traced_once(*tensors)] == expected, program.source
    assert traced_once.trace_count == 1


@pytest.mark.parametrize("seed", range(40))
def test_random_program_differentiates(seed):
    """The value has the bits of Python's; its gradient adds up branch by branch and step by step."""
    program = Program(seed, np.float32)
    f = program.function(f"<random float program {seed}>")
    loss = lambda a, b, c: sum(x * x for x in f(wf.tanh(a), b, c * 0.5))  # noqa: E731
    slopes, as_a_function = (wf.value_and_grad(g, (0, 1, 2), unconnected="zero") for g in (loss, wf.function(loss)))
    for arguments in ((1.5, 2.25, 3.0), (-4.0, 7.5, 0.5)):
        tensors = [wf.tensor(x) for x in arguments]
        (value, found), (expected, wanted) = as_a_function(*tensors), slopes(*tensors)
        assert value.item() == expected.item(), program.source
        for g, w in zip(found, wanted):
            wf.testing.assert_close(g, w, what=f"the gradient of\n{program.source}")
