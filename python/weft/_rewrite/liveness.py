"""Which variables are still wanted after each statement: backward over the structure of a function, and along its jumps."""

import ast

from .names import Names

_SURE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import,
         ast.ImportFrom, ast.Delete)


class Liveness:
    """`after[node]`: wanted after an `if` or a loop. `at_head[node]`: wanted by the next iteration or after the loop.

    `at_end(block)`: wanted when a block ends at its end. `targets[node]`: wanted where jumps out of it can lead.
    """

    def __init__(self, body):
        self.after, self.at_head, self.targets = {}, {}, {}
        self._ends, self._loops = {}, []  # the loops around the statement: wanted after them, and at their heads
        self.caught = [frozenset()]  # what a handler around the statement wants: any statement may raise
        self.block(body, frozenset())

    def at_end(self, block):
        return self._ends[id(block)]

    def extended(self, block, wanted):
        """Notes what is wanted at the end of a block that was made of others."""
        self._ends[id(block)] = wanted
        return block

    def block(self, statements, wanted):
        self._ends[id(statements)] = wanted
        for statement in reversed(statements):
            wanted = self.statement(statement, wanted) | self.caught[-1]
        return wanted

    def statement(self, node, wanted):
        handle = getattr(self, f"_{type(node).__name__}", None) or self._simple
        return handle(node, wanted)

    def _simple(self, node, wanted):
        names = Names(node)
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return wanted
        sure = names.stores if isinstance(node, _SURE) else frozenset()
        return (wanted - sure) | names.loads | names.captured

    def _Return(self, node, wanted):
        return self._simple(node, self.caught[-1])

    _Raise = _Return

    def _Break(self, node, wanted):
        return self._loops[-1][0]

    def _Continue(self, node, wanted):
        return self._loops[-1][1]

    def _around(self):
        return frozenset().union(*self._loops[-1]) if self._loops else frozenset()

    def _If(self, node, wanted):
        self.after[node], self.targets[node] = wanted, self._around()
        return self._reads(node.test) | self.block(node.body, wanted) | self.block(node.orelse, wanted)

    def _While(self, node, wanted):
        def once(head):
            return self._reads(node.test) | self.block(node.body, head)

        return self._loop(node, once, wanted)

    def _For(self, node, wanted):
        stop = self._reads(node.stop) if getattr(node, "stop", None) else frozenset()
        targets = Names(node.target)

        def once(head):
            return stop | targets.loads | (self.block(node.body, head | stop) - targets.stores)

        return self._reads(node.iter) | self._loop(node, once, wanted)

    _LoweredFor = _For

    def _loop(self, node, once, wanted):
        head = done = self.block(node.orelse, wanted)
        while True:
            self._loops.append((wanted, head))
            larger = head | done | once(head)
            self._loops.pop()
            if larger == head:
                break
            head = larger
        self.after[node], self.at_head[node] = wanted, head
        return head

    def _Try(self, node, wanted):
        # A jump passes through the last block too, on its way to anywhere.
        final = self.block(node.finalbody, wanted | self._around() if node.finalbody else wanted)
        if node.finalbody:
            self.caught.append(self.caught[-1] | final)  # an exception passes through it
        handlers = frozenset().union(*(self._handler(handler, final) for handler in node.handlers))
        otherwise = self.block(node.orelse, final)
        self.caught.append(self.caught[-1] | handlers)
        body = self.block(node.body, otherwise)
        del self.caught[-2 if node.finalbody else -1:]
        return body | handlers

    _TryStar = _Try

    def _handler(self, handler, wanted):
        inside = self.block(handler.body, wanted)
        return (self._reads(handler.type) if handler.type else frozenset()) | inside - {handler.name}

    def _With(self, node, wanted):
        stores = frozenset().union(*(Names(item.optional_vars).stores for item in node.items if item.optional_vars))
        inside = self.block(node.body, wanted)
        return inside - stores | frozenset().union(*(self._reads(item) for item in node.items))

    def _Match(self, node, wanted):
        out = self._reads(node.subject) | wanted
        for case in node.cases:
            inside = self.block(case.body, wanted) | (self._reads(case.guard) if case.guard else frozenset())
            out |= self._reads(case.pattern) | inside - Names(case.pattern).stores
        return out

    @staticmethod
    def _reads(node):
        names = Names(node)
        return frozenset(names.loads | names.captured)
