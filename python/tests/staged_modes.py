"""A staged program in every way it can be run: now, in a session, as a function; values, gradients, tangents."""

import numpy
import weft as wf
from staged_backends import WeftHost, WeftStaged
from staged_programs import inputs_at


class Modes:
    """Each method gives {what: array}: outputs, the loss, its derivatives, and what the Variables hold at the end."""

    def __init__(self, program, dtype, owns=False):
        self.program, self.b = program, WeftStaged(dtype)
        self.b.owns = owns
        function = lambda f: wf.function(f, rewrite=False)  # noqa: E731  what interprets programs is no program itself
        self.traced, self.traced_loss = function(self.outputs), function(self.loss)
        every = self.every = tuple(range(1, 1 + len(program.shapes)))
        self.slopes = wf.value_and_grad(self.loss, every, unconnected="zero")
        self.traced_slopes = function(self.slopes)
        self.slopes_of_traced = wf.value_and_grad(self.traced_loss, every, unconnected="zero")
        self.traced_tangent = function(lambda key, x, v: self.tangent_of(self.loss, key, x, v))
        self.graphs = {}

    def outputs(self, key, *x):
        self.b.key, self.b.counter = wf.random.Key(key), None
        return tuple(self.program.outputs(self.b, *x))

    def loss(self, key, *x):
        return self.program.loss_of(self.b, self.outputs(key, *x)) + 0.0

    def arguments(self, sizes):
        inputs, along = inputs_at(self.program, sizes, numpy)
        self.b.begin(self.program)
        return self.b.key._words, [self.b.array(x) for x in inputs], [self.b.array(v) for v in along]

    def with_places(self, found):
        places = {f"place{i} at the end": place.numpy() for i, place in enumerate(self.b.places)}
        return {**{what: numpy.asarray(value) for what, value in found.items()}, **places}

    def host(self, sizes):
        """The outputs by Python's own control flow, without combinators."""
        b = WeftHost(self.b.dtype.name)
        b.begin(self.program)
        out = self.program.outputs(b, *map(b.array, inputs_at(self.program, sizes, numpy)[0]))
        places = {f"place{i} at the end": b.numpy(value) for i, value in enumerate(b.places)}
        return {**{f"output {i}": y.numpy() for i, y in enumerate(out)}, **places}

    def host_gradients(self, sizes):
        """The loss and its slopes by Python's own control flow: the ops that ran, on no op that holds them."""
        b = WeftHost(self.b.dtype.name)
        b.owns = self.b.owns
        b.begin(self.program)
        loss = lambda *x: self.program.loss(b, *x) + 0.0  # noqa: E731
        x = [b.array(x) for x in inputs_at(self.program, sizes, numpy)[0]]
        value, found = wf.value_and_grad(loss, tuple(range(len(x))), unconnected="zero")(*x)
        return {"loss": value.numpy(), **{f"gradient {i}": g.numpy() for i, g in enumerate(found)}}

    def values(self, sizes, traced):
        key, x, _ = self.arguments(sizes)
        out = (self.traced if traced else self.outputs)(key, *x)
        return self.with_places({f"output {i}": y.numpy() for i, y in enumerate(out)})

    def gradients(self, sizes, slopes):
        key, x, _ = self.arguments(sizes)
        loss, found = slopes(key, *x)
        return self.with_places({"loss": loss, **{f"gradient {i}": g for i, g in enumerate(found)}})

    def tangent_of(self, f, key, x, v):
        return wf.jvp(lambda *x: f(key, *x), tuple(x), tuple(v))

    def tangents(self, sizes, how):
        key, x, v = self.arguments(sizes)
        loss, slope = self.traced_tangent(key, x, v) if how is None else self.tangent_of(how, key, x, v)
        return self.with_places({"loss": loss, "tangent": slope})

    def session(self, sizes, shape_of, make):
        """What the graph of `make` gives; `shape_of(shape)` is what the placeholders know of their sizes."""
        key, x, v = self.arguments(sizes)
        if (shape_of, make) not in self.graphs:
            with wf.Graph() as g:
                feeds = self.placeholders(shape_of)
                fetches = make(*feeds)
                runs = self.to_be_run(g.operations)
            self.graphs[shape_of, make] = wf.Session(g), feeds, fetches, runs
        session, (a, b, c), fetches, runs = self.graphs[shape_of, make]
        fed = [a, *b, *c]  # fetched as well: what nobody needs may not be fed
        found, _, _ = session.run([fetches, runs, fed], dict(zip(fed, [key, *x, *v])))
        return self.with_places(found)

    @staticmethod
    def to_be_run(operations):
        """A run does what it needs: writes that stand by themselves, and ops that write. Their writes happen with them."""
        writes = [op for op in operations if op.type == "assign_variable"]
        makers = {op.name: op for op in operations}
        return [makers[op._info[2][0].rsplit(":", 1)[0]] if "with_maker=true" in op._info[8] else op for op in writes]

    def placeholders(self, shape_of):
        shapes = [shape_of(shape) for shape in self.program.shapes]
        x, v = ([wf.placeholder(self.b.dtype, shape, f"{name}{i}") for i, shape in enumerate(shapes)] for name in "xv")
        return wf.placeholder(wf.uint32, (2,), "key"), x, v

    def backward_graph(self, key, x, v):
        outputs = self.outputs(key, *x)
        loss = self.program.loss_of(self.b, outputs) + 0.0
        slopes = wf.gradients(loss, x, unconnected="zero")
        return {"loss": loss, **{f"output {i}": y for i, y in enumerate(outputs)},
                **{f"gradient {i}": s for i, s in enumerate(slopes)}}

    def forward_graph(self, key, x, v):
        return dict(zip(("loss", "tangent"), self.tangent_of(self.loss, key, x, v)))
