"""What the rewriter needs of the framework: one small interface, and its binding to Weft."""

import contextlib
import sys

from . import laws

try:
    from .. import _core
    from .._number import TracedNumber, converted
    from .._number import as_tensor as number_as_tensor
except ImportError:  # without the compiled module only another backend can be used
    _core = None


class Backend:
    """The interface. Lists are flat lists of tensors; functions given to it may use tensors from outside of them.

    A function that raises while it is traced leaves nothing behind: the same construct is then traced again, or not at all.
    """

    package = "weft"  # the name of the framework's package, whose functions are never rewritten

    def is_traced(self, x):
        """Whether x has no value yet, so that Python cannot branch on it."""
        raise NotImplementedError

    def is_tensor(self, x):
        """Whether x goes through branches and loops as a tensor, traced or not."""
        raise NotImplementedError

    def is_size(self, x):
        """Whether x is a size that every run has its own of, and as_tensor makes a traced integer of."""
        return False

    def is_place(self, x):
        """Whether x is an object whose changes the framework records itself, such as a Variable."""
        raise NotImplementedError

    def records(self, x, name):
        """Whether the framework records it when the attribute of that name is set."""
        return self.is_place(x)

    def dtype(self, x):
        """The dtype of a tensor: compared with ==, printed with str."""
        raise NotImplementedError

    def shape(self, x):
        """The shape of a tensor, a tuple of integers and symbols."""
        raise NotImplementedError

    def length(self, x):
        """The size of the leading axis: an integer if it is known, else a traced integer."""
        raise NotImplementedError

    def decided_length(self, x):
        """The size of the leading axis as an integer, which the trace takes for granted from then on; None if it cannot."""
        return None

    def accepts(self, dtype, number):
        """Whether a Python number can take a dtype without changing its kind: 1 as float32, but not 0.5 as int32."""
        raise NotImplementedError

    def is_integer(self, dtype):
        raise NotImplementedError

    def as_tensor(self, x, dtype=None):
        """A number or tensor as a tensor, of that dtype if one is given."""
        raise NotImplementedError

    def as_number(self, x):
        """A traced scalar as what stands for a Python number: computed with as Python does, and of the dtype of what it meets."""
        raise NotImplementedError

    def tensor_held_by(self, x):
        """The tensor that an object is nothing but a name for, such as a key of random numbers: type(x)(tensor) is equal to it.
        None of all else."""
        return None

    def kind_of_number(self, x):
        """bool, int, float or complex of what as_number gave; None of all else."""
        return None

    def number_as_tensor(self, x, kind):
        """A number, Python's or one of as_number, as a tensor that loses nothing of a number of that kind."""
        return self.as_tensor(kind(x) if type(x) in (bool, int, float, complex) else x)

    def converted_number(self, kind, x):
        """kind(x) of one of as_number."""
        raise NotImplementedError

    def zeros(self, shape, dtype):
        raise NotImplementedError

    def element(self, x, i):
        """x[i] along the leading axis, for an integer or a traced one."""
        raise NotImplementedError

    def truth(self, x):
        """A scalar of any dtype as one of dtype bool: x != 0, or x itself if it is one already."""
        raise NotImplementedError

    def logical_and(self, a, b):
        raise NotImplementedError

    def logical_or(self, a, b):
        raise NotImplementedError

    def logical_not(self, a):
        raise NotImplementedError

    def is_refusal(self, error):
        """Whether an error says that a traced tensor has no value: no handler of the user's may take that for an answer."""
        raise NotImplementedError

    def cond(self, pred, then, otherwise):
        """then() or otherwise(), traced in this order, each once; both give lists of the same types, maybe empty."""
        raise NotImplementedError

    def while_loop(self, test, body, init):
        """The list after body(list) -> list for as long as test(list) -> scalar bool holds."""
        raise NotImplementedError

    def scan(self, body, init, xs):
        """body(carry, elements) -> (carry, outputs) along the leading axis of all xs; gives (carry, stacked outputs)."""
        raise NotImplementedError

    def value_of(self, x):
        """A traced tensor as it is; of a place, what is in it now."""
        return x

    def assert_(self, pred, message, values):
        """Checks a traced bool when the graph runs; an effect, in program order. With values, the message is a pattern."""
        raise NotImplementedError

    def print_(self, pattern, values):
        """Prints a pattern of str.format with the values in it whenever the graph runs; an effect, in program order."""
        raise NotImplementedError

    def set_quiet(self, is_quiet):
        """Whether traced functions that are called from now on print nothing; gives whether they did not before."""
        raise NotImplementedError


