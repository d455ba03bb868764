"""Words for what other libraries have under another name, and for arguments of the wrong kind."""

import sys

from . import _core


_MODULES = ("nn", "linalg", "fft", "random", "optim", "memory")


def missing(module, name):
    """The AttributeError for a name that a module does not have, with what to write instead."""
    text = f"module '{module}' has no attribute '{name}'"
    hint = "" if name.startswith("_") else _hint(sys.modules[module], name)
    return AttributeError(text + (f"; {hint}" if hint else ""), name=name)


def missing_method(kind, name):
    """The AttributeError for a name that objects of a class do not have."""
    hint = "" if name.startswith("_") else _core.name_hint(name) or _nearest(kind, name)
    return AttributeError(f"a {kind.__name__} has no '{name}'" + (f"; {hint}" if hint else ""), name=name)


# What stands elsewhere under a name goes first: it is there today, whatever the words for other libraries say.
def _hint(module, name):
    return (_in_modules(name, module) or _of_class(_core.Tensor, name, "x") or _of_class(_core.Variable, name, "v")
            or _core.name_hint(name) or _nearest(module, name))


def of_tensor(kind, name):
    """What to write for x.name, where tensors of this class have no such attribute; or nothing."""
    if name.startswith("_") or hasattr(kind, name):  # there, and it raised
        return ""
    if isinstance(vars(_core).get(name), _core.DType):
        return f"use x.astype(wf.{name})"
    return _in_modules(name) or _core.name_hint(name) or _of_class(_core.Variable, name, "v") or _nearest(kind, name)


def _in_modules(name, asked=None):
    """Where weft has this very name, in another module than the one that was asked."""
    weft = sys.modules["weft"]
    for path in ("", *_MODULES):
        there = vars(weft).get(path) if path else weft
        if there is not None and there is not asked and name in vars(there):
            return f"it is wf.{path}.{name}" if path else f"it is wf.{name}"
    return ""


def _of_class(kind, name, example):
    return f"it is {example}.{name} of a {kind.__name__}" if hasattr(kind, name) else ""


def _nearest(owner, name):
    return _core.did_you_mean(name, [known for known in dir(owner) if not known.startswith("_")])


class NeedsCall(type):
    """A class that is used as `with name():`; without the call it says so."""

    def __enter__(cls):
        raise _core.WrongTypeError(f"{cls.__name__}: is called to begin: with wf.{cls.__name__}(): [{cls.__name__}.with]")

    def __exit__(cls, *exception):
        return False


def need_function(f, who):
    """Raises unless `f` can be called: people of other libraries give the loss itself."""
    if callable(f):
        return
    if isinstance(f, _core.Tensor):
        raise _core.WrongTypeError(f"{who}: f must be a function, but got a tensor; wf.{who}(f) transforms a function, and "
                                   f"for a loss that is computed already there is loss.backward() [{who}.function]")
    raise _core.WrongTypeError(f"{who}: f must be a function, but got {type(f).__name__} [{who}.function]")


def need_words(who, unknown, known, sentences=None):
    """Raises for keywords that `who` does not have; `known` gives our words for those of others, or `sentences` more."""
    for word in unknown:
        hint = f"; weft calls this {known[word]}" if word in known else ""
        hint = f"; {sentences[word]}" if sentences and word in sentences else hint
        raise _core.WrongTypeError(f"{who}: has no argument '{word}'{hint} [{who}.keyword]")


def need_text(value, who, name):
    """Raises unless the argument is a string."""
    if not isinstance(value, str):
        raise _core.WrongTypeError(f"{who}: {name} must be a string, but got {value!r:.60} [{who}.argument]")
