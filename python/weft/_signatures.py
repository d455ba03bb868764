"""inspect.Signature and docstrings of op functions, made from the registry when they are asked for."""

from . import _core


# Keywords of the array API standard that change nothing: there is one device, and tensors are never written to.
DEVICE = ("arange", "empty", "empty_like", "eye", "full", "full_like", "linspace", "ones", "ones_like", "zeros",
          "zeros_like", "cast", "fft.fftfreq", "fft.rfftfreq")
COPY = {"reshape": None, "cast": True}


def harmless_keywords(name):
    """(name, annotation, default) of the keywords that the op takes for the standard's sake."""
    out = [("copy", "bool | None", COPY[name])] if name in COPY else []
    return out + ([("device", "str | None", None)] if name in DEVICE else [])


def signature_of(name):
    """The signature of the op, as inspect.signature shows it."""
    import inspect

    entry = _core.describe(name)
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    made = {}
    for argument in entry["inputs"]:
        default = None if argument["optional"] else inspect.Parameter.empty
        annotation = "Sequence[TensorLike]" if argument["variadic"] else "TensorLike"
        annotation += " | None" if argument["optional"] else ""
        made[argument["name"]] = inspect.Parameter(argument["name"], either, default=default, annotation=annotation)
    for field in entry["fields"]:
        default = inspect.Parameter.empty if field["required"] else field["default"]
        made[field["name"]] = inspect.Parameter(field["name"], either, default=default, annotation=field["type"])
    extra = [inspect.Parameter(word, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
             for word, annotation, default in harmless_keywords(name)]
    return inspect.Signature([made[name] for name in entry["parameters"]] + extra, return_annotation=return_type(entry))


def return_type(entry):
    outputs = entry["outputs"]
    if len(outputs) == 1 and not outputs[0]["variadic"]:
        return "Tensor"
    return "tuple[Tensor, ...]" if outputs and outputs[-1]["variadic"] else f"tuple[{', '.join(['Tensor'] * len(outputs))}]"


def doc_of(name):
    """The op's documentation: its text, arguments, laws and names elsewhere."""
    entry = _core.describe(name)
    lines = [entry["doc"], "", "Arguments:"]
    for argument in entry["inputs"]:
        what = "a list of tensors" if argument["variadic"] else "a tensor"
        optional = ", optional" if argument["optional"] else ""
        lines.append(f"    {argument['name']}: {what} ({argument['class']}{optional})")
    for field in entry["fields"]:
        default = "" if field["required"] else f" (default {field['default']})"
        lines.append(f"    {field['name']}: {field['doc']}{default}")
    if entry["laws"]:
        lines += ["", "Laws:"] + [f"    {name}.{label}: {text}" for label, text in entry["laws"].items()]
    if entry["known_as"]:
        lines += ["", "Known as: " + ", ".join(f"{system} {theirs}" for system, theirs in entry["known_as"])]
    lines += [f"Unlike {system} {theirs}: {note}" for (system, theirs), note in entry["differs"].items()]
    return "\n".join(lines)
