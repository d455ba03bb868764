"""Random programs with the control flow of graphs, Variables and draws, for any of the backends of staged_backends.py.

A program is a list of steps; those of control flow hold blocks, which are lists of steps again and may use every value
around them. It is a function of its seed and prints as the listing that runs, so that a failure can be read and kept.
It is written for two sets of sizes at once: what would not run at both, or leaves the range, is written anew.
"""

import random

from random_programs import (BOUND, Step, _binary_step, _matmul_step, _pick, _reduction_step, _row_step,
                             _shape_step, _unary_step)

SIZES = ({"n": 3, "m": 4}, {"n": 5, "m": 2})
SHAPES = ((), ("n",), ("n", "m"), ("m", "n"), ("n", "n"))
PLACES = ((), (), (7,))  # shapes of Variables: no size of the inputs, so that one trace serves both sets
MOST_ELEMENTS = 60


class Unfit(Exception):
    """A step that this program cannot have; another one is tried."""


class Block:
    """Steps with parameters: what a branch or a loop does. Its values stand behind all those around it."""

    def __init__(self, outer, parameters):
        self.outer, self.parameters, self.steps, self.gives = outer, parameters, [], ()

    def run(self, b, values, given):
        local = [*values[:self.outer], *given]
        for step in self.steps:
            local.extend(_results(step, b, local))
        return tuple(local[i] for i in self.gives)

    def lines(self, head):
        names = ", ".join(f"v{self.outer + i}" for i in range(self.parameters))
        out, at = [f"{head}({names}):"], self.outer + self.parameters
        for step in self.steps:
            out += ["  " + line for line in _lines(step, at)]
            at += step.count
        return [*out, "  give " + ", ".join(f"v{i}" for i in self.gives)]


class Control:
    """A step that runs blocks: `run` gives a tuple of `count` values."""

    count = 1

    def __init__(self, args, blocks, **attrs):
        self.args, self.blocks, self.attrs = args, blocks, attrs

    def body(self, b, values, k=0):
        return lambda *given: self.blocks[k].run(b, values, given)

    def head(self):
        return ", ".join([f"v{i}" for i in self.args] + [f"{key}={value!r}" for key, value in self.attrs.items()])


class Cond(Control):
    """The first block if the mean of the first argument is above the limit, else the second, of the other arguments."""

    def run(self, b, values):
        test, *operands = (values[i] for i in self.args)
        pred = b.above(test, self.attrs["limit"])
        return b.cond(pred, self.body(b, values, 0), self.body(b, values, 1), operands)


class Switch(Control):
    """The block whose number the first argument's mean says; the last one if there is none of that number."""

    def run(self, b, values):
        test, *operands = (values[i] for i in self.args)
        return b.switch(b.number_of(test), [self.body(b, values, k) for k in range(len(self.blocks))], operands)


class While(Control):
    """At most `times` steps, as long as the mean square of what is carried first is above the limit."""

    def run(self, b, values):
        limit, times = self.attrs["limit"], self.attrs["times"]
        goes_on = lambda i, *carry: b.both(i < times, b.above(carry[0] * carry[0], limit))  # noqa: E731
        step = lambda i, *carry: (i + 1, *b.counted(i, self.body(b, values), carry))  # noqa: E731
        return b.while_loop(goes_on, step, (b.integer(0), *(b.own(values[i]) for i in self.args)), self.attrs["saved"])[1:]

    @property
    def count(self):
        return len(self.args)


class Fori(Control):
    """As many steps as `times`, or as the mean of the first argument says: a loop of unknown length."""

    def run(self, b, values):
        test, init = (values[i] for i in self.args)
        step = lambda i, carry: b.counted(i, self.body(b, values), (carry,))[0]  # noqa: E731
        times = self.attrs["times"]
        return (b.fori_loop(b.number_of(test) if times is None else times, step, b.own(init)),)


