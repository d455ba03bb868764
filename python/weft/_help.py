"""wf.help: what an op or another public name does, or what a law in an error message means."""

from . import _core

_COMMON = {
    "argument": "the argument has a type or value that the op cannot take",
    "keyword": "the op has no argument of this name, or it was given twice",
    "count": "too many or too few inputs were given",
    "fits": "a language scalar takes the dtype of the tensor it meets, which must be able to hold it",
    "dtype": "the input's dtype is outside the class that the op takes; cast it first",
    "promotion": "the dtypes of the inputs have no common dtype that holds both; cast one of them",
    "broadcast": "shapes are compared from the right; two extents go together if they are equal or one is 1",
    "axis": "axes go from -rank to rank - 1",
    "axis_twice": "each axis may be named once",
}


def help(topic=None):
    """Explains an op ("concat", wf.concat), another public name ("vmap", "Tensor.backward") or a law ("concat.C3"), or finds
    ops by a word; prints the text.

    >>> wf.help("add.broadcast")
    add.broadcast: shapes are compared from the right; two extents go together if they are equal or one is 1
    """
    if topic is None:
        print("wf.help(wf.add), wf.help('add') or wf.help('add.broadcast'); the ops:\n  "
              + " ".join(sorted({name for _, name, _ in _core.op_names() if "." not in name})))
        return
    name = topic if isinstance(topic, str) else getattr(topic, "__qualname__", str(topic))
    print(_text(name))


# Other libraries, by the names their users write; jnp is jax.numpy.
_LIBRARIES = {"numpy": ("numpy", ""), "np": ("numpy", ""), "torch": ("torch", ""), "jax": ("jax", ""), "jnp": ("jax", "numpy."),
              "tf": ("tf", ""), "tensorflow": ("tf", "")}


def _elsewhere(name):
    """What a name of another library, as numpy.concatenate, is here; or nothing."""
    from . import _ops

    library, _, rest = name.partition(".")
    if library not in _LIBRARIES or not rest:
        return None
    system, prefix = _LIBRARIES[library]
    known = {pair: f"{module}.{op}" if module else op for module, op, _ in _ops.listed()
             for pair in _core.describe(f"{module}.{op}" if module else op)["known_as"]}
    last = rest.rpartition(".")[2]
    ours = known.get((system, prefix + rest)) or (rest if callable(_at(rest)) else known.get((system, last)))
    if ours:
        return f"{name} is wf.{ours} here.\n\n{_text(ours)}"
    hint = _core.name_hint(last)
    if not hint:
        raise _core.InvalidError(f"help: weft has nothing under the name '{name}' [help.topic]")
    return f"{name}: {hint}"


def _at(path):
    """wf.path, or None."""
    import weft

    thing = weft
    for part in path.split("."):
        thing = getattr(thing, part, None)
    return thing


def _text(name):
    import inspect
    import re

    from . import _laws, _ops, _signatures

    if name in _laws.NAMED:
        return _with_owner(f"{name}: {_laws.NAMED[name]}", name.rpartition(".")[0])
    elsewhere = _elsewhere(name)
    if elsewhere:
        return elsewhere
    if _core.describe(name) is None and (own := _named_like(name)):
        return _public(own)
    head, dot, rest = name.partition(".")  # mse_loss for nn.mse_loss, as errors name it
    modules = {op: module for module, op, _ in _ops.listed() if module}
    if head in modules and _core.describe(head) is None:
        name = f"{modules[head]}.{head}{dot}{rest}"
    if _core.describe(name) is not None:
        own = _at(name)  # some are spelled out in Python, as the array API has them
        own = inspect.signature(own) if inspect.isfunction(own) else _signatures.signature_of(name)
        shown = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(own))
        return f"{name}{shown}\n\n{_signatures.doc_of(name)}"
    op, _, label = name.rpartition(".")
    entry = _core.describe(op) if op else None
    laws = entry["laws"] if entry else {}
    if label in laws:
        return f"{name}: {laws[label]}"
    if label in _COMMON:
        return f"{name}: {_COMMON[label]}"
    if entry and (stated := _stated(entry, label)):
        return f"{name}: {stated}"
    public = None if entry else _public(name)
    if public:
        return public
    if op and (stated := _laws.WORDS.get(label)):
        return _with_owner(f"{name}: {stated}", op)
    found = [] if entry else _found(name)
    if found:
        return "\n".join([f"no op is called '{name}'; these have to do with it:", *found])
    hint = _core.name_hint(name) or _core.did_you_mean(name, [op for _, op, _ in _core.op_names()])
    known = f"; the laws of {op} are {', '.join(laws) or 'none'}" if entry else ""
    raise _core.InvalidError(f"help: there is no op or law named '{name}'{known or (f'; {hint}' if hint else '')} "
                             "[help.topic]")


