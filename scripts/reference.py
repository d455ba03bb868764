"""Writes docs/reference/, a page for each family of ops, and docs/coming-from.md, from the registry.

    PYTHONPATH=build/release/python .venv/bin/python scripts/reference.py [--check]

Every example is run and its result printed. With --check nothing is written: it fails if a page would change.
"""

import functools
import inspect
import pathlib
import re
import sys

import reference_examples
import weft as wf
from weft import _core, _ops, _signatures

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
SYSTEMS = {"numpy": "NumPy", "torch": "PyTorch", "jax": "JAX", "tf": "TensorFlow"}
TITLES = {
    "math": "Elementwise math", "reduce": "Reductions and scans", "sort": "Sorting, sets and quantiles", "shape": "Shape and indexing",
    "linalg": "Linear algebra", "fft": "Fourier transforms", "nn": "Neural networks", "loss": "Losses",
    "norm": "Normalisation", "dropout": "Dropout", "pool": "Pooling", "conv": "Convolution", "attention": "Attention",
    "recurrent": "Recurrent networks", "creation": "Making tensors", "random": "Random numbers",
}


def public_ops():
    """(qualified name, description) of every op that users call, by family."""
    families = {}
    for module, name, _ in _ops.listed():
        full = f"{module}.{name}" if module else name
        entry = _core.describe(full)
        if entry["family"]:
            families.setdefault(entry["family"], []).append((full, entry))
    return {family: sorted(ops) for family, ops in sorted(families.items())}


def example(full, entry):
    """The text of a call and its result."""
    lines = reference_examples.lines_for(full, entry)
    namespace = {"wf": wf}
    shown = []
    for line in lines[:-1]:
        exec(line, namespace)
        shown.append(f">>> {line}")
    try:
        result = eval(lines[-1], namespace)
    except Exception as error:
        raise SystemExit(f"reference: the example of {full} fails: {lines[-1]}\n  {error}\n"
                         "give it one in scripts/reference_examples.py") from error
    return "\n".join([*shown, f">>> {lines[-1]}", repr(result)])


def spelled_out(full):
    """The signature of a function that is spelled out in Python, as the array API has it, else None."""
    public = functools.reduce(getattr, full.split("."), wf)
    return inspect.signature(public) if inspect.isfunction(public) else None


def signature(full):
    own = spelled_out(full) or _signatures.signature_of(full)
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(own))
    return f"wf.{full}{text}"


# Classes of dtypes in words.
CLASSES = {"any": "of any dtype", "boolean": "of bools", "integer": "of integers", "bits": "of bools or integers",
           "real": "of integers or floats", "ordered": "of bools, integers or floats", "floating": "of floats",
           "complex": "complex", "inexact": "of floats, or complex", "numeric": "of numbers: integers, floats or complex",
           "key": "a key: `wf.random.Key(seed)`"}


def input_text(argument):
    kind = argument["class"]
    if kind == "key":
        return CLASSES[kind]
    what = "a list of tensors" if argument["variadic"] else "a tensor"
    if kind.startswith("like "):
        return f"{what}, promoted together with `{kind[5:]}`"
    return f"{what} {CLASSES.get(kind, 'of ' + kind)}"


def default_text(value):
    return f"`{value.name}`" if isinstance(value, wf.DType) else f"`{value!r}`"


# Arguments of functions spelled out in Python that the op has otherwise, or not at all.
SPELLED = {
    "tensordot": [("axes", "how many axes, the last of `a` and the first of `b`, or a pair of lists of axes", "`2`")],
    "broadcast_arrays": [("arrays", "tensors of any dtype", "")],
    "meshgrid": [("arrays", "tensors of any dtype", "")],
    "einsum": [("operands", "tensors of numbers: integers, floats or complex", "")],
    "histogram": [("bins", "how many equal bins, or ascending edges", "`10`")],
}


def arguments(full, entry):
    """A row for each argument, in the order of the signature."""
    made = {}
    for argument in entry["inputs"]:
        made[argument["name"]] = (input_text(argument), "none" if argument["optional"] else "")
    for field in entry["fields"]:
        default = "" if field["required"] else default_text(field["default"])
        made[field["name"]] = (field["doc"], "none" if default in ("`None`", "`''`") else default)
    made.update((name, (text, default)) for name, text, default in SPELLED.get(full, []))
    own = spelled_out(full)
    names = entry["parameters"] if own is None else [name for name in own.parameters if name != "device"]
    rows = [(name, *made[name]) for name in names]
    if not rows:
        return []
    return ["| argument | | default |", "|---|---|---|", *(f"| `{name}` | {text} | {default} |" for name, text, default in rows), ""]


