"""The op functions of the registry, put into the modules and onto Tensor where they belong."""

from . import _core

# Names of the array API for ops that have another name here.
ALIASES = {"astype": "cast"}
# Ops of namespaces that are found at top level too.
SHORTCUTS = ("relu", "gelu", "sigmoid", "softmax", "log_softmax")
# Ops that read as properties of a tensor, as in NumPy.
PROPERTIES = ("real", "imag")
# Ops whose first tensor is not what they are about: wf.full(shape, value).
NO_METHODS = ("full",)

_functions = {}


def op(module, name):
    """The function of an op; one object per op."""
    key = f"{module}.{name}" if module else name
    if key not in _functions:
        _functions[key] = _core.op(key)
    return _functions[key]


def listed():
    """(module, name, whether the first input is a tensor) of every op that users see; parts of ops are hidden."""
    return [entry for entry in _core.op_names() if "." not in entry[1] and not entry[1].endswith("_draws")]


def fill(module, namespace):
    """Puts the ops of `module` into the namespace."""
    for its_module, name, _ in listed():
        if its_module == module:
            namespace[name] = op(module, name)


def add_shortcuts(namespace, more=()):
    for module, name, _ in listed():
        if name in SHORTCUTS or name in more:
            namespace.setdefault(name, op(module, name))


def add_aliases(namespace):
    for alias, name in ALIASES.items():
        if name in namespace:
            namespace.setdefault(alias, namespace[name])


def add_methods(tensor_type, package):
    """Every op on a tensor is a method, too: x.sum(axis=1). Where the package has a function around the op, that is it."""
    for module, name, takes_tensor in listed():
        if not takes_tensor or name in NO_METHODS or module not in ("", "nn", "linalg") or hasattr(tensor_type, name):
            continue
        function = vars(package[module])[name] if module else package[name]
        setattr(tensor_type, name, property(function) if name in PROPERTIES else function)
    for alias, name in ALIASES.items():
        if hasattr(tensor_type, name):
            setattr(tensor_type, alias, getattr(tensor_type, name))
