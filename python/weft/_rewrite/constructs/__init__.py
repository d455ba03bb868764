"""The table of constructs: what is rewritten, by which file, and what it becomes for traced values.

A construct's file has both halves: `rewrite`, which turns its syntax into calls, and the operators that are called. An
operator decides when it runs: on Python values it does what Python does, on traced values it extends the graph.
"""

import ast
from dataclasses import dataclass
from typing import Callable

from . import (assert_, calls, comparison, comprehensions, conditional_expression, effects, for_, functions, handlers, if_,
               jumps, logical, slices, statements, text, while_)


@dataclass(frozen=True)
class Construct:
    name: str
    nodes: tuple
    rewrite: Callable
    becomes: str


TABLE = (
    Construct("if, elif, else", (ast.If,), if_.rewrite, "cond"),
    Construct("while", (ast.While,), while_.rewrite, "while_loop"),
    Construct("for", (jumps.LoweredFor,), for_.rewrite, "scan; while_loop for a range or with break"),
    Construct("and, or", (ast.BoolOp,), logical.rewrite, "logical_and, logical_or; cond where the rest is not pure"),
    Construct("not", (ast.UnaryOp,), logical.rewrite_not, "logical_not"),
    Construct("a < b < c, in", (ast.Compare,), comparison.rewrite, "as `and`; `in` is refused"),
    Construct("a if test else b", (ast.IfExp,), conditional_expression.rewrite, "cond"),
    Construct("assert", (ast.Assert,), assert_.rewrite, "a check in the graph"),
    Construct("print, range, calls", (ast.Call,), calls.rewrite, "a print in the graph, a loop, the rewritten function"),
    Construct("f(x) as a statement", (ast.Expr,), calls.rewrite_statement, "refused where code that is not rewritten acts"),
    Construct('f"{x}"', (ast.JoinedStr,), text.rewrite, "part of what the graph prints or asserts; else refused"),
    Construct('"%s" % x', (ast.BinOp,), text.rewrite_operator, "part of what the graph prints or asserts; else refused"),
    Construct("comprehensions", (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), comprehensions.rewrite,
              "their elements, one by one, of a tensor whose length is taken for granted"),
    Construct("[], {}", (ast.List, ast.Dict, ast.Set), comprehensions.rewrite_display, "themselves"),
    Construct("obj.x = v, obj[i] = v, del", (ast.Attribute, ast.Subscript), effects.rewrite_target, "refused"),
    Construct("x[a:b]", (ast.Slice,), slices.rewrite, "refused for traced bounds"),
    Construct("x += v", (ast.AugAssign,), effects.rewrite_augmented, "refused for lists and their like"),
    Construct("global, nonlocal", (ast.Global, ast.Nonlocal), effects.rewrite_declaration, "refused where assigned"),
    Construct("raise", (ast.Raise,), effects.rewrite_raise, "refused, unless Python decides"),
    Construct("try", (ast.Try,), handlers.rewrite_try, "itself, blind for what branches and loops raise"),
    Construct("with", (ast.With,), handlers.rewrite_with, "itself, blind for what branches and loops raise"),
    Construct("match", (ast.Match,), statements.rewrite_match, "refused for a traced subject"),
    Construct("x: int = v", (ast.AnnAssign,), statements.rewrite_annotated, "an assignment"),
    Construct("nested def", (ast.FunctionDef,), functions.rewrite, "a rewritten function"),
    Construct("lambda", (ast.Lambda,), functions.rewrite_lambda, "a rewritten function"),
    Construct("class, async def", (ast.ClassDef, ast.AsyncFunctionDef), functions.leave, "itself"),
)
# `break`, `continue` and `return` are gone by then: jumps.lower makes flags of them first.
NODES = {node: construct.rewrite for construct in TABLE for node in construct.nodes}
