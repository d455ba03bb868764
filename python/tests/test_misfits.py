"""Arguments of a type that the extension does not take: the error names the public function and its argument."""

import pytest

import weft as wf

ROWS = wf.data.Dataset.from_tensor_slices(wf.ones((4, 2)))


@pytest.mark.parametrize("call, text", [
    (lambda: wf.set_num_threads("a"), "set_num_threads: count must be an integer, but got 'a' [set_num_threads.argument]"),
    (lambda: wf.set_num_threads(), "set_num_threads: takes 1 argument, but got 0 [set_num_threads.argument]"),
    (lambda: wf.set_num_threads(1, 2), "set_num_threads: takes 1 argument, but got 2 [set_num_threads.argument]"),
    (lambda: ROWS.take(None), "take: count must be a value, but got None [take.argument]"),
])
def test_the_public_function_and_its_argument_are_named(call, text):
    with pytest.raises(wf.WrongTypeError) as caught:
        call()
    assert str(caught.value) == text
