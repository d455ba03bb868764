"""Trees of tensors: nested lists, tuples, dicts and dataclasses whose leaves are tensors and numbers.

None, strings, dtypes and functions belong to the form of a tree: they go through transformations as they are.
"""

import sys
import types
from collections import OrderedDict

from . import _core, _hints
from ._hints import brief as _brief
from ._number import TracedNumber, as_tensor, kind_of


class Structure:
    """The form of a tree without its leaves. Equal structures have equal forms.

    The keys of a dict are sorted in `detail`, and as the user put them in in `order`: a tree that is made again has that
    order, but dicts whose orders differ have equal forms.
    """

    __slots__ = ("kind", "detail", "children", "count", "order")

    def __init__(self, kind, detail, children, order=None):
        self.kind, self.detail, self.children, self.order = kind, detail, children, order
        self.count = 1 if kind == "leaf" else sum(child.count for child in children)

    def __eq__(self, other):
        return (isinstance(other, Structure) and self.kind == other.kind and self.detail == other.detail
                and self.children == other.children)

    def __hash__(self):
        return hash((self.kind, self.count))

    def __repr__(self):
        if self.kind == "leaf":
            return "*"
        if self.kind == "constant":
            return repr(self.detail)
        parts = [repr(child) for child in self.children]
        if self.kind in ("dict", "ordered"):
            items = "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(self.detail, parts)) + "}"
            return items if self.kind == "dict" else f"OrderedDict({items})"
        if self.kind == "list":
            return "[" + ", ".join(parts) + "]"
        if self.kind == "tuple":
            return "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"
        return f"{self.detail.__name__}({', '.join(parts)})"


_LEAF = Structure("leaf", None, ())
_NONE = Structure("constant", None, ())
# What belongs to the form of a tree, beside None.
CONSTANTS = (str, bytes, _core.DType, types.FunctionType, types.BuiltinFunctionType, type(_core.op("add")))


def flatten(tree):
    """(leaves, structure): the leaves from left to right; keys of dicts in sorted order, of an OrderedDict in its own.

    Raises [tree.depth] for containers nested deeper than any tree of a program is, as one that contains itself.
    """
    return flatten_argument("tree", "the tree", tree)


def flatten_argument(who, name, tree):
    """The same, of an argument of a function, both of which the error names."""
    leaves = []
    try:
        return leaves, _flatten(tree, leaves, _core._MAX_TREE_DEPTH)
    except RecursionError:
        pass
    raise _too_deep(who, name)


def walked(who, walk, *args):
    """Runs the recursive function `walk`; raises [who.depth] instead of RecursionError."""
    try:
        return walk(*args)
    except RecursionError:
        pass
    raise _too_deep(who, "the tree")


def _too_deep(who, name):
    return _core.InvalidError(f"{who}: {name} has containers nested more than {_core._MAX_TREE_DEPTH} deep, or one that contains itself; "
                              f"give a tree of fewer levels [{who}.depth]")


def keys_of(tree):
    """The keys of a dict in the order of its leaves."""
    return list(tree) if isinstance(tree, OrderedDict) else sorted(tree, key=lambda key: (str(type(key)), key))


def _flatten(tree, leaves, left):
    kind = type(tree)
    if kind is _core.Tensor or kind is _core.Variable:
        leaves.append(tree)
        return _LEAF
    left -= 1
    if left < 0:
        raise RecursionError
    if kind is list:
        return Structure("list", None, tuple([_flatten(item, leaves, left) for item in tree]))
    if kind is tuple:
        return Structure("tuple", None, tuple([_flatten(item, leaves, left) for item in tree]))
    if isinstance(tree, OrderedDict):
        return Structure("ordered", tuple(tree), tuple([_flatten(item, leaves, left) for item in tree.values()]))
    if isinstance(tree, dict):
        keys = tuple(keys_of(tree))
        return Structure("dict", keys, tuple([_flatten(tree[key], leaves, left) for key in keys]), tuple(tree))
    if tree is None:
        return _NONE
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return Structure("namedtuple", kind, tuple([_flatten(item, leaves, left) for item in tree]))
    if hasattr(kind, "__dataclass_fields__"):
        fields = sys.modules["dataclasses"].fields(tree)  # whoever made one has imported it
        return Structure("dataclass", kind, tuple([_flatten(getattr(tree, f.name), leaves, left) for f in fields]))
    if isinstance(tree, CONSTANTS):
        return Structure("constant", tree, ())
    if kind is TracedNumber:  # as Python's numbers are
        leaves.append(tree)
        return _LEAF
    if hasattr(kind, "__weft_tensor__"):  # a key
        leaves.append(tree.__weft_tensor__)
        return Structure("tensor", kind, (_LEAF,))
    leaves.append(tree)
    return _LEAF


def steps(structure):
    """What leads from a tree to each of its children, as Python writes it: [0], ["w"], .field."""
    kind, detail = structure.kind, structure.detail
    if kind in ("dict", "ordered"):
        return [step(key) for key in detail]
    if kind in ("list", "tuple"):
        return [f"[{i}]" for i in range(len(structure.children))]
    if kind in ("leaf", "constant", "tensor"):
        return [""] * len(structure.children)
    fields = getattr(detail, "_fields", None) or [one.name for one in sys.modules["dataclasses"].fields(detail)]
    return [f".{name}" for name in fields]


