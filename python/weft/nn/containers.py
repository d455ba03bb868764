"""Modules of modules."""

from .. import _core
from .module import Module


def _checked(module, who):
    if not callable(module):
        raise _core.WrongTypeError(f"{who}: holds modules and functions, but got {module!r:.60} [{who}.module]")
    return module


class Sequential(Module):
    """Calls its modules one after the other; functions may stand among them.

    >>> model = wf.nn.Sequential([wf.nn.Linear(4, 8), wf.relu])
    >>> model.add(wf.nn.Linear(8, 2))
    >>> len(model), model(wf.ones((3, 4))).shape
    (3, (3, 2))
    """

    def __init__(self, *modules):
        one = modules[0] if len(modules) == 1 else None
        self._names, self._items = [], []
        if isinstance(one, dict):
            for name, module in one.items():
                self._put(name, module)
        else:
            for module in one if isinstance(one, (list, tuple)) else modules:
                self.add(module)

    def add(self, module):
        """Puts a module at the end."""
        self._put(str(len(self._items)), module)

    append = add

    def _put(self, name, module):
        self._names.append(name)
        self._items.append(_checked(module, "Sequential"))

    def _entries(self):
        return list(zip(self._names, self._items))

    def forward(self, x):
        for module in self._items:
            x = module(x)
        return x

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __getitem__(self, index):
        """A module by its number or name, or a Sequential of some of them."""
        if isinstance(index, slice):
            return Sequential(dict(list(zip(self._names, self._items))[index]))
        return self._items[self._number(index)]

    def __setitem__(self, index, module):
        """Puts a module, by its number or name, in the place of one that is there."""
        self._items[self._number(index)] = _checked(module, "Sequential")

    def _number(self, index):
        if isinstance(index, str) and index not in self._names:
            raise _core.OutOfRangeError(f"Sequential: has no module '{index}'; it has {', '.join(self._names)} "
                                        "[Sequential.name]")
        return self._names.index(index) if isinstance(index, str) else index


class ModuleList(Module):
    """A list of modules. A plain list in an attribute does as well; this one is a module itself."""

    def __init__(self, modules=()):
        self._items = [_checked(module, "ModuleList") for module in modules]

    def append(self, module):
        """Puts a module at the end."""
        self._items.append(_checked(module, "ModuleList"))

    def extend(self, modules):
        """Puts modules at the end."""
        for module in modules:
            self.append(module)

    def insert(self, index, module):
        """Puts a module before the one of that number."""
        self._items.insert(index, _checked(module, "ModuleList"))

    def _entries(self):
        return list(enumerate(self._items))

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __getitem__(self, index):
        return ModuleList(self._items[index]) if isinstance(index, slice) else self._items[index]

    def __setitem__(self, index, module):
        self._items[index] = _checked(module, "ModuleList")

    def __delitem__(self, index):
        del self._items[index]


class ModuleDict(Module):
    """Modules by name."""

    def __init__(self, modules=None):
        self._items = {name: _checked(module, "ModuleDict") for name, module in dict(modules or {}).items()}

    def _entries(self):
        return list(self._items.items())

    def keys(self):
        return self._items.keys()

    def values(self):
        return self._items.values()

    def items(self):
        return self._items.items()

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __contains__(self, name):
        return name in self._items

    def __getitem__(self, name):
        return self._items[name]

    def __setitem__(self, name, module):
        self._items[name] = _checked(module, "ModuleDict")

    def __delitem__(self, name):
        del self._items[name]
