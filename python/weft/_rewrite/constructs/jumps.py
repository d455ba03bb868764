"""`return` in branches, `break` and `continue`: lowered to flags, so that every block ends at its end.

    if a:                if a:                        while t:              broken = False
        return x             value = x                    if a:             while not broken and t:
    y = g()              else:                                break             if a:
    return y                 y = g()                      g()                       broken = True
                             value = y                                          else:
                         return value                                               g()

What follows an `if` that surely jumps moves into its other branch; only what follows a statement that may jump, or not, is
guarded by `if not flag`. `for ... else` and `while ... else` become `if not broken` behind the loop.
"""

import ast

from .. import laws
from ..backend import current
from ..building import any_of, assign, at, constant, load, negation, thunk
from ..errors import NotRewritable
from ..liveness import Liveness
from ..names import own_nodes
from ..sites import RETURNED, VALUE, Site

_JUMPS = frozenset({"return", "break", "continue"})
_NEXT = "next"  # the way out of a block at its end
_TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))  # `except*` came with Python 3.11


class LoweredFor(ast.For):
    """A `for` without jumps that ends early once `stop` holds, if there is one."""

    _fields = (*ast.For._fields, "stop")


def lower(function, context):
    """Lowers the jumps of a function definition in place."""
    ways = exits(function.body)
    lowering = _Lowering(Liveness(function.body))
    if any(isinstance(node, ast.Return) for statement in function.body[:-1] for node in own_nodes(statement)) or (
            function.body and not isinstance(function.body[-1], ast.Return) and "return" in ways):
        lowering.has_returns = True
    body = lowering.block(function.body)
    if lowering.has_returns:
        last = function.body[-1]
        if _NEXT in ways:
            site = context.site(Site("return", context.place(last)))
            value = context.operator("returned", load(RETURNED, last), thunk(load(VALUE, last), last), site, like=last)
        else:
            value = load(VALUE, last)
        body.append(at(ast.Return(value), last))
        body.insert(_after_docstring(body), assign(RETURNED, constant(False, function), function))
    function.body = _without_unread_flags(body)


def returned(flag, value, site):
    """What a function gives whose end may be reached without a `return`."""
    if current.b.is_traced(flag):
        raise laws.refusal("return_missing", site.place)
    return value() if flag else None


def exits(block):
    """The ways out of a block: `next`, `return`, `break`, `continue`, `raise`."""
    out = set()
    for statement in block:
        ways = _exits_of(statement)
        out |= ways - {_NEXT}
        if _NEXT not in ways:
            return out
    return out | {_NEXT}


def _exits_of(node):
    if isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
        return {type(node).__name__.lower()}
    if isinstance(node, ast.If):
        return exits(node.body) | exits(node.orelse)
    if isinstance(node, (ast.While, ast.For)):
        inside = exits(node.body)
        out = inside & {"return", "raise"}
        if "break" in inside:
            out |= {_NEXT}
        forever = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value
        return out if forever else out | exits(node.orelse)
    if isinstance(node, _TRIES):
        out = exits(node.body)
        if _NEXT in out:
            out = (out - {_NEXT}) | exits(node.orelse)
        for handler in node.handlers:
            out |= exits(handler.body)
        return out
    if isinstance(node, ast.With):
        return exits(node.body) | {_NEXT}  # the manager may swallow an exception
    if isinstance(node, ast.Match):
        return {_NEXT}.union(*(exits(case.body) for case in node.cases))
    return {_NEXT}


