"""Which variables a piece of a function reads, assigns and captures, and whether an expression is pure."""

import ast


class Names(ast.NodeVisitor):
    """The names in statements of one function; inside of nested functions only what they take from it.

    `stores` are assigned or deleted, `loads` read, `captured` used by nested functions, at any later time.
    """

    def __init__(self, *nodes):
        self.stores, self.loads, self.captured = set(), set(), set()
        self.globals, self.nonlocals = set(), set()
        for node in nodes:
            self.visit(node)

    def visit_Name(self, node):
        if not isinstance(node.ctx, ast.Load):
            self.stores.add(node.id)
        if not isinstance(node.ctx, ast.Store):
            self.loads.add(node.id)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            self.loads.add(node.target.id)

    def visit_Global(self, node):
        self.globals.update(node.names)

    def visit_Nonlocal(self, node):
        self.nonlocals.update(node.names)

    def visit_FunctionDef(self, node):
        self.stores.add(node.name)
        for outside in (*node.decorator_list, node.returns):
            if outside is not None:
                self.visit(outside)
        self._visit_nested(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        self._visit_nested(node)

    def _visit_nested(self, node):
        for outside in (*node.args.defaults, *node.args.kw_defaults):
            if outside is not None:
                self.visit(outside)
        for argument in all_arguments(node.args):
            if argument.annotation is not None:
                self.visit(argument.annotation)
        self.captured |= free_names(node)

    def visit_ClassDef(self, node):
        self.stores.add(node.name)
        for outside in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(outside)
        inside = Names(*node.body)
        self.loads |= inside.loads
        self.captured |= inside.captured | inside.loads

    def _visit_comprehension(self, node):
        inside = Names(*ast.iter_child_nodes(node))
        targets = Names(*(generator.target for generator in node.generators)).stores
        self.stores |= inside.stores - targets  # those of `:=`
        self.loads |= inside.loads - targets
        self.captured |= inside.captured - targets

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    def visit_alias(self, node):
        self.stores.add(node.asname or node.name.partition(".")[0])

    def visit_ExceptHandler(self, node):
        if node.name:
            self.stores.add(node.name)
        self.generic_visit(node)

    def _visit_pattern(self, node):
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name:
            self.stores.add(name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = _visit_pattern


def all_arguments(arguments):
    """Every argument of a function, in the order of its code's variables."""
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs,
            *(extra for extra in (arguments.vararg, arguments.kwarg) if extra)]


def free_names(function):
    """The names that a nested function takes from outside."""
    body = function.body if isinstance(function.body, list) else [function.body]
    inside = Names(*body)
    own = inside.stores - inside.nonlocals | {argument.arg for argument in all_arguments(function.args)}
    return (inside.loads | inside.captured | inside.nonlocals) - own - inside.globals


_PURE = (ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Load, ast.cmpop, ast.boolop, ast.unaryop)
_PURE_BINARY = (ast.Add, ast.Sub, ast.Mult)  # no division: integers raise on 0 when they run


def is_pure(expression):
    """Whether it can be computed more or fewer times without anybody noticing."""
    return all(isinstance(node, _PURE) or isinstance(node, _PURE_BINARY) or
               isinstance(node, ast.BinOp) and isinstance(node.op, _PURE_BINARY) for node in ast.walk(expression))


def is_never_traced(test):
    """Whether a condition is a Python bool whatever its operands are, as `x is None`: then nothing is rewritten."""
    if isinstance(test, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in test.ops)
    if isinstance(test, ast.UnaryOp):
        return isinstance(test.op, ast.Not) and is_never_traced(test.operand)
    if isinstance(test, ast.BoolOp):
        return all(is_never_traced(value) for value in test.values)
    return isinstance(test, ast.Constant)


def has_walrus(expression):
    """Whether `:=` in it assigns a variable of the function itself."""
    return bool(Names(expression).stores)


def own_nodes(statement):
    """The nodes of a statement that belong to the function itself."""
    yield statement
    if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        for child in ast.iter_child_nodes(statement):
            if not isinstance(child, ast.Lambda):
                yield from own_nodes(child)
