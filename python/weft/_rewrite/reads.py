"""Who is told what rewritten code reads and changes outside of its variables.

    obj.x          read(obj, "x")
    a + b          met(a, "add") + met(b, "add")          of a user's class, which may read anything in it

Both are rewritten last, when all constructs have seen the tree as it was written.
"""

import ast
import sys
import threading
from collections import deque
from collections.abc import Iterator, MutableMapping
from types import FunctionType

from . import laws
from .building import at, constant, load


class Watcher:
    """The interface of who is told."""

    def entered(self, f, is_rewritten, owner=None):
        """A function of the user's is called, bound to `owner`."""

    def called(self, f, args, keywords):
        """A function that is not rewritten is called with these arguments."""

    def made(self, f):
        """A function was made by rewritten code."""

    def attribute(self, owner, name, value):
        """owner.name was read."""

    def has(self, owner, name, answer):
        """Whether there is an owner.name was asked."""

    def item(self, owner, name, value):
        """owner[name] of a module's variables was read."""

    def contents(self, owner):
        """All that is in a container may be read."""

    def met(self, x, word):
        """An operator asks an object."""

    def bound(self, f):
        """A functools.partial is called, or made by a partialmethod."""

    def changes(self, owner, name):
        """owner.name, or what is in owner if the name is None, is about to be changed."""

    def used(self, thing, text):
        """An iterator went on, or a generator of random numbers drew."""

    def fresh(self, thing):
        """Rewritten code has made an object."""

    def given(self, thing):
        """A function that is not rewritten has given an object that nobody else holds."""


class _Watching(threading.local):
    watcher = None
    asked = None  # of the region that is being traced: objects that operators ask, with what they held before and the line


watching = _Watching()

_PLAIN = {bool, int, float, complex, str, bytes, type(None), list, tuple, dict, set, range, slice}  # their operators read nothing
_ELEMENTWISE = {"eq", "ne", "lt", "le", "gt", "ge", "mod"}  # but these call operators of the elements of lists and tuples


def met(x, word):
    """x, an operand of the operator `word`."""
    if type(x) in _PLAIN:
        if type(x) in (list, tuple) and word in _ELEMENTWISE:
            for item in x:
                met(item, word)
        return x
    if watching.watcher is not None:
        watching.watcher.met(x, word)
    if watching.asked is not None:
        from .constructs import unrewritten  # late: it asks which functions are rewritten
        is_users = unrewritten.refuse_operator(x, word)
        if is_users and id(x) not in watching.asked and type(getattr(x, "__dict__", None)) is dict:
            watching.asked[id(x)] = x, dict(vars(x)), laws.here()
    return x


def met_elements(x, word):
    """Records that a C function applies the operator `word` to the elements of `x`; returns x, or an iterator that records as it goes."""
    if isinstance(x, (list, tuple, set, frozenset, dict, deque)):
        for item in x:
            met(item, word)
        return x
    return map(lambda item: met(item, word), x) if isinstance(x, Iterator) else x


def read_path(owner, path):
    """What operator.attrgetter(path) gives."""
    for name in path.split("."):
        owner = read(owner, name)
    return owner


def bound(f):
    """Records that a functools.partial is called."""
    if watching.watcher is not None:
        watching.watcher.bound(f)


def read_attribute(owner, name, *default):
    """getattr, told to the watcher."""
    value = getattr(owner, name, *default)
    if watching.watcher is not None:
        if default and not hasattr(owner, name):
            watching.watcher.has(owner, name, False)
        else:
            watching.watcher.attribute(owner, name, value)
    return value


def has_attribute(owner, name):
    """hasattr, told to the watcher."""
    answer = hasattr(owner, name)
    if watching.watcher is not None:
        watching.watcher.has(owner, name, answer)
    return answer


def variables_of(owner):
    """vars, told to the watcher."""
    found = vars(owner)
    if watching.watcher is not None:
        watching.watcher.contents(found)
    return found


def module_variables():
    """globals() of the function that calls it."""
    found = sys._getframe(1).f_globals
    return found if watching.watcher is None else _Globals(found)


class _Globals(MutableMapping):
    """The variables of a module, of which it is told which are read."""

    def __init__(self, variables):
        self._variables = variables

    def __getitem__(self, name):
        value = self._variables[name]
        if watching.watcher is not None:
            watching.watcher.item(self._variables, name, value)
        return value

    def __setitem__(self, name, value):
        self._variables[name] = value

    def __delitem__(self, name):
        del self._variables[name]

    def __iter__(self):
        return iter(self._variables)

    def __len__(self):
        return len(self._variables)


def read(owner, name):
    """owner.name, told to the watcher."""
    try:
        getter = _getter(owner, name)
        value = getattr(owner, name) if getter is None else getter(owner)
    except AttributeError:
        if watching.watcher is not None:
            watching.watcher.has(owner, name, False)
        raise
    if watching.watcher is not None:
        watching.watcher.attribute(owner, name, value)
    return value


def _getter(owner, name):
    """The rewritten function of a user's property, or None."""
    kind = type(owner)
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    if type(found) is not property or type(found.fget) is not FunctionType:
        return None
    if kind.__getattribute__ not in (object.__getattribute__, type.__getattribute__) or hasattr(kind, "__getattr__"):
        return None
    from . import conversion  # late: it tells who is entered
    return None if conversion.is_left_alone(found.fget) else conversion.converted(found.fget, owner)


def entered(f, is_rewritten, owner=None):
    """A user's function is about to be called; `owner` is what it is bound to."""
    if watching.watcher is not None:
        watching.watcher.entered(f, is_rewritten, owner)


def made(f):
    """A function was made by rewritten code: what it closes over is that code's."""
    if watching.watcher is not None:
        watching.watcher.made(f)


WORDS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
          ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
          ast.LShift: "lshift", ast.RShift: "rshift", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert",
          ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}


class ReadAttributes(ast.NodeTransformer):
    """The last pass over a rewritten function: attributes that are read and operands become calls of `read` and `met`."""

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

    def _met(self, node, op):
        """An operand, told to the watcher; what is surely a number or a text needs no word."""
        word = op if isinstance(op, str) else WORDS.get(type(op))
        if word is None or isinstance(node, (ast.Constant, ast.JoinedStr)):
            return node
        return at(ast.Call(ast.Attribute(load(self._operators, node), "met", ast.Load()), [node, constant(word, node)], []), node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        node.left, node.right = self._met(node.left, node.op), self._met(node.right, node.op)
        return node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        node.operand = self._met(node.operand, node.op)
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1:
            node.left, node.comparators = self._met(node.left, node.ops[0]), [self._met(node.comparators[0], node.ops[0])]
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        ours = isinstance(node.value, ast.Name) and node.value.id.startswith("weft.")
        if isinstance(node.ctx, ast.Load) and not ours:
            node.value = self._met(node.value, "getitem")
            if isinstance(node.slice, (ast.Name, ast.Attribute, ast.Call)):
                node.slice = self._met(node.slice, "key")
        return node

    def visit_Starred(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = self._met(node.value, "iter")
        return node

    def visit_keyword(self, node):
        self.generic_visit(node)
        if node.arg is None:
            node.value = self._met(node.value, "unpack")
        return node

    def visit_FormattedValue(self, node):
        self.generic_visit(node)
        node.value = self._met(node.value, "format")
        return node

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
