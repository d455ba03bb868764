"""Makes a program that fails smaller, as long as it fails alike, and prints it with the definitions that it needs."""

import ast
import dataclasses
import functools
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

from . import prelude

SIMPLE = ["wf.ones(2)", "0", "None"]
PATIENCE = 20  # seconds for one program; a sanitized build is slower, and takes WEFT_FUZZ_PATIENCE


def patience():
    return float(os.environ.get("WEFT_FUZZ_PATIENCE", PATIENCE))


def environment():
    """Of the processes that run programs."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    given = [folder, *(p for p in sys.path if p)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(given), "WEFT_FULL_TRACEBACKS": "1", "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}


def failure(program):
    """(kind, signature) of what goes wrong with a program in a process of its own; None if nothing does."""
    with tempfile.NamedTemporaryFile("r") as out:
        run = [sys.executable, "-m", "call_fuzz.worker", "--one", json.dumps(dataclasses.asdict(program)), out.name]
        try:
            done = subprocess.run(run, capture_output=True, env=environment(), timeout=patience())
        except subprocess.TimeoutExpired:
            return "hang", program.name
        if done.returncode:
            return "crash", signal_name(done.returncode) if done.returncode < 0 else f"exit {done.returncode}"
        _, found = json.load(out)
    return (found[0]["kind"], found[0]["signature"]) if found else None


def signal_name(code):
    return signal.Signals(-code).name


def candidates(program):
    """Simpler programs, the simplest first."""
    if program.mode != "eager":
        yield dataclasses.replace(program, mode="eager", lifted=())
        for one in program.lifted if len(program.lifted) > 1 else ():
            yield dataclasses.replace(program, lifted=(one,))
    if "{" not in program.head:
        first = 1 if program.head.startswith(".") else 0
        for i in range(len(program.arguments) - 1, first - 1, -1):
            if i not in program.lifted:
                yield without(program, i)
    for i, text in enumerate(program.arguments):
        for simple in [*inner(text), *SIMPLE]:
            if len(simple) < len(text) and not (i in program.lifted and simple in ("0", "None")):
                yield dataclasses.replace(program, arguments=(*program.arguments[:i], simple, *program.arguments[i + 1:]))


def without(program, i):
    """The call with an argument less."""
    lifted = tuple(k - (k > i) for k in program.lifted)
    return dataclasses.replace(program, arguments=program.arguments[:i] + program.arguments[i + 1:],
                               words=program.words[:i] + program.words[i + 1:], lifted=lifted)


def inner(text):
    """Expressions inside of one: wf.Variable(x) has x."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return []
    parts = tree.args if isinstance(tree, ast.Call) else tree.elts if isinstance(tree, (ast.List, ast.Tuple)) else []
    return [ast.unparse(part) for part in parts if isinstance(part, (ast.Call, ast.List, ast.Tuple, ast.BinOp))]


def shrunk(program, expected, tries=30):
    """A smaller program that fails as `expected`; the program itself if none does within so many tries."""
    is_smaller = True
    while is_smaller and tries > 0:
        is_smaller = False
        for candidate in candidates(program):
            tries -= 1
            if tries < 0:
                break
            if failure(candidate) == expected:
                program, is_smaller = candidate, True
                break
    return program


@functools.cache
def definitions():
    """{name: text} of what the prelude defines."""
    source = inspect.getsource(prelude)
    out = {}
    for node in ast.parse(source).body:
        text = ast.get_source_segment(source, node)
        names = [node.name] if hasattr(node, "name") else [alias.asname or alias.name for alias in getattr(node, "names", [])]
        names += [target.id for target in getattr(node, "targets", []) if isinstance(target, ast.Name)]
        out.update(dict.fromkeys(names, text))
    return out


def standalone(program):
    """The program as a file of its own."""
    known, needed, todo = definitions(), {"wf", "np"}, [program.text]
    while todo:
        for word in re.findall(r"\w+", todo.pop()):
            if word in known and word not in needed:
                needed.add(word)
                todo.append(known[word])
    texts = list(dict.fromkeys(known[name] for name in known if name in needed))
    return "\n".join([*(re.sub(r'\n    """.*?"""(\n)', r"\1", text, flags=re.S) for text in texts), program.text])
