"""What a function's bytecode reads and assigns outside of its variables: global names, names of closures, attributes of them."""

import dis
import functools
import types

_ROOTS = {"LOAD_GLOBAL": "global", "LOAD_NAME": "global", "LOAD_DEREF": "cell", "LOAD_CLASSDEREF": "cell", "LOAD_FAST": "local"}
_WRITES = {"STORE_GLOBAL": "global", "STORE_DEREF": "cell"}
_BETWEEN = ("PRECALL", "CACHE", "PUSH_NULL", "COPY_FREE_VARS", "RESUME")


@functools.lru_cache(4096)
def names_read(code):
    """((kind, name, line), ...) of the global names and the names of closures that are read, nested functions included."""
    found = {(kind, name): line for kind, name, _, line in reversed(chains_read(code)) if kind != "local"}
    return tuple((*name, line) for name, line in found.items())


@functools.lru_cache(4096)
def names_written(code):
    """((kind, name, line), ...) of the global names and the names of closures that are assigned, nested functions included."""
    found, line = {}, code.co_firstlineno
    for step in dis.get_instructions(code):
        line = step.starts_line or line
        if step.opname in _WRITES:
            found.setdefault((_WRITES[step.opname], step.argval), line)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            for kind, name, line in names_written(constant):
                found.setdefault((kind, name), line)
    return tuple((*name, line) for name, line in found.items())


@functools.lru_cache(4096)
def chains_read(code):
    """((kind, name, attributes, line), ...): each place where a name is read, with the attributes read from it there."""
    chains, chain, line = [], None, code.co_firstlineno
    for step in dis.get_instructions(code):
        line = step.starts_line or line
        if step.opname in _ROOTS:
            chain = (_ROOTS[step.opname], step.argval, [], line)
            chains.append(chain)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and chain:
            chain[2].append(step.argval)
        elif step.opname not in _BETWEEN:
            chain = None
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            chains += [inner for inner in chains_read(constant) if inner[0] != "local"]
    return chains