def step(key):
    """An index of a dict or list as Python writes it; texts have double quotes."""
    if type(key) is not str:
        return f"[{_brief(key)}]"
    shown = repr(key)
    return f'["{shown[1:-1]}"]' if '"' not in shown and "\\" not in shown else f"[{shown}]"


def paths(structure, name):
    """What the user calls the leaves of a tree that is called `name`: params[2]["b"]."""
    if structure.kind == "leaf":
        return [name]
    return [path for way, child in zip(steps(structure), structure.children) for path in paths(child, name + way)]


def argument_paths(f, structure, places=None):
    """What the user calls the leaves of arguments of `f`, which are the children of `structure`; `places` are their positions."""
    from ._traced_call import argument_names

    names, rest = argument_names(f)

    def name(i):
        return names[i] if i < len(names) else f"{rest or 'args'}[{i - len(names) if rest else i}]"

    places = range(len(structure.children)) if places is None else places
    return [path for i, child in zip(places, structure.children) for path in paths(child, name(i))]


def tensors(leaves, who, paths):
    """The leaves as tensors; `paths()` names them for the error of one that cannot be one."""
    try:
        return [_core._tensor(leaf, None, who, "a leaf") for leaf in leaves]
    except _core.Error:
        for leaf, path in zip(leaves, paths()):
            _core._tensor(leaf, None, who, path)
        raise


def flatten_all(tree):
    """(leaves, structure) where strings and all else that belongs to the form of a tree, but None, are leaves, too."""
    leaves, structure = flatten(tree)
    out = []
    return out, _opened(structure, iter(leaves), out)


def _opened(structure, leaves, out):
    if structure.kind == "leaf":
        out.append(next(leaves))
        return structure
    if structure.kind == "constant":
        if structure.detail is None:
            return structure
        out.append(structure.detail)
        return _LEAF
    children = tuple([_opened(child, leaves, out) for child in structure.children])
    return Structure(structure.kind, structure.detail, children, structure.order)


def unflatten(structure, leaves):
    """The tree of that form with these leaves."""
    return _unflatten(structure, iter(leaves))


def _unflatten(structure, leaves):
    kind = structure.kind
    if kind == "leaf":
        return next(leaves)
    if kind == "constant":
        return structure.detail
    children = [_unflatten(child, leaves) for child in structure.children]
    if kind == "list":
        return children
    if kind == "tuple":
        return tuple(children)
    if kind == "dict":
        items = dict(zip(structure.detail, children))
        return items if structure.order == structure.detail else {key: items[key] for key in structure.order}
    if kind == "ordered":
        return OrderedDict(zip(structure.detail, children))
    if kind == "dataclass":
        names = [f.name for f in sys.modules["dataclasses"].fields(structure.detail)]
        return structure.detail(**dict(zip(names, children)))  # some may be given by name alone
    return structure.detail(*children)


def unwrapped(structure):
    """The same structure with plain leaves in place of random keys and numbers: for leaves, such as TensorSpecs, that cannot be wrapped."""
    if structure.kind in ("leaf", "tensor"):
        return _LEAF
    return Structure(structure.kind, structure.detail, tuple([unwrapped(child) for child in structure.children]), structure.order)


_SIZES = {_core.Dim: int, _core.SizeFloat: float}  # symbolic sizes, and their types outside of a trace


def with_numbers(leaves, structure):
    """(tensors, structure) of results that are numbers again when the tree is made; sizes are numbers, too."""
    tensors = []
    return tensors, _with_numbers(structure, iter(leaves), tensors)


def _with_numbers(structure, leaves, tensors):
    if structure.kind != "leaf":
        children = tuple([_with_numbers(child, leaves, tensors) for child in structure.children])
        return Structure(structure.kind, structure.detail, children, structure.order)
    leaf = next(leaves)
    kind = kind_of(leaf) or _SIZES.get(type(leaf))
    tensors.append(leaf if kind is None else as_tensor(leaf, kind))
    return _LEAF if kind is None else Structure("tensor", TracedNumber, (_LEAF,))


def map(f, tree, *others):
    """`f` on every leaf of `tree`, and on the leaves of others of the same form beside it."""
    leaves, structure = flatten(tree)
    columns = [leaves]
    for other in others:
        more, form = flatten(other)
        if form != structure:
            raise _core.InvalidError(f"tree.map: the trees have the forms {structure} and {form}; they must be equal "
                                     "[tree.form]")
        columns.append(more)
    return unflatten(structure, [f(*row) for row in zip(*columns)])


def broadcast_prefix(prefix, structure, who, name):
    """One value of `prefix` per leaf: a value stands for all leaves below it."""
    out = []
    _broadcast(prefix, structure, out, who, name)
    return out


def _broadcast(prefix, structure, out, who, name):
    is_tree = isinstance(prefix, (list, tuple, dict))
    if not is_tree:
        out.extend([prefix] * structure.count)
        return
    keys = structure.detail if structure.kind in ("dict", "ordered") else range(len(structure.children))
    fits = structure.kind != "leaf" and len(prefix) == len(structure.children)
    if fits and isinstance(prefix, dict):
        fits = set(prefix) == set(keys)
    if not fits:
        raise _core.InvalidError(f"{who}: {name} is {_hints.brief(prefix)}, which does not fit the form {structure} [{who}.{name}]")
    for key, child in zip(keys, structure.children):
        _broadcast(prefix[key], child, out, who, name)
