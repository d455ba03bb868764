"""functional_call: a module as a function of its parameters."""

import os
import threading

from .. import _core, _hints
from .._users import as_it_is, users
from .module import Module, _walk
from .state import is_same

_one_at_a_time = threading.RLock()  # the module holds the values while it is called
_replaced = []  # of the calls under way: the places, and the Variables that belong there


def _restore_in_child():
    """A forked child does not have the thread whose call was under way: its modules get their Variables back."""
    global _one_at_a_time
    if not _one_at_a_time._is_owned():
        while _replaced:
            for _, variable, place in _replaced.pop():
                place.put(variable)
        _one_at_a_time = threading.RLock()


os.register_at_fork(after_in_child=_restore_in_child)


@as_it_is
def functional_call(module, values, *args, **keywords):
    """Calls a module with `values`, {name: tensor}, in place of parameters and buffers of those names.

    So every transformation works on modules. What is not named is as the module has it. Values that are given are not
    written to: running statistics of a batch norm that are among them stay as they were given. A module that is held twice has
    two names: values of both must be equal, and the first is what the result depends on.

    >>> layer = wf.nn.Linear(2, 1)
    >>> parameters = {name: v.value() for name, v in layer.named_parameters()}
    >>> slopes = wf.grad(lambda p: wf.nn.functional_call(layer, p, wf.ones((1, 2))).sum())(parameters)
    >>> slopes["weight"]
    tensor([[1., 1.]], dtype=float32)
    """
    if not isinstance(module, Module):
        raise _core.WrongTypeError(f"functional_call: module must be a module, but got {_hints.brief(module)} "
                                   "[functional_call.argument]")
    _hints.as_dict(values, "functional_call", "values")
    with _one_at_a_time:
        places, named = [], {}
        for name, thing, _, place in _walk(module, "", need_all=True, is_repeated=True):
            if isinstance(thing, _core.Variable):
                named.setdefault(name, thing)
                places.append((name, thing, place))
        unknown = [name for name in values if name not in named]
        if unknown:
            raise _core.InvalidError(f"functional_call: {type(module).__name__} has no parameter '{unknown[0]}'; "
                                     f"{_core.did_you_mean(unknown[0], list(named)) or 'it has ' + ', '.join(named)} "
                                     "[functional_call.name]")
        by_variable, first = {}, {}
        for name, value in values.items():
            which = id(named[name])
            if first.setdefault(which, name) != name and not is_same(by_variable[which], value):
                raise _core.InvalidError(f"functional_call: '{first[which]}' and '{name}' are one Variable of {type(module).__name__}, but "
                                         "have two values; give one of them [functional_call.shared]")
            by_variable.setdefault(which, value)
        _replaced.append(places)
        try:
            for _, variable, place in places:
                if id(variable) in by_variable:
                    place.put(by_variable[id(variable)])
            return users(module)(*args, **keywords)
        finally:
            for _, variable, place in places:
                place.put(variable)
            _replaced.pop()