def gradient(entry):
    reasons = entry["without_gradient"]
    if "" in reasons:
        return f"No gradient: {reasons['']}."
    return " ".join(f"No gradient for `{name}`: {reason}." for name, reason in reasons.items())


def section(full, entry):
    lines = [f"## {full}", "", "```", signature(full), "```", "", entry["doc"], ""]
    lines += arguments(full, entry)
    if gradient(entry):
        lines += [gradient(entry), ""]
    if entry["laws"]:
        lines += ["Errors: " + "; ".join(f"`{label}`: {text}" for label, text in entry["laws"].items()) + ".", ""]
    lines += ["```pycon", example(full, entry), "```", ""]
    if entry["known_as"]:
        lines += ["Elsewhere: " + ", ".join(f"`{system}.{name}`" for system, name in entry["known_as"]) + ".", ""]
    lines += [f"Unlike `{system}.{name}`: {note}.\n" for (system, name), note in entry["differs"].items()]
    return lines


def pages():
    """Every page, by its path under docs/."""
    families = public_ops()
    out = {}
    index = ["# Reference", "", "One page for each family of ops, generated by `scripts/reference.py`; the tests compare "
             "them. Errors that all ops share (`dtype`, `broadcast`, `axis`, `count`) are explained by "
             "`wf.help(\"add.broadcast\")`.", ""]
    for family, ops in families.items():
        title = TITLES.get(family, family.capitalize())
        lines = [f"# {title}", ""]
        for full, entry in ops:
            lines += section(full, entry)
        out[f"reference/{family}.md"] = "\n".join(lines)
        names = ", ".join(f"[{full}]({family}.md#{full.replace('.', '')})" for full, _ in ops)
        index += [f"**[{title}]({family}.md)**: {names}", ""]
    out["reference/README.md"] = "\n".join(index)
    out["coming-from.md"] = coming_from(families)
    return out


def coming_from(families):
    lines = ["# Coming from another library", "", "What ops of NumPy, PyTorch, JAX and TensorFlow are called here, and "
             "what is otherwise, generated from the definitions by `scripts/reference.py`. An unknown name is answered with "
             "ours at run time, too.", "", *DIFFERENCES, "", *beyond_ops(), ""]
    for system, title in SYSTEMS.items():
        rows = sorted({(theirs, full, entry["differs"].get((system, theirs), "")) for ops in families.values()
                       for full, entry in ops for its, theirs in entry["known_as"] if its == system})
        lines += [f"## {title}", "", f"| {title} | Weft | unlike there |", "|---|---|---|"]
        lines += [f"| `{theirs}` | `wf.{full}` | {note} |" for theirs, full, note in rows] + [""]
    return "\n".join(lines)


def beyond_ops():
    """The table of what is no op: derivatives, functions, graphs, control flow."""
    for *_, ours in BEYOND_OPS:
        for name in re.findall(r"`wf\.([\w.]+)", ours):
            functools.reduce(getattr, name.split("."), wf)  # it is there
    return ["## Derivatives, functions, graphs", "", "| PyTorch | JAX | TensorFlow | Weft |", "|---|---|---|---|",
            *(f"| {' | '.join(f'`{name}`' if name else '' for name in row[:3])} | {row[3]} |" for row in BEYOND_OPS)]


