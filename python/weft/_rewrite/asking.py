"""Which methods of a class an operator calls."""

from types import FunctionType

from . import conversion

# The methods that an operator may call; the others are those of its name, such as __add__, __radd__ and __iadd__.
_METHODS = {
    "bool": ("__bool__", "__len__"), "iter": ("__iter__", "__next__", "__getitem__", "__len__"), "next": ("__next__",),
    "contains": ("__contains__", "__iter__", "__getitem__"), "with": ("__enter__", "__exit__"),
    "format": ("__format__", "__str__", "__repr__"), "str": ("__str__", "__repr__"), "int": ("__int__", "__index__"),
    "lt": ("__lt__", "__gt__"), "gt": ("__lt__", "__gt__"), "le": ("__le__", "__ge__"), "ge": ("__le__", "__ge__"),
    "ne": ("__ne__", "__eq__"), "key": ("__hash__", "__eq__", "__index__"), "unpack": ("keys", "__getitem__", "__iter__"),
    "math": ("__float__", "__index__", "__floor__", "__ceil__", "__trunc__"),
    "mod": ("__mod__", "__rmod__", "__imod__", "__str__", "__repr__", "__format__", "__int__", "__float__"),  # of a text, too
}
_METHODS |= dict.fromkeys(("list", "tuple", "set", "dict", "enumerate", "zip", "map", "filter", "reversed"), _METHODS["iter"])


def methods_asked(kind, word, of_libraries=False):
    """The functions of a class that the operator `word` may call: the user's and those of layers, or those of libraries."""
    for name in _METHODS.get(word) or (f"__{word}__", f"__r{word}__", f"__i{word}__"):
        found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        if type(found) is not FunctionType:
            continue
        if of_libraries is (not conversion.is_layer(found) and conversion.is_others(found.__code__.co_filename)):
            yield found
