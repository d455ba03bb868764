"""Small pieces of syntax trees. Every piece takes the place of the user's node it stands for, so lines are kept."""

import ast


def at(new, like):
    """`new` and all inside of it that has no place yet, at the place of `like`."""
    return ast.fix_missing_locations(ast.copy_location(new, like))


def load(name, like):
    return at(ast.Name(name, ast.Load()), like)


def assign(name, value, like):
    return at(ast.Assign([ast.Name(name, ast.Store())], value), like)


def constant(value, like):
    return at(ast.Constant(value), like)


def negation(test, like):
    return at(ast.UnaryOp(ast.Not(), test), like)


def any_of(names, like):
    """`a or b`, of variables."""
    loads = [load(name, like) for name in names]
    return loads[0] if len(loads) == 1 else at(ast.BoolOp(ast.Or(), loads), like)


def thunk(expression, like):
    """`lambda: expression`."""
    none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return at(ast.Lambda(none, expression), like)


def function(name, body, like, parameters=()):
    """`def name(parameters): body`."""
    arguments = ast.arguments(posonlyargs=[], args=[ast.arg(p) for p in parameters], kwonlyargs=[], kw_defaults=[],
                              defaults=[])
    return at(ast.FunctionDef(name, arguments, body or [ast.Pass()], [], None), like)