# PyTorch, JAX, TensorFlow, ours.
BEYOND_OPS = [
    ("torch.compile", "jit", "function", "`wf.function`, also `wf.jit`; sizes are symbols, Python's control flow is rewritten"),
    ("func.grad", "grad", "gradients", "`wf.grad`; in a graph `wf.gradients`"),
    ("loss.backward()", "", "GradientTape", "`loss.backward()`, `wf.GradientTape`"),
    ("func.vjp", "vjp", "", "`wf.vjp`"),
    ("func.jvp", "jvp", "autodiff.ForwardAccumulator", "`wf.jvp`"),
    ("func.vmap", "vmap", "vectorized_map", "`wf.vmap`"),
    ("func.hessian", "hessian", "", "`wf.hessian`"),
    ("autograd.Function", "custom_vjp", "custom_gradient", "`wf.Function`, `wf.custom_gradient`"),
    ("", "custom_jvp", "", "`wf.custom_jvp`"),
    ("utils.checkpoint.checkpoint", "checkpoint", "recompute_grad", "`wf.checkpoint`"),
    ("no_grad", "lax.stop_gradient", "stop_gradient", "`wf.no_grad`, `wf.stop_gradient`"),
    ("cond", "lax.cond", "cond", "`wf.cond`, or `if` in a traced function"),
    ("", "lax.switch", "switch_case", "`wf.switch_case`"),
    ("while_loop", "lax.while_loop", "while_loop", "`wf.while_loop`, or `while`"),
    ("", "lax.fori_loop", "", "`wf.fori_loop`, or `for i in range(n)`"),
    ("", "lax.scan", "scan", "`wf.scan`, or `for row in x`"),
    ("", "lax.map", "map_fn", "`wf.map`"),
    ("nn.Parameter", "", "Variable", "`wf.Variable`"),
    ("", "random.PRNGKey", "random.Generator", "`wf.random.Key`; `wf.seed` for the default generator"),
    ("", "", "compat.v1.placeholder", "`wf.placeholder`"),
    ("", "", "compat.v1.Session", "`wf.Session`"),
    ("", "", "Graph", "`wf.Graph`"),
    ("", "", "compat.v1.global_variables_initializer", "`wf.global_variables_initializer`"),
    ("", "", "control_dependencies", "`wf.control_dependencies`"),
    ("", "", "name_scope", "`wf.name_scope`; modules open one by themselves"),
    ("", "", "device", "`wf.device`"),
    ("", "", "init_scope", "`wf.eager`"),
    ("", "", "autograph.experimental.do_not_convert", "`wf.do_not_rewrite`"),
    ("", "ShapeDtypeStruct", "TensorSpec", "`wf.TensorSpec`, or a text such as `f32[batch, 784]`"),
    ("", "eval_shape", "", "`wf.eval_shape`"),
    ("utils._pytree", "tree", "nest", "`wf.tree`: `leaves`, `flatten`, `unflatten`, `structure`, `map`"),
    ("nn.utils.parameters_to_vector", "flatten_util.ravel_pytree", "", "`wf.tree.ravel`"),
    ("optim.SGD", "", "keras.optimizers.SGD", "`wf.optim.SGD`"),
    ("optim.Adam", "", "keras.optimizers.Adam", "`wf.optim.Adam`"),
    ("optim.AdamW", "", "keras.optimizers.AdamW", "`wf.optim.AdamW`"),
    ("optim.lr_scheduler", "", "keras.optimizers.schedules", "`wf.optim.schedules`"),
    ("nn.utils.clip_grad_norm_", "", "clip_by_global_norm", "`wf.optim.clip_grad_norm`, `wf.optim.clip_by_global_norm`"),
]


# What is otherwise everywhere.
DIFFERENCES = [
    "- Tensors never change: there is no `out=` and no `add_`; `x.at[i].set(v)` gives a changed copy, and a `Variable` can be "
    "assigned to.",
    "- Random draws start with a key: `wf.random.normal(wf.random.Key(0), (2, 3))`; `wf.randn(2, 3)` draws from a generator.",
    "- `dim` is `axis`, `keepdim` is `keepdims`, `ddof` is `correction`, `size` is `shape`.",
    "- Floats are float32 and integers int64 unless told; integers become float32 in ops of floats, where NumPy takes float64.",
    "- An index out of range raises, where JAX clamps it or fills in NaN.",
    "- `None` is no default: it is given where it means something (`axis=None`: all axes) and raises elsewhere.",
    "- In masks of attention True means that a key is seen: `key_mask` of `nn.TransformerEncoderLayer` is the opposite of PyTorch's "
    "`src_key_padding_mask`.",
]


def main():
    check = "--check" in sys.argv[1:]
    stale = []
    for name, text in pages().items():
        path = DOCS / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    if check and stale:
        raise SystemExit(f"reference: {', '.join(stale)} would change; run scripts/reference.py")


if __name__ == "__main__":
    main()
