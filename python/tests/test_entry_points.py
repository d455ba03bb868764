"""Every public entry point takes every kind of tensor, or says what it is: no signal ends the process. See entry_points.py."""

import ast
import inspect
import pathlib
import subprocess
import sys
import types

import pytest

import entry_points
import weft as wf
from entry_points import ENDED, ENTRIES, FOLLOWED, KINDS, VALUE

# What an error says of each kind of tensor: one of these.
OTHER_GRAPH = "another graph or transformation"
WORDS = {
    "under grad": ["grad differentiates", "is under grad", "grad level"],
    "under jvp": ["jvp differentiates", "is under jvp", "jvp level"],
    "under vmap": ["vmap", "nothing was recorded"],
    "under a trace": ["while a graph is made", "known only when the graph runs", "only known when the graph runs", "x is traced",
                      "that runs on another thread", "is under graph", OTHER_GRAPH, "[n, m]", "graph value %"],
    "after grad": ["has ended", OTHER_GRAPH],
    "after jvp": ["has ended", OTHER_GRAPH],
    "after vmap": ["a vmap that has ended", "transformation that has ended", "batched by vmap", OTHER_GRAPH],
    "after a trace": ["trace of a function that has ended", "transformation that has ended", "known only when the graph runs", OTHER_GRAPH,
                      "[n, m]", "the size m*n is not known"],
    "graph value": ["is part of a graph", "known only when the graph runs", "only known when the graph runs", OTHER_GRAPH, "graph value %",
                    "nothing was recorded"],
    "model input": ["Input", "Node", "[3, 3]"],
}
# Entries that hold a tensor without reading it.
NEVER_READ = {"copy", "print", "callbacks", "Graph.add_to_collection", "Graph.optimize", "bool", "format", "repr"}


# Entries that refuse recorded values: a graph has no history, and what a GradientTape records is not for backward().
KEEP_NO_HISTORY = {
    **dict.fromkeys(["Graph constants", "placeholder_with_default", "gradients", "identity", "group", "control_dependencies"], [OTHER_GRAPH]),
    **dict.fromkeys(["Tensor.backward", "Tensor.register_hook", "Tensor.retain_grad", "HookHandle"], ["[backward.taped]"]),
}


def outcomes(kind):
    """{entry: (outcome, text)}, of a process of its own; the last one is 'died' if a signal ended it."""
    run = subprocess.run([sys.executable, str(pathlib.Path(entry_points.__file__)), kind], capture_output=True, text=True, timeout=600)
    out = {}
    for line in run.stdout.splitlines():
        if line.startswith(">>> "):
            out[line[4:]] = ("died", run.stderr[-2000:])
        elif line.startswith("<<< "):
            name, what, text = ast.literal_eval(line[4:])
            out[name] = (what, text)
    assert run.returncode == 0 and len(out) == len(ENTRIES), (kind, list(out.items())[-1], run.stderr[-2000:])
    return out


def is_right(kind, name, what, text):
    role, one = KINDS[kind][0], ENTRIES[name]
    is_value = what in ("value", "skipped")
    if role == VALUE:
        return is_value or name in KEEP_NO_HISTORY and any(word in text for word in KEEP_NO_HISTORY[name])
    if is_value:
        return (role == ENDED or one.computes or one.stages or (role == FOLLOWED and one.aside) or name in NEVER_READ)
    names_kind = any(word in text for word in WORDS[kind])
    names_argument = one.says in text or "[tensor.concrete]" not in text and ".concrete]" not in text
    if kind == "model input" and text == "AttributeError: a Tensor has no '__dlpack__'":  # which protocol NumPy asks for
        return True
    return what == "error" and names_kind and names_argument


@pytest.mark.parametrize("kind", KINDS)
def test_entry_points_read_or_refuse(kind):
    wrong = {name: result for name, result in outcomes(kind).items() if not is_right(kind, name, *result)}
    assert not wrong, "\n".join(f"{name}: {what} {text}" for name, (what, text) in wrong.items())


# Public callables that take no tensor whose memory they would read; ops apply to tracers and are walked by "ops of one tensor".
NO_TENSORS = set("""
DType Drawing Graph Observation Operation Tensor TensorSpec axis_index can_cast current_graph device do_not_rewrite eager finfo full
get_default_graph global_variables global_variables_initializer help iinfo isdtype latest_checkpoint linearize load load_metadata load_ops
name_scope no_grad num_threads placeholder promote_types rand randn result_type seed set_num_threads show_config trainable_variables
""".split())
SAME_AS = {"jit": "function arguments", "value_and_grad": "grad", "hvp": "grad", "jacfwd": "grad", "jacrev": "grad", "pmean": "vmap",
           "psum": "vmap", "positive": "ops of one tensor", "matrix_transpose": "ops of one tensor", "stop_gradient": "ops of one tensor",
           "CheckpointManager": "CheckpointManager.save", "Session": "Session.run", "function": "function arguments",
           "linearize": "jvp", "eager": "Graph constants"}
DATASET_STEPS = set("""apply as_numpy_iterator as_tensors batch cache cardinality concatenate element_spec enumerate explain ignore_errors
make_initializable_iterator make_one_shot_iterator prefetch range repeat shard shuffle skip take unbatch window with_options zip""".split())


def public(space):
    """Callables of a namespace that are no ops, errors or modules."""
    for name in dir(space):
        thing = getattr(space, name)
        is_error = inspect.isclass(thing) and issubclass(thing, BaseException)
        if not name.startswith("_") and callable(thing) and not isinstance(thing, types.ModuleType) and not is_error:
            if type(thing).__name__ != "OpFunction":
                yield name


@pytest.mark.parametrize("space, prefix, known", [
    (wf, "", NO_TENSORS),
    (wf.data.Dataset, "Dataset.", DATASET_STEPS),
    (wf.data, "data.", {"Dataset", "Iterator", "csv", "idx", "image_folder", "load_dataset", "npy", "npz", "read_idx", "text_lines",
                         "tfrecord"}),
    (wf.Session, "Session.", {"as_default", "close", "counters"}),
    (wf.Graph, "Graph.", {"as_default", "as_graph_def", "control_dependencies", "device", "draw", "get_collection", "name_of", "name_scope",
                          "operation", "operations", "parse", "placeholder", "summary", "tensor"}),
    (wf.optim.Optimizer, "Optimizer.", {"add_param_group", "init", "load_state_dict", "minimize", "parameters", "state_dict", "step", "update",
                                        "zero_grad"}),
    (wf.testing, "testing.", set()),
], ids=["wf", "Dataset", "data", "Session", "Graph", "Optimizer", "testing"])
def test_every_public_callable_is_in_the_table(space, prefix, known):
    missing = [name for name in public(space)
               if name not in known and prefix + name not in ENTRIES and name not in ENTRIES and SAME_AS.get(name) not in ENTRIES]
    assert not missing, f"add an entry to entry_points.py for {missing}, or say here that they take no tensor"