class Scan(Control):
    """Goes through the rows of the second argument; gives what is carried last, and the rows of results."""

    count = 2

    def run(self, b, values):
        init, rows = (values[i] for i in self.args)
        step = lambda carry, x: self.body(b, values)(carry, x)  # noqa: E731
        return b.scan(step, b.own(init), b.own(rows), self.attrs["reverse"])


class Map(Control):
    """A block of each row of the argument."""

    def run(self, b, values):
        return (b.map(lambda x: self.body(b, values)(x)[0], b.own(values[self.args[0]])),)


class Effect:
    """Reads or writes a Variable."""

    def __init__(self, kind, place, args=()):
        self.kind, self.place, self.args = kind, place, args
        self.count = 1 if kind == "read" else 0

    def run(self, b, values):
        if self.kind == "read":
            return (b.read(self.place),)
        getattr(b, self.kind)(self.place, values[self.args[0]])
        return ()


class Draw:
    """Numbers of a key that is made of the program's, a number, and the innermost loop's counter."""

    count = 1

    def __init__(self, number, args):
        self.number, self.args = number, args

    def run(self, b, values):
        like = values[self.args[0]]
        return (like + b.draw(self.number, like) * 0.25,)


def _results(step, b, values):
    out = step.run(b, values)
    return out if isinstance(out, tuple) else (out,)


def _lines(step, at):
    """The listing of a step whose first value is number `at`."""
    if isinstance(step, Effect):
        place = f"place{step.place}"
        return [f"v{at} = {place}.read()" if step.kind == "read" else f"{place}.{step.kind}(v{step.args[0]})"]
    if isinstance(step, Draw):
        return [f"v{at} = v{step.args[0]} + normal(key, {step.number}, counter) * 0.25"]
    if isinstance(step, Step):
        return [f"v{at} = {step}"]
    targets = ", ".join(f"v{at + i}" for i in range(step.count))
    name = type(step).__name__.lower()
    out = [f"{targets} = {name}({step.head()})"]
    for k, block in enumerate(step.blocks):
        out += ["  " + line for line in block.lines(f"{name} block {k}")]
    return out


class StagedProgram:
    """Inputs, Variables and steps. It gives every value that nothing uses; the sum of their means is the loss."""

    def __init__(self, seed, shapes, places):
        self.seed, self.shapes, self.places, self.steps = seed, shapes, places, []

    def outputs(self, b, *inputs):
        values, used = list(inputs), set()
        for step in self.steps:
            values.extend(_results(step, b, values))
            used.update(step.args)
        return [value for i, value in enumerate(values) if i not in used]

    def loss_of(self, b, outputs):
        out = 0.0
        for value in outputs:
            out = out + b.mean(value)
        return out

    def loss(self, b, *inputs):
        """For the backends' derivatives: Variables begin with their first values."""
        b.begin(self)
        return self.loss_of(b, self.outputs(b, *inputs))

    def shapes_at(self, sizes):
        return [tuple(sizes[name] for name in shape) for shape in self.shapes]

    def all_steps(self):
        """Every step with those inside of it, and how deep it lies."""
        def walk(steps, depth):
            for step in steps:
                yield step, depth
                for block in getattr(step, "blocks", ()):
                    yield from walk(block.steps, depth + 1)
        return walk(self.steps, 0)

    def __str__(self):
        lines = [f"program {self.seed}: " + ", ".join(f"v{i}: {list(s)}" for i, s in enumerate(self.shapes))
                 + "".join(f", place{i}: {list(s)}" for i, s in enumerate(self.places))]
        at = len(self.shapes)
        for step in self.steps:
            lines += ["  " + line for line in _lines(step, at)]
            at += step.count
        return "\n".join(lines)


Step.count = 1  # of a call: one value