def _named_like(name):
    """The function or class at top level that has the name, in whatever case: cond, session; or None."""
    import weft

    names = [own for own in vars(weft) if own.lower() == name.lower() and callable(getattr(weft, own))]
    return name if name in names else names[0] if names else None


def _stated(entry, label):
    """What a law says that the op has from an op it is made of: of its family first."""
    owners = [e for e in _core.registry() if label in e["laws"] and e["family"] == entry["family"]]
    return owners[0]["laws"][label] if owners else None


def _public(name):
    """The signature and the text of what is no op: a function, a class, a method; of a law, those of who states it."""
    import inspect

    owner, _, label = name.rpartition(".")
    thing = _spoken_of(name)
    text = inspect.getdoc(thing) if callable(thing) else None
    if text:
        try:
            shown = str(inspect.signature(thing))
        except (TypeError, ValueError):
            shown = ""  # the text of compiled functions begins with it
        return f"{name}{shown}\n\n{text}"
    if thing is not None or not owner or not _takes(_spoken_of(owner), label):
        return None
    return _with_owner(f"{name}: {owner} has an argument '{label}', which was given something else than it takes", owner)


def _spoken_of(name):
    """What errors begin with: wf.name, or a name without its place, as backward, fit of a Module, csv of wf.data; or None."""
    import weft

    thing = _at(name)
    for place in (weft.Tensor, weft.Variable, weft.GradientTape, weft.nn.Module, weft.data, weft.data.Dataset, weft.callbacks, weft.metrics,
                  weft.optim, weft.optim.schedules, weft.nn, weft.train):
        thing = thing if thing is not None or "." in name else getattr(place, name, None)
    return thing


def _takes(thing, name):
    import inspect

    try:
        return name in inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return False


def _with_owner(text, owner):
    """What a law says, and the text of who states it."""
    states = _public(owner) if owner else None
    return f"{text}\n\n{states}" if states else text


def _found(word):
    """One line for each op whose name, names elsewhere or text has the word; names come first."""
    from . import _ops

    word = word.lower().rpartition(".")[2].replace("_", " ")
    lines = []
    for module, name, _ in _ops.listed():
        full = f"{module}.{name}" if module else name
        entry = _core.describe(full)
        names = " ".join([full, *(theirs for _, theirs in entry["known_as"])]).lower().replace("_", " ")
        where = 0 if word in full.replace("_", " ") else 1 if word in names else 2
        if where < 2 or f" {word}" in f" {entry['doc'].lower()}":
            lines.append((where, f"  wf.{full}: {_first_sentence(entry['doc'])}"))
    return [line for _, line in sorted(lines)[:20]]


def _first_sentence(doc):
    import re

    return re.split(r"(?<=[.:;])\s", doc, maxsplit=1)[0].rstrip(":;.")


def show_config():
    """Prints the version, the kernels in use, the threads and the memory."""
    import platform

    import weft

    print(f"weft {weft.__version__}, Python {platform.python_version()}")
    for key, value in _core.config().items():
        print(f"  {key}: {value}")
