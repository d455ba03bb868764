"""Holds the layers of C++ against Python's: texts, names, summaries, and the bits of parameters and results.

    python compare.py <the program layer_fingerprints>
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "tests"))

import layer_table  # noqa: E402

import weft as wf  # noqa: E402

FACTS = ("its text", "the names of what it holds", "its first parameters", "its result", "its result in training",
         "its state after that", "its summary")


def result(layer, inputs, is_training):
    layer.train(is_training)
    wf.seed(1)
    return wf.fingerprint([x for x in wf.tree.flatten(layer(*inputs))[0] if isinstance(x, wf.Tensor)])


def facts(row):
    wf.seed(3)
    layer, inputs = row.make(), row.inputs()
    names = "".join(f"{name} " for name, _ in layer.named_parameters()) + "|"
    names += "".join(f" {name}" for name, _ in layer.named_buffers())
    first = wf.fingerprint(layer.state_dict())
    return [repr(layer).replace("\n", "\\n"), names, first, result(layer, inputs, False), result(layer, inputs, True),
            wf.fingerprint(layer.state_dict()), str(layer.summary(*inputs)).replace("\n", "\\n")]


PYTHONS = ("Lambda",)  # its text has the name of the function, which C++ does not know


def main(program):
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    in_cpp = {line.split("\t")[0]: line.split("\t")[1:] for line in lines}
    problems = [f"{name} is in Python only" for name in layer_table.ROWS if name not in (*in_cpp, *PYTHONS)]
    problems += [f"{name} is in C++ only" for name in in_cpp if name not in layer_table.ROWS]
    for name, row in layer_table.ROWS.items():
        for fact, ours, theirs in zip(FACTS, facts(row), in_cpp.get(name, ())):
            if ours != theirs:
                problems.append(f"{name}: {fact} is {ours} in Python, {theirs} in C++")
    print(*problems, f"{len(in_cpp)} layers, {len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
