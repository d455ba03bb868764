"""The pass over one function: sends every node to its construct, and knows the function's variables."""

import ast

from .building import at, function, load
from .constructs import NODES
from .constructs.effects import outer_writes
from .constructs.jumps import lower
from .errors import NotRewritable
from .laws import Place
from .liveness import Liveness
from .names import Names, all_arguments, own_nodes
from .sites import RETURNED, Site, is_internal

OPERATORS, SITES = "weft.operators", "weft.sites"  # no name of a user's has a dot in it
_SEES_LOCALS = {"locals", "eval", "exec", "vars", "dir"}  # with no further argument they look at the variables around them


class Context:
    """Rewrites one function definition in place. Nested functions are left to themselves: each is rewritten when made."""

    def __init__(self, definition, filename, name):
        self.filename, self.name = filename, name
        self.sites, self._count = [], 0
        self.loops = []  # the loops around the node
        self.handlers = 0  # how many `try` with handlers are around the node
        arguments = definition.args
        positional = [*arguments.posonlyargs, *arguments.args]
        self.first_argument = positional[0].arg if positional else None
        self._refuse_what_sees_locals(definition)
        lower(definition, self)
        self.names = Names(*definition.body)
        self._liveness = Liveness(definition.body)
        finals = [statement for node in ast.walk(definition) for statement in getattr(node, "finalbody", ())]
        self._read_at_last = self.names.captured | Names(*finals).loads  # even after the function has returned
        body = self.block(definition.body)
        own = self.names.stores - self.names.globals - self.names.nonlocals
        own -= {argument.arg for argument in all_arguments(arguments)}
        body = self._declared(own, body, definition)
        outer = [ast.Global(sorted(self.names.globals)), ast.Nonlocal(sorted(self.names.nonlocals))]
        definition.body = [at(declared, definition) for declared in outer if declared.names] + body

    @staticmethod
    def _refuse_what_sees_locals(definition):
        for node in (node for statement in definition.body for node in own_nodes(statement)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SEES_LOCALS:
                if len(node.args) < 1 + (node.func.id in ("eval", "exec")):
                    raise NotRewritable(f"it calls {node.func.id}(), which sees the variables of the function itself")

    @staticmethod
    def _declared(names, body, like):
        """`body` behind a statement that makes the names variables of the function, and does nothing."""
        if not names:
            return body
        targets = [ast.Name(name, ast.Store()) for name in sorted(names)]
        never = at(ast.If(ast.Constant(False), [ast.Assign(targets, ast.Constant(None))], []), like)
        has_doc = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        return body[:has_doc] + [never] + body[has_doc:]

    # What constructs use.

    def visit(self, node):
        rewrite = NODES.get(type(node))
        return rewrite(node, self) if rewrite else self.generic_visit(node)

    def generic_visit(self, node):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, field, self.block(value))
            elif isinstance(value, list):
                value[:] = [self.visit(item) if isinstance(item, ast.AST) else item for item in value]
            elif isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
        return node

    def block(self, statements):
        """Statements, rewritten."""
        out = []
        for statement in statements:
            out += outer_writes(statement, self)
            new = self.visit(statement)
            out += new if isinstance(new, list) else [new]
        return out

    def loop_body(self, loop, statements, parameters=()):
        """The body of a loop as a function of its own."""
        self.loops.append(loop)
        body = self.branch("body", statements, loop, parameters)
        self.loops.pop()
        return body

    def branch(self, word, statements, like, parameters=()):
        """Statements as a function of their own, which assigns the same variables. Rewrites them."""
        names = Names(*statements)
        shared = names.stores - self.names.globals
        declarations = [ast.Global(sorted(names.stores & self.names.globals)), ast.Nonlocal(sorted(shared))]
        self._count += 1
        body = [at(declared, like) for declared in declarations if declared.names] + self.block(statements)
        return function(f"weft.{word}_{self._count}", body, like, parameters)

    def operator(self, name, *arguments, like):
        """A call of an operator."""
        return at(ast.Call(ast.Attribute(load(OPERATORS, like), name, ast.Load()), list(arguments), []), like)

    def site(self, site):
        """A reference to a site."""
        self.sites.append(site)
        return ast.Subscript(ast.Name(SITES, ast.Load()), ast.Constant(len(self.sites) - 1), ast.Load())

    def place(self, node):
        return Place(self.filename, node.lineno, self.name)

    def simple_site(self, kind, node):
        return self.site(Site(kind, self.place(node)))

    def carrying_site(self, kind, node, *parts, **more):
        """The site of a statement that assigns variables, in `parts`."""
        by_flags = self._liveness.at_head.get(node, self._liveness.after[node])
        by_jumps = node.wanted | self._read_at_last | set(filter(is_internal, by_flags))
        modified = Names(*parts).stores - self.names.globals - self.names.nonlocals
        firm = frozenset(modified & by_flags & by_jumps)
        state = firm | modified & self.names.captured
        return self.site(Site(kind, self.place(node), tuple(sorted(modified)), tuple(sorted(state)), firm,
                              tuple(self._spare(state)), **more))

    def _spare(self, state):
        """For each flag that the construct sets, the variables that nobody reads where its jump leads."""
        own = {name for name in state if not is_internal(name)} - self._read_at_last
        for loop in self.loops:
            for flag, wanted in loop.spare.items():
                yield flag, frozenset(own - wanted)
        yield RETURNED, frozenset(own)

    def is_own(self, name):
        """Whether a name is a variable of the function, and not a builtin or global."""
        return name in self.names.stores