class _Lowering:
    """Lowers blocks. On each `if` and loop it notes which variables are `wanted` after it, as the jumps tell.

    With flags in their place, a variable that is set on one side of a jump would seem to be wanted on the other.
    """

    def __init__(self, liveness):
        self.liveness = liveness
        self.has_returns, self.loops, self.nodes, self.count = False, [], [], 0

    def block(self, statements):
        wanted, out = self.liveness.at_end(statements), []
        for i, node in enumerate(statements):
            rest = statements[i + 1:]
            if (flag := self._flag_of(node)) is not None:
                if isinstance(node, ast.Return):
                    out.append(assign(VALUE, node.value or constant(None, node), node))
                out.append(assign(flag, constant(True, node), node))
                return out
            ways = _exits_of(node) & self._lowered
            if isinstance(node, ast.If):
                node.jumps = self._sure_jumps(node.body), self._sure_jumps(node.orelse)
            if isinstance(node, ast.If) and ways and rest:
                if _NEXT not in exits(node.body):
                    node.orelse, rest = self.liveness.extended(node.orelse + rest, wanted), []
                    self.liveness.after[node] = wanted
                elif _NEXT not in exits(node.orelse):
                    node.body, rest = self.liveness.extended(node.body + rest, wanted), []
                    self.liveness.after[node] = wanted
            out += self._inside(node)
            if not rest and i + 1 < len(statements):
                return out
            if ways and rest:
                rest = self.liveness.extended(rest, wanted)
                out.append(self._guard(ways, self.block(rest), node, wanted))
                return out
        return out

    def _sure_jumps(self, block):
        """The flags of which one is set at the end of a block that surely jumps."""
        ways = exits(block)
        return () if _NEXT in ways else tuple(sorted(self._flag(way) for way in ways & self._lowered))

    def _guard(self, ways, block, node, wanted):
        """`if not flag: block`, behind a node that may have jumped in these ways."""
        test = negation(any_of(sorted(self._flag(way) for way in ways), node), node)
        guard = at(ast.If(test, block, []), node)
        guard.wanted = wanted | self._targets()
        guard.flags = tuple(sorted(self._flag(way) for way in ways))
        guard.jumps = (), guard.flags
        return guard

    def _targets(self):
        """What is wanted where a jump out of the innermost loop leads."""
        if not self.nodes:
            return frozenset()
        return self.liveness.after[self.nodes[-1]] | self.liveness.at_head[self.nodes[-1]]

    @property
    def _lowered(self):
        """The jumps that are flags here: returns only if some are nested, jumps of loops inside of one."""
        return ({"return"} if self.has_returns else set()) | ({"break", "continue"} if self.loops else set())

    def _flag(self, way):
        return RETURNED if way == "return" else f"weft.{way}_{self.loops[-1]}"

    def _flag_of(self, node):
        way = type(node).__name__.lower()
        return self._flag(way) if way in _JUMPS and way in self._lowered else None

    def _inside(self, node):
        """A statement with its blocks lowered, as a list."""
        if isinstance(node, (ast.While, ast.For)):
            return self._loop(node)
        if isinstance(node, _TRIES):
            return self._try(node)
        for part in ([node, *node.cases] if isinstance(node, ast.Match) else [node]):
            if isinstance(part, (ast.If, ast.With, ast.match_case)):
                part.body = self.block(part.body)
            if isinstance(part, ast.If):
                part.orelse = self.block(part.orelse)
                part.wanted = self.liveness.after[part] | self._targets()
        return [node]

    def _try(self, node):
        if exits(node.finalbody) & _JUMPS:
            raise NotRewritable("a `finally` jumps, which would swallow exceptions")
        ways = exits(node.body) & self._lowered
        node.body = self.block(node.body)
        for handler in node.handlers:
            handler.body = self.block(handler.body)
        orelse, wanted = node.orelse, self.liveness.at_end(node.orelse)
        node.orelse = self.block(orelse)
        if ways and orelse:  # Python skips the `else` of a body that jumped
            node.orelse = [self._guard(ways, node.orelse, node, wanted)]
        node.finalbody = self.block(node.finalbody)
        return [node]

    def _loop(self, node):
        ways, orelse = exits(node.body), node.orelse
        node.orelse = []
        self.count += 1
        self.loops.append(self.count)
        self.nodes.append(node)
        broken, continued = self._flag("break"), self._flag("continue")
        body = self.block(node.body)
        self.loops.pop()
        self.nodes.pop()
        if "continue" in ways:
            body.insert(0, assign(continued, constant(False, node), node))
        stops = ([broken] if "break" in ways else []) + ([RETURNED] if "return" in ways and self.has_returns else [])
        out = [assign(broken, constant(False, node), node)] if "break" in ways else []
        after, at_head = self.liveness.after[node], self.liveness.at_head[node]
        loop = _stopping(node, body, stops)
        loop.wanted, loop.spare = after | at_head, {broken: after, continued: at_head}
        out.append(loop)
        if orelse:
            tail = self.block(orelse)
            if stops:
                tail = [at(ast.If(negation(any_of(stops, node), node), tail, []), node)]
                tail[0].wanted, tail[0].flags, tail[0].jumps = after | self._targets(), tuple(stops), ((), tuple(stops))
            out += tail
        return out


def _stopping(node, body, stops):
    """The loop, ended by flags."""
    if isinstance(node, ast.While):
        tests = [negation(load(flag, node), node) for flag in stops]
        if not (tests and isinstance(node.test, ast.Constant) and node.test.value):
            tests.append(node.test)
        node.test = tests[0] if len(tests) == 1 else at(ast.BoolOp(ast.And(), tests), node.test)
        node.body = body
        return node
    stop = any_of(stops, node) if stops else None
    return at(LoweredFor(node.target, node.iter, body, [], node.type_comment, stop), node)


def _without_unread_flags(body):
    """Drops assignments to flags that no guard and no loop reads."""
    module = ast.Module(body, [])
    read = {node.id for node in ast.walk(module) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}

    class Cleaner(ast.NodeTransformer):
        def visit_Assign(self, node):
            target = node.targets[0]
            unread = isinstance(target, ast.Name) and target.id.startswith("weft.") and target.id not in read
            return None if unread and target.id != VALUE else node

        def visit_FunctionDef(self, node):
            return node

        visit_Lambda = visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef

    body = Cleaner().visit(module).body
    for node in ast.walk(module):
        if isinstance(getattr(node, "body", None), list) and not node.body and not isinstance(node, ast.Module):
            node.body = [at(ast.Pass(), node)] if hasattr(node, "lineno") else [ast.Pass(lineno=1, col_offset=0)]
    return body


def _after_docstring(body):
    first = body[0]
    return int(isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str))