def inputs_at(program, sizes, numpy):
    """Values and a direction for each input, in float64."""
    rng = numpy.random.default_rng(program.seed)
    draw = lambda low, high: [rng.uniform(low, high, shape) for shape in program.shapes_at(sizes)]  # noqa: E731
    return draw(-1.5, 1.5), draw(-1.0, 1.0)


def first_values(program, numpy):
    """What the Variables hold before the program runs."""
    rng = numpy.random.default_rng(program.seed + 1)
    return [rng.uniform(-1.0, 1.0, shape) for shape in program.places]


class _Run:
    """A program as it grows, at one set of sizes: a backend with Variables, and the values so far."""

    def __init__(self, backend, values):
        self.backend, self.values = backend, values

    def inside(self, given):
        return _Run(self.backend, [*self.values, *given])


class _Writer:
    def __init__(self, seed, backends, numpy):
        self.rng, self.numpy, self.draws = random.Random(seed), numpy, 0
        self.deepest = 3 if seed % 5 == 0 else 2
        shapes = [self.rng.choice(SHAPES) for _ in range(self.rng.randrange(2, 4))]
        places = [self.rng.choice(PLACES) for _ in range(self.rng.randrange(0, 3))]
        self.program = StagedProgram(seed, shapes, places)
        self.runs = []
        for backend, sizes in zip(backends, SIZES):
            backend.begin(self.program)
            self.runs.append(_Run(backend, [backend.array(x) for x in inputs_at(self.program, sizes, numpy)[0]]))

    def write(self):
        self.fill(self.program.steps, self.runs, self.rng.randrange(5, 10), 0)
        return self.program

    def fill(self, steps, runs, count, depth):
        """Adds so many steps that fit; a step that does not leaves no trace."""
        goal, tries = len(steps) + count, 0
        while len(steps) < goal and tries < 20 * count:
            tries += 1
            kept = [run.backend.snapshot() for run in runs]
            try:
                step = self.rng.choice(self.makers(depth))(self, runs, depth)
                for run, places in zip(runs, kept):
                    run.backend.restore(places)
                self.append(steps, runs, step)
            except Unfit:
                for run, places in zip(runs, kept):
                    run.backend.restore(places)

    def append(self, steps, runs, step):
        """The numbers of the values it gives."""
        found = [self.checked(step, run) for run in runs]
        for run, values in zip(runs, found):
            run.values.extend(values)
        steps.append(step)
        return [len(runs[0].values) - len(found[0]) + i for i in range(len(found[0]))]

    def checked(self, step, run):
        if step is None:
            raise Unfit
        try:
            values = _results(step, run.backend, run.values)
        except (ValueError, IndexError, TypeError, RuntimeError) as error:  # sizes that do not go together
            raise Unfit from error
        for value in values:
            plain = self.numpy.asarray(run.backend.numpy(value))
            if plain.size == 0 or plain.size > MOST_ELEMENTS or not self.numpy.all(self.numpy.abs(plain) < BOUND):
                raise Unfit
            if isinstance(step, Step) and step.ops[0] in ("norm", "std") and not self.numpy.all(plain):
                raise Unfit  # a kink, where the libraries have conventions of their own
        return values

    def pick(self, runs, fits=lambda shape: True):
        found = _pick(self.rng, runs[0].values, fits)
        if found is None:
            raise Unfit
        return found

    def call(self, steps, runs, op, *args):
        return self.append(steps, runs, Step("call", (op,), args))[0]

    def settled(self, steps, runs, like):
        """The last value brought to the shape of another one, and into (-1, 1)."""
        last = len(runs[0].values) - 1
        fits = all(tuple(run.values[last].shape) == tuple(run.values[like].shape) for run in runs)
        term = last if fits else self.call(steps, runs, "mean_all", last)
        return self.call(steps, runs, "tanh", self.call(steps, runs, "add", like, term))

    def block(self, runs, given, likes, depth):
        """A block of given parameters (for each run) that gives values of the shapes of `likes`."""
        out = Block(len(runs[0].values), len(given[0]))
        inner = [run.inside(values) for run, values in zip(runs, given)]
        kept = [run.backend.snapshot() for run in runs]
        self.fill(out.steps, inner, self.rng.randrange(1, 4), depth + 1)
        out.gives = tuple(self.settled(out.steps, inner, like) for like in likes)
        for run, places in zip(runs, kept):
            run.backend.restore(places)
        return out

    def operands(self, runs):
        args = [self.pick(runs) for _ in range(self.rng.randrange(0, 3))]
        return args, [[run.values[i] for i in args] for run in runs]

    def cond(self, runs, depth):
        args, given = self.operands(runs)
        like = self.pick(runs)
        blocks = [self.block(runs, given, (like,), depth) for _ in range(2)]
        return Cond((self.pick(runs), *args), blocks, limit=round(self.rng.uniform(-0.5, 0.5), 3))

    def switch(self, runs, depth):
        args, given = self.operands(runs)
        like = self.pick(runs)
        return Switch((self.pick(runs), *args), [self.block(runs, given, (like,), depth) for _ in range(3)])

    def while_loop(self, runs, depth):
        args = [self.pick(runs) for _ in range(self.rng.randrange(1, 3))]
        outer = len(runs[0].values)
        block = self.block(runs, [[run.values[i] for i in args] for run in runs], range(outer, outer + len(args)), depth)
        return While(args, [block], limit=round(self.rng.uniform(0.0, 0.3), 3), times=self.rng.randrange(1, 5),
                     saved=self.rng.choice((256 << 20, 1, 64)))

    def fori_loop(self, runs, depth):
        args = [self.pick(runs), self.pick(runs)]
        block = self.block(runs, [[run.values[args[1]]] for run in runs], (len(runs[0].values),), depth)
        return Fori(args, [block], times=self.rng.choice((None, None, 0, 1, 3)))

    def scan(self, runs, depth):
        args = [self.pick(runs), self.pick(runs, lambda s: len(s) > 0)]
        outer = len(runs[0].values)
        given = [[run.values[args[0]], run.values[args[1]][0]] for run in runs]
        return Scan(args, [self.block(runs, given, (outer, outer + self.rng.randrange(2)), depth)],
                    reverse=self.rng.random() < 0.3)

    def map_rows(self, runs, depth):
        args = [self.pick(runs, lambda s: len(s) > 0)]
        given = [[run.values[args[0]][0]] for run in runs]
        return Map(args, [self.block(runs, given, (len(runs[0].values),), depth)])

    def read(self, runs, depth):
        return Effect("read", self.place())

    def place(self):
        if not self.program.places:
            raise Unfit
        return self.rng.randrange(len(self.program.places))

    def write_place(self, runs, depth):
        """Stores a value that has the Variable's shape; there may be none yet."""
        place = self.place()
        shape = self.program.places[place]
        kind = self.rng.choice(("assign", "assign_add"))
        return Effect(kind, place, (self.pick(runs, lambda s: s == shape),))

    def draw(self, runs, depth):
        self.draws += 1
        return Draw(self.draws, (self.pick(runs),))

    def makers(self, depth):
        plain = lambda maker: lambda self, runs, depth: maker(self.rng, runs[0].values)  # noqa: E731
        out = [plain(maker) for maker in (_unary_step, _unary_step, _binary_step, _binary_step, _reduction_step, _row_step,
                                          _matmul_step, _shape_step)]
        out += [_Writer.read, _Writer.write_place, _Writer.draw]
        if depth < self.deepest:
            nested = [_Writer.cond, _Writer.switch, _Writer.while_loop, _Writer.fori_loop, _Writer.scan, _Writer.map_rows]
            out = 2 * out + nested if depth else out + 2 * nested
        return out


def make_staged_program(seed, backends, numpy):
    """The program of that seed. The backends, one for each set of sizes, run it as it grows."""
    return _Writer(seed, backends, numpy).write()
