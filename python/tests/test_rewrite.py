"""The rewriter: every function of the tables gives the same in Python, rewritten on Python values, and as a graph."""

import numpy as np
import pytest
import rewrite_branches  # noqa: F401
import rewrite_expressions  # noqa: F401
import rewrite_functions  # noqa: F401
import rewrite_loops  # noqa: F401
import rewrite_refusals  # noqa: F401
import rewrite_values  # noqa: F401
from rewrite_table import CASES, REFUSALS, definition_line
from rewrite_toy import Toy, _rewrite, alike, backend, traced

_RUNS = [(f, arguments, staged) for f, rows, staged in CASES for arguments in rows]
_NAMES = [f"{f.__name__}-{k}" for f, rows, _ in CASES for k in range(len(rows))]


def _plain(arguments):
    return [x.item() if isinstance(x, np.generic) else x for x in arguments]


@pytest.mark.parametrize(("f", "arguments", "staged"), _RUNS, ids=_NAMES)
def test_graph_is_python(f, arguments, staged):
    assert _rewrite.why_not(f) is None
    expected = f(*arguments)
    found, toy = traced(f, *arguments)
    assert alike(found, expected), f"{found!r} is not {expected!r}"
    assert set(staged) <= set(toy.used)


@pytest.mark.parametrize(("f", "arguments", "staged"), _RUNS, ids=_NAMES)
def test_python_stays_python(f, arguments, staged):
    toy = Toy()
    with backend.using(toy):
        assert alike(_rewrite.rewrite(f)(*arguments), f(*arguments))
    assert toy.used == []


@pytest.mark.parametrize(("f", "text", "at", "arguments", "symbols"), REFUSALS, ids=[row[0].__name__ for row in REFUSALS])
def test_refused(f, text, at, arguments, symbols):
    first = definition_line(f)
    with pytest.raises(_rewrite.Refused) as caught:
        traced(f, *arguments, symbols=symbols)
    message, place = str(caught.value).split("\nat ")
    assert message == text.format(*range(first, first + 40))
    assert place.startswith(f"{f.__code__.co_filename}:{first + at}, in ")


def test_tables_are_long_enough():
    assert len({f.__name__ for f, _, _ in CASES}) >= 120
    assert len({f.__name__ for f, *_ in REFUSALS}) >= 40


def test_every_law_is_tested():
    tested = {text.rpartition("[function.")[2].removesuffix("]") for _, text, *_ in REFUSALS}
    assert set(_rewrite.LAWS) - tested == {"missing"}
