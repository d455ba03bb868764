"""Containers that contain themselves, or are 100,000 deep, are refused by whatever walks into containers. See endless_containers.py."""

import pathlib
import subprocess
import sys

import pytest

import endless_containers

# A tree without end raises one of these; RecursionError is Python's own, where it shows such a container in a message.
RAISED = ("InvalidError: ", "WrongTypeError: ", "TypeError: ", "ValueError: ", "RecursionError: ", "OutOfRangeError: ", "RefusedType: ",
          "Refused: ", "MissingRuleError: ")


@pytest.fixture(scope="module")
def outcomes():
    """{(entry, container): what came of it}, of one process."""
    run = subprocess.run([sys.executable, str(pathlib.Path(endless_containers.__file__)), "all"], capture_output=True, text=True, timeout=600)
    out, lines = {}, run.stdout.splitlines()
    for line in lines:
        if line.startswith(">>> "):
            last = tuple(line[4:].split(", "))
        elif line.startswith("<<< "):
            out[last] = line[4:]
    assert run.returncode == 0 and lines[-1] == "end", (run.returncode, lines[-1:], run.stderr[-2000:])
    return out


def test_nothing_dies_or_hangs(outcomes):
    assert len(outcomes) == len(endless_containers.ENTRIES) * len(endless_containers.CONTAINERS)
    wrong = {key: what for key, what in outcomes.items() if what != "value" and not what.startswith(RAISED)}
    assert not wrong, wrong


END = "has containers nested more than 400 deep, or one that contains itself; give a tree of fewer levels"


@pytest.mark.parametrize("container", ["cyclic list", "cyclic dict", "deep list", "deep dict", "deep tuple", "deep namedtuple"])
@pytest.mark.parametrize("entry, text", [
    ("function_argument", [f"<lambda>: an argument {END} [<lambda>.depth]", f"tree: the tree {END} [tree.depth]"]),
    ("function_result", [f"function: the tree {END} [function.depth]"]),
    ("from_tensors", [f"from_tensors: the element {END} [from_tensors.depth]"]),
    ("from_tensor_slices", [f"from_tensor_slices: the element {END} [from_tensor_slices.depth]"]),
    ("from_generator", [f"from_generator: the element {END} [from_generator.depth]"]),
    ("map_result", [f"map: the element {END} [map.depth]"]),
    ("map_result_of_threads", [f"map: the element {END} [map.depth]"]),
    ("fit_x", [f"tree: the tree {END} [tree.depth]"]),
    ("grad", [f"tree: the tree {END} [tree.depth]"]),
    ("vmap", [f"tree: the tree {END} [tree.depth]"]),
    ("tree_map", [f"tree: the tree {END} [tree.depth]"]),
    ("clip", [f"tree: the tree {END} [tree.depth]"]),
    ("stop_gradient", [f"stop_gradient: x {END} [stop_gradient.depth]"]),
    ("manager_state", [f"CheckpointManager: the tree {END} [CheckpointManager.depth]"]),
])
def test_walkers_name_the_depth(outcomes, entry, text, container):
    assert outcomes[entry, container] in [f"InvalidError: {one}" for one in text]
