"""Finds the syntax tree of a function: in its file, by its first line, its name and its arguments."""

import ast
import linecache
import os
import threading
import time
from dataclasses import dataclass

from .errors import NotRewritable
from .names import all_arguments

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class Source:
    node: ast.AST  # a FunctionDef or Lambda, shared: copy it before changing it
    class_name: str | None  # the class around it, which gives private names their prefix


_turn = threading.RLock()
os.register_at_fork(after_in_child=lambda: globals().update(_turn=threading.RLock()))  # another thread may have held it
_files = {}  # filename -> (its lines, its syntax tree)


def find(code, module_globals):
    """The source of a code object, or NotRewritable."""
    lines = linecache.getlines(code.co_filename, module_globals)
    if not lines:
        raise NotRewritable(f"its source is not found in {code.co_filename}")
    known = _files.get(code.co_filename)
    if known is None or known[0] is not lines and known[0] != lines:
        known = _files[code.co_filename] = lines, _parsed(lines, code.co_filename)
    found = [source for source in _functions_at(known[1], code.co_firstlineno, None)
             if getattr(source.node, "name", "<lambda>") == code.co_name and _arguments(source.node) == _arguments_of(code)]
    if len(found) > 1:
        found = [source for source in found if _is_at(source.node, code)]
    if not found:
        raise NotRewritable(f"line {code.co_firstlineno} of {code.co_filename} does not define it any more")
    if len(found) > 1:
        raise NotRewritable(f"line {code.co_firstlineno} of {code.co_filename} has several functions like it")
    return found[0]


def in_turn(make):
    """What make() gives, which parses or compiles a tree: Python 3.11 counts the depth of trees for all threads together, and takes it
    for a fault of its own if two of them are at it. A thread of others may be, which is soon done."""
    with _turn:
        for _ in range(20):
            try:
                return make()
            except SystemError:
                time.sleep(0.001)
        return make()


def _parsed(lines, filename):
    try:
        return in_turn(lambda: ast.parse("".join(lines), filename))
    except SyntaxError:
        raise NotRewritable(f"{filename} cannot be parsed") from None


def _functions_at(node, line, class_name):
    """The functions whose first line it is; only what spans the line is looked into."""
    for child in ast.iter_child_nodes(node):
        first = getattr(child, "lineno", line)
        for decorator in getattr(child, "decorator_list", ()):
            first = min(first, decorator.lineno)
        if not first <= line <= getattr(child, "end_lineno", line):
            continue
        if isinstance(child, _FUNCTIONS) and first == line:
            yield Source(child, class_name)
        yield from _functions_at(child, line, child.name if isinstance(child, ast.ClassDef) else class_name)


def _arguments(node):
    return tuple(argument.arg for argument in all_arguments(node.args))


def _arguments_of(code):
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return code.co_varnames[:count]


def _is_at(node, code):
    """Whether the code was made of this node, by the columns of its instructions (Python 3.11 and later have them)."""
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return True
    body = node.body if isinstance(node.body, list) else [node.body]
    first, last = (body[0].lineno, body[0].col_offset), (body[-1].end_lineno, body[-1].end_col_offset)
    starts = [(line, column) for line, _, column, end in positions()
              if None not in (line, column) and (column, end) != (0, 0)]
    return bool(starts) and all(first <= start <= last for start in starts)