def _tensor_in(x):
    return x.__weft_tensor__ if type(x) is TracedNumber else x


class WeftBackend(Backend):
    """The binding to Weft. Names are looked up when they are needed: some come with the parts that trace."""

    @staticmethod
    def _get(name, owner=None):
        found = vars(owner or sys.modules["weft"]).get(name)
        if found is None:
            raise laws.refusal("missing", method=name)
        return found

    def is_traced(self, x):
        return self._get("_is_traced", _core)(x) if isinstance(x, _core.Tensor) else type(x) is TracedNumber

    def is_tensor(self, x):
        if isinstance(x, _core.Tensor):
            return not isinstance(x, _core.Variable)  # a place goes through by identity
        return type(x).__module__ == "numpy" and hasattr(x, "dtype")

    def tensor_held_by(self, x):
        return x.__weft_tensor__ if type(x) is sys.modules["weft.random"].Key else None

    def is_size(self, x):
        return isinstance(x, _core.Dim)

    def is_place(self, x):
        return isinstance(x, _core.Variable) or type(x).__module__.partition(".")[0] == "weft"

    def records(self, x, name):
        # Of an optimizer `lr` is a Variable; that a Variable is trainable, or a layer is training, is a flag of Python's.
        return self.is_place(x) and not isinstance(x, _core.Variable) and isinstance(getattr(type(x), name, None), property)

    def dtype(self, x):
        return _tensor_in(x).dtype

    def shape(self, x):
        return tuple(_tensor_in(x).shape)

    def length(self, x):
        size = x.shape[0]
        return size if isinstance(size, int) else self._get("_size", _core)(x, 0)

    def decided_length(self, x):
        try:
            return int(x.shape[0])
        except _core.Error:  # only a run tells it
            return None

    def accepts(self, dtype, number):
        kinds = {bool: ("bool",), int: ("integer", "floating"), float: ("floating",), complex: ("complex",)}
        return any(word in dtype.kind for word in kinds[type(number)])  # such as "complex floating"

    def is_integer(self, dtype):
        return "integer" in dtype.kind

    def as_tensor(self, x, dtype=None):
        return _core._tensor(x, dtype, "function")

    def as_number(self, x):
        return TracedNumber(x)

    def kind_of_number(self, x):
        return x.kind if type(x) is TracedNumber else None

    def number_as_tensor(self, x, kind):
        return number_as_tensor(x, kind)

    def converted_number(self, kind, x):
        return converted(kind, x)

    def zeros(self, shape, dtype):
        return self._get("zeros")(shape, dtype=dtype)

    def element(self, x, i):
        return x[i]

    def truth(self, x):
        if type(x) is TracedNumber:
            return self.number_as_tensor(x if x.kind is bool else x != 0, bool)
        return x if x.dtype.kind == "bool" else x != 0

    def logical_and(self, a, b):
        return self._get("logical_and")(a, b)

    def logical_or(self, a, b):
        return self._get("logical_or")(a, b)

    def logical_not(self, a):
        return self._get("logical_not")(a)

    def is_refusal(self, error):
        return isinstance(error, _core.Error) and getattr(error, "law", "").endswith(".concrete")

    def cond(self, pred, then, otherwise):
        return self._get("cond")(pred, then, otherwise)

    def while_loop(self, test, body, init):
        return self._get("while_loop")(test, body, init)

    def scan(self, body, init, xs):
        return self._get("scan")(body, init, xs)

    def value_of(self, x):
        if type(x) is TracedNumber:
            return self.number_as_tensor(x, x.kind)
        return x.read() if isinstance(x, _core.Variable) else x

    def assert_(self, pred, message, values):
        self._get("_assert", _core)(pred, message, values)

    def print_(self, pattern, values):
        self._get("_print", _core)(pattern, values)

    def set_quiet(self, is_quiet):
        return _core._set_quiet(is_quiet)


class _Current:
    """The backend in use. `current.b` is read by every operator, so it is a plain attribute."""

    b = WeftBackend()


current = _Current()


@contextlib.contextmanager
def using(backend):
    """Another backend for a while: the tests have one that interprets."""
    before, current.b = current.b, backend
    try:
        yield backend
    finally:
        current.b = before
