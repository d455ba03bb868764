"""Conditions, loops, Variables and draws of staged programs: in Weft's combinators, and in Python for everyone else."""

import math

import numpy
from peer_backends import Jax, Torch, Weft
from staged_programs import Unfit, first_values

MARGIN = 1e-3  # a decision closer than this could come out otherwise in another library


class _Places:
    """Variables as a list of values, for backends that have none: what is stored has no history."""

    def begin(self, program):
        self.program, self.counter = program, None
        self.places = [self.array(x) for x in first_values(program, numpy)]

    def snapshot(self):
        return list(self.places), self.counter

    def restore(self, kept):
        self.places, self.counter = list(kept[0]), kept[1]

    def read(self, k):
        return self.places[k]

    def assign(self, k, value):
        self.places[k] = self.cut(value)

    def assign_add(self, k, value):
        self.places[k] = self.cut(self.places[k] + value)


class _Counted:
    """The counter of the innermost loop, which draws depend on, and what loops begin with."""

    owns = False  # does a loop begin with values that nothing else uses? So gradients have the bits of Python's loops.

    def own(self, x):
        return x * 1.0 if self.owns else x

    def counted(self, i, body, carry):
        outer, self.counter = self.counter, i
        out = body(*carry)
        self.counter = outer
        return out

    def mean_all(self, x):
        return self.mean(x)


class Host(_Places, _Counted):
    """Control flow of Python, decided by numbers."""

    margin = 0.0

    def cut(self, value):
        return value.detach()

    def above(self, x, limit):
        mean = self.number(self.mean(x))
        if abs(mean - limit) < self.margin:
            raise Unfit
        return mean > limit

    def number_of(self, x):
        twice = 2.0 * self.number(self.mean(x))
        if abs(twice - round(twice)) < self.margin:
            raise Unfit
        return math.floor(twice)

    def both(self, p, q):
        return p and q

    def integer(self, i):
        return i

    def cond(self, pred, then, otherwise, operands):
        return then(*operands) if pred else otherwise(*operands)

    def switch(self, number, branches, operands):
        return branches[number if 0 <= number < len(branches) else -1](*operands)

    def while_loop(self, goes_on, step, init, saved):
        carry = init
        while goes_on(*carry):
            carry = step(*carry)
        return carry

    def fori_loop(self, times, step, init):
        for i in range(times):
            init = step(i, init)
        return init

    def scan(self, step, init, rows, reverse):
        out = []
        order = range(rows.shape[0])
        for i in reversed(order) if reverse else order:
            init, row = step(init, rows[i])
            out.append(row)
        return init, self.rows(out[::-1] if reverse else out)

    def map(self, f, rows):
        return self.rows([f(rows[i]) for i in range(rows.shape[0])])

    def draw(self, number, like):
        """The numbers that Weft draws, which are a constant here."""
        import weft as wf

        key = wf.random.Key(self.program.seed).fold_in(number)
        if self.counter is not None:
            key = key.fold_in(self.counter)
        dtype = getattr(wf, "float64" if "64" in str(like.dtype) else "float32")
        return self.array(wf.random.normal(key, tuple(like.shape), dtype=dtype).numpy())


class WeftHost(Host, Weft):
    """Weft's ops under Python's control flow: what writes programs, and what they are compared with."""

    def rows(self, values):
        return self.wf.stack(values, axis=0)


class Writing(WeftHost):
    margin = MARGIN


class TorchHost(Host, Torch):
    def array(self, x):
        return self.torch.tensor(numpy.asarray(x), dtype=self.dtype)

    def rows(self, values):
        return self.torch.stack(values)


class JaxHost(Host, Jax):
    def array(self, x):
        return self.jnp.asarray(x, dtype=self.dtype)

    def cut(self, value):
        return self.jax.lax.stop_gradient(value)

    def rows(self, values):
        return self.jnp.stack(values)


class WeftStaged(_Counted, Weft):
    """The combinators, on Variables: eager, in a graph or in a trace."""

    key = None  # of the draws; a placeholder or an argument where the program is staged

    def begin(self, program):
        """The Variables with their first values, and the program's key."""
        wf = self.wf
        values = [self.array(x) for x in first_values(program, numpy)]
        if getattr(self, "program", None) is not program:
            self.program = program
            self.places = [wf.Variable(x, name=f"place{i}") for i, x in enumerate(values)]
        for place, value in zip(self.places, values):
            place.assign(value)
            place.grad = None
        self.key, self.counter = wf.random.Key(program.seed), None

    def read(self, k):
        return self.places[k] * 1.0

    def assign(self, k, value):
        self.places[k].assign(value)

    def assign_add(self, k, value):
        self.places[k].assign_add(value)

    def above(self, x, limit):
        return self.wf.mean(x) > limit

    def number_of(self, x):
        return self.wf.floor(self.wf.mean(x) * 2.0).astype(self.wf.int64)

    def both(self, p, q):
        return self.wf.logical_and(p, q)

    def integer(self, i):
        return self.wf.tensor(i)

    def cond(self, pred, then, otherwise, operands):
        return self.wf.cond(pred, then, otherwise, *operands)

    def switch(self, number, branches, operands):
        return self.wf.switch_case(number, branches, *operands)

    def while_loop(self, goes_on, step, init, saved):
        return self.wf.while_loop(goes_on, step, init, max_saved_bytes=saved)

    def fori_loop(self, times, step, init):
        return self.wf.fori_loop(0, times, step, init)

    def scan(self, step, init, rows, reverse):
        return self.wf.scan(step, init, rows, reverse=reverse)

    def map(self, f, rows):
        return self.wf.map(f, rows)

    def draw(self, number, like):
        key = self.key.fold_in(number)
        if self.counter is not None:
            key = key.fold_in(self.counter)
        return self.wf.random.normal(key, like.shape, dtype=self.dtype)
