"""Imports our GraphDefs with real TensorFlow, runs them and compares with our results."""

import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
try:
    import numpy as np
    import tensorflow as tf
except ImportError:
    print("TensorFlow is not installed: scripts/setup.sh --peers")
    sys.exit(77)


def arrays(path):
    """The inputs and results of a sample, by name."""
    found = {"input": {}, "result": []}
    for line in path.read_text().splitlines():
        kind, name, dtype, shape, content = line.split(" ")
        dtype = tf.bfloat16.as_numpy_dtype if dtype == "bfloat16" else np.dtype(dtype)
        sizes = [int(size) for size in shape.split(",") if size]
        value = np.frombuffer(bytes.fromhex(content[2:]), dtype=dtype).reshape(sizes)
        if kind == "input":
            found["input"][name] = value
        else:
            found["result"].append((name, value))
    return found["input"], found["result"]


def problems(path):
    """What differs in one sample."""
    inputs, results = arrays(path.with_suffix(".txt"))
    graph_def = tf.compat.v1.GraphDef.FromString(path.read_bytes())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        with tf.compat.v1.Session(graph=graph) as session:
            theirs = session.run([name for name, _ in results], inputs)
    if not results or len(results) != len(theirs):
        yield f"{path.stem}: {len(results)} results, {len(theirs)} there"
    for (name, ours), value in zip(results, theirs):
        if ours.dtype != value.dtype or ours.shape != value.shape:
            yield f"{path.stem} {name}: {ours.dtype}{ours.shape} is {value.dtype}{value.shape} there"
        elif not np.allclose(ours.astype(np.float64), value.astype(np.float64), rtol=2e-5, atol=2e-6, equal_nan=True):
            yield f"{path.stem} {name}: {ours.ravel()[:4]} is {value.ravel()[:4]} there"


def saver_problems(path):
    """TensorFlow runs our SaveV2 and RestoreV2, on files of its own format: what a step changed comes back."""
    step, total = path.with_suffix(".names").read_text().split(" ")
    file = str(path.with_name("saved"))
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(tf.compat.v1.GraphDef.FromString(path.read_bytes()), name="")
        kinds = {graph.get_operation_by_name(f"save/{name}").type for name in ("SaveTensors", "RestoreTensors")}
        if kinds != {"SaveV2", "RestoreV2"}:
            yield f"saver: its nodes are {kinds}"
        with tf.compat.v1.Session(graph=graph) as session:
            session.run("init")
            session.run("save/SaveTensors", {"save/path:0": file})
            session.run(step)
            changed = session.run(total)
            session.run("save/restore_all", {"save/path:0": file})
            restored = session.run(total)
    held = tf.train.list_variables(file)
    if held != [("layer/b", [1]), ("w", [2])]:
        yield f"saver: the file has {held}"
    if changed.tolist() != [16, 17] or restored.tolist() != [11, 12]:
        yield f"saver: {changed} is restored to {restored}"


def main(samples):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([samples, folder], check=True)
        found, count = list(saver_problems(pathlib.Path(folder) / "saver.graph_def")), 0
        for path in sorted(pathlib.Path(folder).glob("*.pb")):
            count += 1
            try:
                found += problems(path)
            except Exception as error:  # pylint: disable=broad-except
                found.append(f"{path.stem}: {type(error).__name__}: {str(error)[:600]}")
    print(*found, f"{count} graphs run by TensorFlow {tf.__version__}, {len(found)} problems", sep="\n")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
