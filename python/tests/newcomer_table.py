"""How the tables of newcomers' programs are written: a function, and lists of arguments for it."""

import weft as wf

X, Y = wf.tensor([1.0, -2.0, 3.0]), wf.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
S, N = wf.tensor(2.0), wf.tensor(3)
PROGRAMS = []


def program(*rows):
    def add(f):
        PROGRAMS.extend((f, row) for row in rows)
        return f

    return add
