"""From a function to its rewritten code, and from that to a function with the same cells, defaults and names."""

import ast
import inspect
import types
from dataclasses import dataclass

from . import operators
from .context import OPERATORS, SITES, Context
from .errors import NotRewritable
from .reads import ReadAttributes
from .source import find, in_turn

_FUTURE = 0x1FF0000  # the flags of `from __future__ import ...`
_RUNS_LATER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True)
class Template:
    """Rewritten code, of which a function is made with the cells of the original."""

    code: types.CodeType
    own_cells: dict

    def instantiate(self, f):
        cells = dict(zip(f.__code__.co_freevars, f.__closure__ or ()), **self.own_cells)
        closure = tuple(cells[name] for name in self.code.co_freevars)
        new = types.FunctionType(self.code, f.__globals__, f.__name__, f.__defaults__, closure)
        new.__kwdefaults__ = f.__kwdefaults__
        new.__dict__.update(f.__dict__)
        for name in ("__doc__", "__module__", "__qualname__", "__annotations__"):
            setattr(new, name, getattr(f, name))
        return new


def rewritten(f):
    """The template of a function, or NotRewritable."""
    code = f.__code__
    if code.co_flags & _RUNS_LATER:
        raise NotRewritable("it is a generator or a coroutine, whose body runs later and in parts")
    source = find(code, f.__globals__)
    definition = _definition(source.node, code)
    context = Context(definition, code.co_filename, code.co_name)
    reader = ReadAttributes(OPERATORS, source.class_name)
    definition.body = [reader.visit(statement) for statement in definition.body]
    new = _compiled(definition, source.class_name, code)
    missing = set(new.co_freevars) - set(code.co_freevars) - {OPERATORS, SITES}
    if missing:
        raise NotRewritable(f"{code.co_filename} has changed since it was imported")
    cells = {OPERATORS: types.CellType(operators), SITES: types.CellType(context.sites)}
    return Template(_renamed(new, code.co_name, new.co_qualname, getattr(code, "co_qualname", code.co_name)), cells)


def _definition(node, code):
    """A function definition of its own: without decorators, defaults and annotations, which the original has evaluated."""
    node = _copied(node)
    if isinstance(node, ast.Lambda):
        body = ast.copy_location(ast.Return(node.body), node.body)
        node = ast.copy_location(ast.FunctionDef(code.co_name, node.args, [body], [], None), node)
    # A decorator's line is the function's first line; it stays as a constant that is never evaluated.
    node.decorator_list = [ast.copy_location(ast.Constant(None), one) for one in node.decorator_list]
    node.returns, node.args.defaults, node.args.kw_defaults = None, [], [None] * len(node.args.kwonlyargs)
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return node


def _copied(node):
    """A syntax tree anew; copy.deepcopy, which knows less about it, takes five times as long."""
    if isinstance(node, list):
        return [_copied(item) for item in node]
    if not isinstance(node, ast.AST):
        return node
    new = type(node)()
    for name, value in vars(node).items():
        setattr(new, name, _copied(value))
    return new


def _compiled(definition, class_name, code):
    """The code of the definition, compiled where it sees the same outer variables and the same class."""
    inner = definition
    if class_name is not None:
        inner = ast.ClassDef(class_name, [], [], [definition], [])
    outer = [name for name in code.co_freevars if class_name is None or name != "__class__"]
    arguments = ast.arguments(posonlyargs=[], args=[ast.arg(name) for name in (*outer, OPERATORS, SITES)], kwonlyargs=[],
                              kw_defaults=[], defaults=[])
    body = [inner]
    if class_name is not None and class_name not in outer:
        body.insert(0, ast.Global([class_name]))  # a method that names its class means the module's
    elif class_name is None and definition.name not in outer:
        body.insert(0, ast.Global([definition.name]))  # and so does a function that names itself
    factory = ast.copy_location(ast.FunctionDef("weft.factory", arguments, body, [], None), definition)
    module = ast.fix_missing_locations(ast.Module([factory], []))
    try:
        compiled = in_turn(lambda: compile(module, code.co_filename, "exec", code.co_flags & _FUTURE, dont_inherit=True))
    except (SyntaxError, ValueError) as error:
        raise NotRewritable(f"it cannot be compiled in its rewritten form: {error}") from error
    for name in ("weft.factory", *([class_name] if class_name is not None else []), definition.name):
        compiled = next(constant for constant in compiled.co_consts
                        if isinstance(constant, types.CodeType) and constant.co_name == name)
    return compiled


def _renamed(code, name, prefix, wanted):
    """The code with the original's qualified names; the functions that branches became bear the function's name."""
    consts = tuple(_renamed(constant, name, prefix, wanted) if isinstance(constant, types.CodeType) else constant
                   for constant in code.co_consts)
    changes = {"co_consts": consts}
    if code.co_name.startswith("weft."):
        changes["co_name"] = name
    if hasattr(code, "co_qualname"):
        parts = code.co_qualname.replace(prefix, wanted, 1).split(".<locals>.")
        changes["co_qualname"] = ".<locals>.".join(part for part in parts if not part.startswith("weft.")) or name
    return code.replace(**changes)
