"""inspect.Signature and docstrings of op functions, made from the registry when they are asked for."""

from . import _core


def signature_of(name):
    """The signature of the op, as inspect.signature shows it."""
    import inspect

    entry = _core.describe(name)
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = []
    for argument in entry["inputs"]:
        default = None if argument["optional"] else inspect.Parameter.empty
        annotation = "Sequence[TensorLike]" if argument["variadic"] else "TensorLike"
        parameters.append(inspect.Parameter(argument["name"], either, default=default, annotation=annotation))
    for field in entry["fields"]:
        default = inspect.Parameter.empty if field["required"] else field["default"]
        parameters.append(inspect.Parameter(field["name"], either, default=default, annotation=field["type"]))
    # After an argument with a default Python wants keywords only.
    seen_default = False
    for i, p in enumerate(parameters):
        if seen_default and p.default is inspect.Parameter.empty:
            parameters[i:] = [q.replace(kind=inspect.Parameter.KEYWORD_ONLY) for q in parameters[i:]]
            break
        seen_default = seen_default or p.default is not inspect.Parameter.empty
    return inspect.Signature(parameters, return_annotation=return_type(entry))


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
    return "\n".join(lines)
