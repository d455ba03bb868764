"""Who is told what rewritten code reads outside of its variables: which functions it enters, which attributes it reads.

    obj.x          read(obj, "x")

Attributes are rewritten last, when all constructs have seen the tree as it was written.
"""

import ast
import threading

from .building import at, constant, load


class _Watching(threading.local):
    watcher = None  # has entered(f, owner, is_rewritten), made(f) and attribute(owner, name, value)


watching = _Watching()


def read(owner, name):
    """owner.name, told to the watcher."""
    value = getattr(owner, name)
    if watching.watcher is not None:
        watching.watcher.attribute(owner, name, value)
    return value


def entered(f, is_rewritten, owner=None):
    """A user's function is about to be called; `owner` is what it is bound to."""
    if watching.watcher is not None:
        watching.watcher.entered(f, is_rewritten, owner)


def made(f):
    """A function was made by rewritten code: what it closes over is that code's."""
    if watching.watcher is not None:
        watching.watcher.made(f)


class ReadAttributes(ast.NodeTransformer):
    """The last pass over a rewritten function: attributes that are read become calls of `read`."""

    def __init__(self, operators, class_name):
        self._operators, self._class_name = operators, class_name

    def visit_Attribute(self, node):
        if isinstance(node.value, ast.Name) and node.value.id == self._operators:
            return node
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        reader = ast.Attribute(load(self._operators, node), "read", ast.Load())
        return at(ast.Call(reader, [node.value, constant(self._mangled(node.attr), node)], []), node)

    def _mangled(self, name):
        """The name that the compiler gives to a private attribute."""
        is_private = name.startswith("__") and not name.endswith("__")
        return f"_{self._class_name.lstrip('_')}{name}" if is_private and self._class_name else name

    def visit_Call(self, node):
        f = node.func
        is_ours = isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id == self._operators
        return node if is_ours and f.attr == "nested" else self.generic_visit(node)  # a user's lambda, or not

    def visit_FunctionDef(self, node):
        if node.name.startswith("weft."):  # a branch: part of this function
            return self.generic_visit(node)
        # A user's function is rewritten when it is made; what stands around it is read here.
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        return node

    def visit_match_case(self, node):
        node.guard = node.guard and self.visit(node.guard)  # a pattern is no expression
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_ClassDef(self, node):
        return node

    visit_AsyncFunctionDef = visit_ClassDef
