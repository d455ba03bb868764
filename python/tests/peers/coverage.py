"""Which ops and options no entry of the tables calls: each is named here with a reason."""

import weft as wf
from draws import Draws
from weft import _core, _ops

# Ops without an entry, and why; there is none at present.
WITHOUT = {}
# Options of the registry that no call gives, and why.
OPTIONS = {
    ("tensordot", "axes_a"): "the function of the package takes both as `axes`, as its peers do",
    ("tensordot", "axes_b"): "the function of the package takes both as `axes`, as its peers do",
    ("histogram", "edges"): "the function of the package takes them as `bins`, as its peers do",
}


def our_ops():
    return {f"{module}.{name}" if module else name for module, name, _ in _ops.listed()}


def given_parameters(entry):
    """The op's parameters that some call of the entry gives."""
    names = list(_core.describe(entry.name)["parameters"]) if entry.name in our_ops() else []
    given = set(entry.covers)
    if isinstance(entry, Draws) and names[0] == "key":  # every draw has one
        given.add(names.pop(0))
    for call in entry.calls:
        given |= set(names[:len(call.args)]) | set(call.options)
    return given


def holes(entries):
    """Sentences about ops and options that are neither called nor excused."""
    by_name = {}
    for entry in entries:
        by_name.setdefault(entry.name, []).append(entry)
    out = []
    for name in sorted(our_ops()):
        if name not in by_name:
            if name not in WITHOUT:
                out.append(f"{name}: no table has an entry for it")
            continue
        if name in WITHOUT:
            out.append(f"{name}: has an entry, so that coverage.py need not excuse it")
        given = set().union(*(given_parameters(entry) for entry in by_name[name]))
        for parameter in _core.describe(name)["parameters"]:
            if parameter not in given and (name, parameter) not in OPTIONS:
                out.append(f"{name}: no call of its entries gives {parameter}")
    for entry in entries:
        if not hasattr(wf, entry.name.partition(".")[0]):
            out.append(f"{entry.name}: an entry for something that Weft does not have")
    return out
