"""What people see of an error in a traced function: their own lines, and nothing of how it was traced."""

import subprocess
import sys
import traceback

import pytest
import weft as wf


def growing(x):
    if wf.sum(x) > 0.0:
        while wf.sum(x) < 10.0:
            x = wf.concat([x, x])
    return x


def calling(x):
    for _ in range(2):
        x = growing(x)
    return x


def raising(x):
    def inner(y):
        raise ValueError("mine")

    return inner(x)


def chained(x):
    try:
        raising(x)
    except ValueError as error:
        raise RuntimeError("behind it") from error


def wrong_sizes(x):
    for _ in range(2):
        x = x + wf.ones(3) @ wf.ones((7, 7))
    return x


def wrong_derivative(x):
    return wf.grad(lambda y: wf.sum(wrong_sizes(y)))(x)


def _frames(f):
    """(function, text of the line) of each frame below the test, and the whole text."""
    with pytest.raises(Exception) as caught:
        f(wf.ones(3))
    error = caught.value
    frames = traceback.extract_tb(error.__traceback__)[1:]
    return [(frame.name, frame.line) for frame in frames], "".join(traceback.format_exception(error))


CASES = {
    growing: [("growing", "if wf.sum(x) > 0.0:"), ("growing", "while wf.sum(x) < 10.0:")],
    calling: [("calling", "for _ in range(2):"), ("calling", "x = growing(x)"), ("growing", "if wf.sum(x) > 0.0:"),
              ("growing", "while wf.sum(x) < 10.0:")],
    raising: [("raising", "return inner(x)"), ("inner", 'raise ValueError("mine")')],
    wrong_sizes: [("wrong_sizes", "for _ in range(2):"), ("wrong_sizes", "x = x + wf.ones(3) @ wf.ones((7, 7))")],
}


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_only_the_users_frames_are_seen(f):
    g = wf.function(f)
    for _ in range(2):
        frames, text = _frames(lambda x: g(x))
        assert frames == [("<lambda>", "frames, text = _frames(lambda x: g(x))"), *CASES[f]]
        assert "_rewrite/" not in text and "_function.py" not in text and "_control.py" not in text


def test_functions_inside_of_functions_and_derivatives_inside():
    inner = wf.function(wrong_sizes)
    for f in (wf.function(lambda x: inner(x)), wf.function(wrong_derivative)):
        frames, text = _frames(f)
        assert frames[-1] == ("wrong_sizes", "x = x + wf.ones(3) @ wf.ones((7, 7))")
        assert "_rewrite/" not in text and "_function.py" not in text and "_transforms.py" not in text


def test_causes_stay_and_are_as_short():
    with pytest.raises(RuntimeError) as caught:
        wf.function(chained)(wf.ones(3))
    cause = caught.value.__cause__
    assert isinstance(cause, ValueError) and str(cause) == "mine"
    assert [frame.name for frame in traceback.extract_tb(cause.__traceback__)] == ["chained", "raising", "inner"]
    text = "".join(traceback.format_exception(caught.value))
    assert "The above exception was the direct cause" in text and "_rewrite" not in text


def test_an_interrupt_and_a_caught_error_are_as_they_were():
    def stopped(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        wf.function(stopped)(wf.ones(3))
    assert any(frame.name == "_traced" for frame in traceback.extract_tb(caught.value.__traceback__))
    g = wf.function(raising)
    try:
        g(wf.ones(3))
    except ValueError as error:
        assert error.args == ("mine",)


def test_the_environment_keeps_all_frames(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import weft as wf\n@wf.function\ndef f(x):\n    if wf.sum(x) > 0:\n        x = wf.concat([x, x])\n"
                       "    return x\nf(wf.ones(3))\n")
    for full in ("0", "1"):
        code = (f"import os, sys, runpy; os.environ['WEFT_FULL_TRACEBACKS'] = '{full}'; sys.path[:0] = {sys.path!r}; "
                f"runpy.run_path({str(program)!r})")
        text = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
        assert "[function.if_shape]" in text and f'File "{program}", line 4, in f' in text
        assert ("_rewrite" in text.replace("weft._rewrite.laws", "")) == (full == "1")
