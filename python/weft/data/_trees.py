"""Trees that only Python knows: None, named tuples and dataclasses. Elements keep them by name."""

import importlib
import sys

_kinds = {}  # types that were met, by name; others are imported


def taken_apart(tree):
    """(name, children) of such a tree, else None: then it is a leaf."""
    if tree is None:
        return "None", ()
    kind = type(tree)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        children = tuple(tree)
    elif hasattr(kind, "__dataclass_fields__"):
        fields = sys.modules["dataclasses"].fields(tree)  # whoever made one has imported it
        children = tuple(getattr(tree, f.name) for f in fields)
    else:
        return None
    name = f"{kind.__module__}:{kind.__qualname__}"
    _kinds[name] = kind
    return name, children


def rebuilt(name, children):
    """The tree again."""
    if name == "None":
        return None
    kind = _kinds.get(name)
    if kind is None:
        module, _, path = name.partition(":")
        kind = importlib.import_module(module)
        for part in path.split("."):
            kind = getattr(kind, part)
        _kinds[name] = kind
    return kind(*children)
