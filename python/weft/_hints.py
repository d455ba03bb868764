"""Words for what other libraries have under another name, and for arguments of the wrong kind."""

from . import _core


def missing(module, name):
    """The AttributeError for a name that a module does not have, with what to write instead."""
    text = f"module '{module}' has no attribute '{name}'"
    hint = "" if name.startswith("__") else _core.name_hint(name)
    return AttributeError(text + (f"; {hint}" if hint else ""), name=name)


def need_function(f, who):
    """Raises unless `f` can be called: people of other libraries give the loss itself."""
    if callable(f):
        return
    if isinstance(f, _core.Tensor):
        raise _core.WrongTypeError(f"{who}: f must be a function, but got a tensor; wf.{who}(f) transforms a function, and "
                                   f"for a loss that is computed already there is loss.backward() [{who}.function]")
    raise _core.WrongTypeError(f"{who}: f must be a function, but got {type(f).__name__} [{who}.function]")


def need_words(who, unknown, known):
    """Raises for keywords that `who` does not have; `known` gives our words for those of others."""
    for word in unknown:
        hint = f"; weft calls this {known[word]}" if word in known else ""
        raise _core.WrongTypeError(f"{who}: has no argument '{word}'{hint} [{who}.keyword]")


def need_text(value, who, name):
    """Raises unless the argument is a string."""
    if not isinstance(value, str):
        raise _core.WrongTypeError(f"{who}: {name} must be a string, but got {value!r:.60} [{who}.argument]")
