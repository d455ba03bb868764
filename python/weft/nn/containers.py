"""Modules of modules."""

from .. import _core, _hints
from .module import Module


def _checked(module, who):
    if isinstance(module, type) and issubclass(module, Module):
        raise _core.WrongTypeError(f"{who}: holds modules, but got the class {module.__name__}; write {module.__name__}() [{who}.module]")
    if not callable(module):
        raise _core.WrongTypeError(f"{who}: holds modules and functions, but got {_hints.brief(module)} [{who}.module]")
    return module


class _Holder(Module):
    """What modules of modules share: a subclass of them may hold more in attributes, as every module does."""

    def _own(self):
        """(name, module) of what it holds as a container."""
        raise NotImplementedError

    def _entries(self):
        attributes = [(name, value) for name, value in self.__dict__.items() if name not in ("_items", "_names")]
        return [*self._own(), *attributes]

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)


class Sequential(_Holder):
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
        """Puts a module at the end, under its number; where that is taken, as in a part of another model, under the next."""
        number = len(self._items)
        while str(number) in self._names:
            number += 1
        self._put(str(number), module)

    append = add

    def extend(self, modules):
        """Puts modules at the end."""
        for module in _hints.as_list(modules, "Sequential", "modules"):
            self.add(module)

    def insert(self, index, module):
        """Puts a module before the one of that number. Modules without names of their own have new numbers."""
        self._items.insert(index, _checked(module, "Sequential"))
        self._names.insert(index, "0")
        self._number_again()

    def pop(self, index=-1):
        """Takes out a module by its number or name, and gives it. Modules without names of their own have new numbers."""
        module = self[index]
        del self[index]
        return module

    def __delitem__(self, index):
        at = index if isinstance(index, slice) else self._number(index)
        del self._items[at], self._names[at]
        self._number_again()

    def _number_again(self):
        self._names = [str(k) if name.isdigit() else name for k, name in enumerate(self._names)]

    def _put(self, name, module):
        self._names.append(str(name))
        self._items.append(_checked(module, "Sequential"))

    def _own(self):
        return list(zip(self._names, self._items))

    def forward(self, x):
        for module in self._items:
            x = module(x)
        return x

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


class ModuleList(_Holder):
    """A list of modules. A plain list in an attribute does as well; this one is a module itself."""

    def __init__(self, modules=()):
        self._items = [_checked(module, "ModuleList") for module in _hints.as_list(modules, "ModuleList", "modules")]

    def append(self, module):
        """Puts a module at the end."""
        self._items.append(_checked(module, "ModuleList"))

    def extend(self, modules):
        """Puts modules at the end."""
        for module in _hints.as_list(modules, "ModuleList", "modules"):
            self.append(module)

    def insert(self, index, module):
        """Puts a module before the one of that number."""
        self._items.insert(index, _checked(module, "ModuleList"))

    def pop(self, index=-1):
        """Takes out a module by its number, and gives it."""
        return self._items.pop(index)

    def __iadd__(self, modules):
        self.extend(modules)
        return self

    def _own(self):
        return list(enumerate(self._items))

    def __getitem__(self, index):
        return ModuleList(self._items[index]) if isinstance(index, slice) else self._items[index]

    def __setitem__(self, index, module):
        self._items[index] = _checked(module, "ModuleList")

    def __delitem__(self, index):
        del self._items[index]


class ModuleDict(_Holder):
    """Modules by name."""

    def __init__(self, modules=None):
        self._items = {}
        self.update({} if modules is None else modules)

    def update(self, modules):
        """Puts modules by name: those of a dict, of pairs or of another ModuleDict."""
        if not hasattr(type(modules), "keys"):
            modules = _hints.as_list(modules, "ModuleDict", "modules")
            for pair in modules:
                if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                    raise _core.WrongTypeError(f"ModuleDict: holds modules by name, but got {_hints.brief(pair)} for a pair of both "
                                               "[ModuleDict.module]")
        for name, module in dict(modules.items() if isinstance(modules, ModuleDict) else modules).items():
            self[name] = module

    def pop(self, name):
        """Takes out a module by its name, and gives it."""
        return self._items.pop(name)

    def _own(self):
        return list(self._items.items())

    def keys(self):
        return self._items.keys()

    def values(self):
        return self._items.values()

    def items(self):
        return self._items.items()

    def __contains__(self, name):
        return name in self._items

    def __getitem__(self, name):
        return self._items[name]

    def __setitem__(self, name, module):
        self._items[name] = _checked(module, "ModuleDict")

    def __delitem__(self, name):
        del self._items[name]
