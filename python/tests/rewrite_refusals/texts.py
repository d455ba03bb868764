"""Traced values in texts."""

# ruff: noqa: E701, SIM, RET, PLR
import io

import numpy as np
from rewrite_table import F, refused


@refused("function: print has a StringIO as its file, but what a graph prints goes to standard output; leave out `file` "
         "[function.print_file]", 1, F(2))
def print_to_file(x):
    print(x, file=io.StringIO())
    return x


_TEXT = ("function: a traced float64[] is written into a text while the function is traced, when it has no value; give the text "
         "to `print` or `assert` where it is made, which write it whenever the graph runs; repr(x) shows what is traced "
         "[function.text]")


@refused(_TEXT, 2, F(3))
def f_string(x):
    print(f"{x}")
    return len(f"{x}")


@refused(_TEXT, 1, F(3))
def f_string_of_a_list(x):
    return f"{[1, x]!s}"


@refused(_TEXT, 2, F(3))
def text_by_str(x):
    if x > 1:
        name = str(x)
    return name


@refused(_TEXT, 1, F(3))
def text_by_percent(x):
    return "%s and %r" % (x, x)


@refused(_TEXT, 1, F(3))
def text_by_format(x):
    return "{0!r} and {0}".format(x)


@refused(_TEXT, 1, F(3))
def printed_text_that_is_changed(x):
    print(f"{x}".upper())


@refused("function: `format` needs a value while the function is traced, but got a traced complex128[]; keep it a tensor: write "
         "wf.real(x) and wf.imag(x) [function.host_number]", 1, np.complex128(1j))
def complex_format(x):
    print(f"{x:.2f}")


@refused("function: `%d` needs a value while the function is traced, but got a traced float64[]; keep it a tensor: write %.0f "
         "[function.host_number]", 1, F(3))
def percent_d_of_a_float(x):
    print("%d" % x)
