"""Values that cross branches and loops: trees whose leaves are tensors and Python numbers.

Unlike `weft._tree`, what is neither container nor leaf stays as it is and is compared by identity: a model, a Variable.
"""

import dataclasses
import enum

from . import staging
from .backend import current

_NUMBERS = (bool, int, float, complex)
_BY_VALUE = (str, bytes, range, slice, type(None), type(...))


class Form:
    """A tree without its leaves."""

    __slots__ = ("kind", "detail", "children")

    def __init__(self, kind, detail=None, children=()):
        self.kind, self.detail, self.children = kind, detail, children

    def __eq__(self, other):
        if self.kind != other.kind or len(self.children) != len(other.children):
            return False
        if self.kind == "constant":
            a, b = self.detail, other.detail
            return a is b or type(a) is type(b) and isinstance(a, _BY_VALUE) and a == b
        same = set(self.detail) == set(other.detail) if self.kind == "dict" else self.detail is other.detail
        return same and all(a == b for a, b in zip(self.children, other.children))


_LEAF = Form("leaf")


def is_number(x):
    return type(x) in _NUMBERS


def kind_of(x):
    """bool, int, float or complex of a number, be it Python's or one that the graph computes; None of all else."""
    return type(x) if type(x) in _NUMBERS else current.b.kind_of_number(x)


def joined_kind(a, b):
    """The kind of number that is either; None if there is none."""
    if a is b:
        return a
    return None if bool in (a, b) else max(a, b, key=_NUMBERS.index)


def flatten(tree):
    """(leaves, form)."""
    leaves = []
    return leaves, _flatten(tree, leaves)


def _flatten(tree, leaves):
    kind = type(tree)
    if kind_of(tree) is not None or current.b.is_tensor(tree):
        leaves.append(tree)
        return _LEAF
    if kind in (list, tuple) or isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return Form("sequence", kind, [_flatten(item, leaves) for item in tree])
    if kind is dict:
        return Form("dict", tuple(tree), [_flatten(tree[key], leaves) for key in _in_order(tree)])
    if _is_record(tree):
        return Form("dataclass", kind, [_flatten(getattr(tree, f.name), leaves) for f in dataclasses.fields(tree)])
    held = current.b.tensor_held_by(tree)
    if held is not None:
        return Form("holder", kind, [_flatten(held, leaves)])
    return Form("constant", tree)


def _is_record(tree):
    """Whether it is an object of a dataclass, and nothing beside its fields."""
    kind = type(tree)
    if not dataclasses.is_dataclass(kind):
        return False
    names = {f.name for f in dataclasses.fields(kind)}
    return kind.__dataclass_params__.frozen or names.issuperset(getattr(tree, "__dict__", ()))


def _in_order(keys):
    """Keys in an order that does not depend on when they were put in."""
    return sorted(keys, key=lambda key: (type(key).__name__, repr(key)))


def rebuild(form, leaves):
    """The tree of that form. Its lists and dicts are new, so they may be changed where they were made."""
    return _rebuild(form, iter(leaves))


def _rebuild(form, leaves):
    if form.kind == "leaf":
        return next(leaves)
    if form.kind == "constant":
        return form.detail
    children = [_rebuild(child, leaves) for child in form.children]
    if form.kind == "dict":
        items = dict(zip(_in_order(form.detail), children))
        return staging.fresh({key: items[key] for key in form.detail})
    if form.detail is list:
        return staging.fresh(children)
    if form.detail is tuple:
        return tuple(children)
    return _record(form.detail, children) if form.kind == "dataclass" else form.detail(*children)  # a named tuple, a holder


def _record(kind, children):
    """An object of a dataclass. One that can change is a copy: nothing of it is computed again."""
    names = [f.name for f in dataclasses.fields(kind)]
    if kind.__dataclass_params__.frozen:
        return kind(**dict(zip(names, children)))
    record = object.__new__(kind)
    for name, child in zip(names, children):
        object.__setattr__(record, name, child)
    return staging.fresh(record)


def difference(a, b):
    """(path, what is there in a, in b) of the first place where two trees differ in form: (".rate", 0.1, None)."""
    steps = ()
    if type(a) is type(b) and isinstance(a, (list, tuple)) and len(a) == len(b):
        steps = [(f"[{k}]", x, y) for k, (x, y) in enumerate(zip(a, b))]
    elif type(a) is type(b) is dict and a.keys() == b.keys():
        steps = [(f"[{key!r}]", a[key], b[key]) for key in a]
    elif type(a) is type(b) and _is_record(a) and _is_record(b):
        steps = [(f".{f.name}", getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a)]
    for step, x, y in steps:
        if flatten(x)[1] != flatten(y)[1]:
            path, *values = difference(x, y)
            return step + path, *values
    return "", a, b


def described(x):
    """A value as messages name it: `float32[2, 3]`, `the Python int 1`, `a list of 2`."""
    if current.b.is_tensor(x):
        return f"{current.b.dtype(x)}[{', '.join(map(str, current.b.shape(x)))}]"
    if current.b.kind_of_number(x) is not None:
        return current.b.kind_of_number(x).__name__
    if is_number(x):
        return f"the Python {type(x).__name__} {x!r}"
    if x is None or isinstance(x, str):
        return f"{x!r:.40}"
    if isinstance(x, (list, tuple, dict)):
        return f"a {type(x).__name__} of {len(x)}"
    if isinstance(x, enum.Enum):
        return f"{type(x).__name__}.{x.name}"
    return f"a {type(x).__name__}" if not callable(x) else f"`{getattr(x, '__name__', type(x).__name__)}`"


def described_pair(a, b):
    """Two values of different forms as messages name them."""
    first, second = described(a), described(b)
    return (first, second) if first != second else (first, f"another {second.removeprefix('a ')}")
