"""Random numbers: counter-based, so that a draw depends on the key and the position alone.

>>> key = wf.random.Key(0)
>>> k1, k2 = key.split(2)
>>> wf.random.normal(k1, (2, 3)).shape
(2, 3)
"""

from . import _core, _hints, _ops
from ._hints import brief as _brief

_ops.fill("random", globals())


class Key:
    """What random numbers are drawn from: the same key gives the same numbers. A split is a batch of keys."""

    __slots__ = ("_words",)

    def __init__(self, seed=0):
        self._words = seed if isinstance(seed, _core.Tensor) else _core._key_words(seed)
        if self._words.dtype is not _core.uint32 or self._words.shape[-1:] != (2,):
            raise _core.InvalidError(f"Key: seed is a tensor of {self._words.dtype} and shape {list(self._words.shape)}, but "
                                     "keys are uint32 with two words in the last axis [Key.words]")

    @property
    def __weft_tensor__(self):
        return self._words

    @property
    def shape(self):
        """The shape of the batch; () for one key."""
        return self._words.shape[:-1]

    def split(self, count=2):
        """`count` new keys, a batch of them."""
        return Key(_ops.op("random", "split")(self._words, count))

    def fold_in(self, data):
        """A new key for each value of `data`."""
        return Key(_ops.op("random", "fold_in")(self._words, data))

    def __len__(self):
        if not self.shape:
            raise _core.WrongTypeError("len: one key has no length; key.split(n) has [Key.len]")
        return self.shape[0]

    def __getitem__(self, index):
        if not self.shape:
            raise _core.OutOfRangeError("Key: one key cannot be indexed; key.split(n) can [Key.index]")
        return Key(self._words[index if isinstance(index, tuple) else (index,)])

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __eq__(self, other):
        return isinstance(other, Key) and self._words.shape == other._words.shape and self._words.tolist() == other._words.tolist()

    def __hash__(self):
        return hash(str(self._words.tolist()))

    def __reduce__(self):
        return Key, (self._words,)

    def __repr__(self):
        return f"Key({self._words.tolist()})"


@_hints.spoken
def next_key():
    """A fresh key of the default generator."""
    return Key(_core._next_key())


@_hints.spoken
def seed(value):
    """Restarts the default generator, which rand and randn draw from."""
    _core._seed(value)


def generator_state():
    """The state of the default generator, (seed, draws): what `set_generator_state` takes."""
    return _core._generator_state()


@_hints.spoken
def set_generator_state(state):
    """Puts the default generator back where it was.

    >>> state = wf.random.generator_state()
    >>> first = wf.rand(3)
    >>> wf.random.set_generator_state(state)
    >>> wf.rand(3).tolist() == first.tolist()
    True
    """
    if not isinstance(state, (tuple, list)) or len(state) != 2 or not all(isinstance(n, int) and 0 <= n < 2**64 for n in state):
        raise _core.WrongTypeError(f"set_generator_state: state must be what generator_state() gave, but got {_brief(state)} "
                                   "[set_generator_state.state]")
    _core._set_generator_state(*state)


def _shape(shape):
    return shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape


@_hints.spoken
def rand(*shape, dtype=None):
    """Uniform numbers in [0, 1) of the default generator: wf.rand(2, 3)."""
    return _ops.op("random", "uniform")(_core._next_key(), _shape(shape), dtype=dtype)


@_hints.spoken
def randn(*shape, dtype=None):
    """Standard normal numbers of the default generator: wf.randn(2, 3)."""
    return _ops.op("random", "normal")(_core._next_key(), _shape(shape), dtype=dtype)


def __getattr__(name):
    raise _hints.missing("weft.random", name)
