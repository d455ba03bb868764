"""Looking at what happens: observers of ops, hooks on gradients, pictures of the tape, fingerprints."""

from . import _core, _picture, _tree


class Observation:
    """An op that was computed: what an observer is given."""

    __slots__ = ("op", "attrs", "inputs", "outputs", "line", "seconds", "bytes")

    def __init__(self, op, attrs, inputs, outputs, line, seconds, bytes):
        self.op = op  # its name
        self.attrs = attrs  # "axis=1, keepdims=true"
        self.inputs = inputs  # tuples of plain tensors: under a tape or vmap, those at the bottom
        self.outputs = outputs
        self.line = line  # "train.py:12", or None
        self.seconds = seconds
        self.bytes = bytes  # of inputs and outputs together

    def made(self):
        """The outputs that have memory of their own: not those that are views of an input."""
        spans = [(_address(t), max(t.nbytes, 1)) for t in self.inputs]
        return [t for t in self.outputs if not any(start <= _address(t) < start + size for start, size in spans)]

    def __repr__(self):
        def types(tensors):
            return ", ".join(f"{t.dtype}{list(t.shape)}" for t in tensors)

        attrs = f" {self.attrs}" if self.attrs else ""
        return (f"<{self.op}{attrs}: ({types(self.inputs)}) -> ({types(self.outputs)}) in {self.seconds * 1e6:.1f} us"
                f"{f' at {self.line}' if self.line else ''}>")


def _address(t):
    """Where the first element of a tensor lies."""
    import numpy

    array = numpy.asarray(_core._bits(t)) if t.dtype is _core.bfloat16 else t.numpy()
    return array.__array_interface__["data"][0]


_observing = set()  # an observer goes on until it is told to end, whether its handle is kept or not


class observe:
    """Calls `fn` with an Observation for every op this thread computes, until `remove()` or the end of `with`.

    Ops inside `fn` are not observed, and an error raised in it goes to the caller of the op.

    >>> x, names = wf.ones(3), []
    >>> with wf.observe(lambda seen: names.append(seen.op)):
    ...     y = wf.tanh(x) * 2.0
    >>> names
    ['tanh', 'multiply']
    """

    def __init__(self, fn):
        if not callable(fn):
            raise _core.WrongTypeError(f"observe: fn must be a function, but got {fn!r} [observe.argument]")
        self._observer = _core._Observer(lambda *seen: fn(Observation(*seen)))
        self._observer.begin()
        _observing.add(self)

    def remove(self):
        """Ends it, on the thread that began it."""
        self._observer.end()
        _observing.discard(self)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()
        return False


class Drawing:
    """A picture of a tape: shows itself in a notebook; `dot` and `svg` are its texts."""

    def __init__(self, dot, svg):
        self.dot = dot
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """Writes it as SVG, or as text for Graphviz if the name ends in .dot or .gv."""
        _picture.written(getattr(self, _picture.format_of(path, pages=False)), path)

    def __repr__(self):
        return f"<drawing of a tape: {len(self.svg)} characters of SVG>"


def draw(value, path=None, *, engine=None, most=500):
    """A picture of the tape behind `value`: forward side, backward side, and what the one keeps for the other.

    Each box shows the op, shape, dtype and your line. `path` also writes it (.svg, or .dot for Graphviz, which lays it out
    if `engine` is "dot"). Draw before `backward()`, which frees the tape. More than `most` records raise.

    >>> w = wf.Variable([1.0, 2.0], name="w")
    >>> picture = wf.draw((w * w).sum())
    >>> "w.grad" in picture.dot
    True
    """
    layout = _picture.layout_by(engine)
    if path is not None:
        _picture.format_of(path, pages=False)
    dot = _core._draw_dot(value, most)
    drawing = Drawing(dot, (layout and layout(dot)) or _core._draw_svg(value, most))
    if path is not None:
        drawing.save(path)
    return drawing


def fingerprint(tree):
    """One hash of a tensor or a tree of them: of dtype, shape and bits of every leaf, in order. Modules, optimizers and whatever has
    a `state_dict()` stand for their states.

    It is the same on every machine and in C++, so it says in one line whether two runs gave the same bits.

    >>> wf.fingerprint({"w": wf.ones(2), "b": wf.zeros(2)}) == wf.fingerprint([wf.zeros(2), wf.ones(2)])
    True
    >>> wf.fingerprint(wf.tensor([1.0, 2.0]))
    '80d47c14e54a9cb46e32214b62d103d6'
    """
    return _core._fingerprint([_core._tensor(leaf, None, "fingerprint") for leaf in _leaves(tree)])


def _leaves(tree):
    """The leaves of a tree, those of states among them."""
    return [one for leaf in _tree.flatten(tree)[0] for one in ([leaf] if not _has_state(leaf) else _leaves(leaf.state_dict()))]


def _has_state(leaf):
    return not isinstance(leaf, (_core.Tensor, _core.Variable)) and callable(getattr(leaf, "state_dict", None))


def _register_hook(self, fn):
    """Calls `fn` with the gradient of this value whenever one goes back through it; what it returns replaces it.

    Returns a handle with `remove()`. Hooks of a Variable stay when it is assigned to.

    >>> w = wf.Variable(3.0)
    >>> handle = w.register_hook(lambda g: g * 10)
    >>> (w * w).backward()
    >>> w.grad
    Variable(60., dtype=float32)
    """
    return _core._register_hook(self, fn)


def _retain_grad(self):
    """Lets `backward` keep the gradient of this value in `grad`; Variables do so by themselves."""
    _core._retain_grad(self)


def _grad(self):
    """The gradient that backward() has left here since retain_grad(); None before."""
    return _core._kept_gradient(self)


_core.Tensor.register_hook = _register_hook
_core.Tensor.retain_grad = _retain_grad
_core.Tensor.grad = property(_grad, doc=_grad.__doc__)
