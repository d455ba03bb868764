"""Conditions and loops that graphs can hold: cond, switch_case, while_loop, fori_loop, scan, map."""

from . import _core, _errors, _tree
from ._hints import as_list, brief, need_callable, spoken
from ._users import escapes, users


class _Flat:
    """A function over trees as one over flat lists; it remembers the form of what it gives."""

    def __init__(self, f, structure, who, what):
        self.f, self.structure, self.who, self.what = f, structure, who, what
        self.form = None

    def __call__(self, tensors):
        try:
            out = users(self.f)(*_tree.unflatten(self.structure, tensors))
        except Exception as error:
            escapes(error, f"{self.what} of wf.{self.who}")
            raise
        flat, form = _tree.flatten(out)
        if self.form is not None and form != self.form:
            raise _core.WrongTypeError(f"{self.who}: {self.what} gives {form} and {self.form}; it must give one form "
                                       f"[{self.who}.form]")
        self.form = form
        return flat


def _same_form(flats, who):
    for flat in flats[1:]:
        if flat.form is not None and flats[0].form is not None and flat.form != flats[0].form:
            raise _core.WrongTypeError(f"{who}: {flats[0].what} gives {flats[0].form} and {flat.what} gives {flat.form}; "
                                       f"branches give values of one form [{who}.form]")


def _branched(run, who, flats):
    """Runs a choice; errors name the results that they count."""
    try:
        return run()
    except _core.Error as error:
        _errors.name_leaves(error, who, {"result": lambda: next((_tree.paths(f.form, "result") for f in flats if f.form is not None), [])})
        raise


def _need_callables(who, functions):
    for what, f in functions.items():
        if callable(f):
            continue
        given = "a tensor" if isinstance(f, _core.Tensor) else brief(f)
        raise _core.WrongTypeError(f"{who}: {what} must be a function, but got {given}; only what is called can be left out or "
                                   f"repeated: write `lambda: value`, or choose among values with wf.where [{who}.function]")


@spoken
def cond(pred, then, otherwise, *operands):
    """then(*operands) if `pred` is true, else otherwise(*operands).

    In a graph, a traced function or a transformation both are traced and one of them runs; under vmap, if examples
    differ, each runs on its own examples. The functions may read what is around them. They give values of the same form, dtypes and shapes.

    >>> import weft as wf
    >>> wf.cond(True, lambda x: x + 1, lambda x: x - 1, wf.tensor(1.0))
    tensor(2., dtype=float32)
    """
    _need_callables("cond", {"then": then, "otherwise": otherwise})
    leaves, structure = _tree.flatten(operands)
    flats = [_Flat(then, structure, "cond", "then"), _Flat(otherwise, structure, "cond", "otherwise")]
    out = _branched(lambda: _core._cond(pred, flats[0], flats[1], leaves), "cond", flats)
    _same_form(flats, "cond")
    return _tree.unflatten(flats[0].form or flats[1].form, out)


@spoken
def switch_case(index, branches, *operands):
    """branches[index](*operands); the last of them if there is no such number."""
    branches = as_list(branches, "switch_case", "branches")
    _need_callables("switch_case", {f"branch {i}": f for i, f in enumerate(branches)})
    leaves, structure = _tree.flatten(operands)
    flats = [_Flat(f, structure, "switch_case", f"branch {i}") for i, f in enumerate(branches)]
    out = _branched(lambda: _core._switch(index, flats, leaves, "switch_case"), "switch_case", flats)
    forms = [flat for flat in flats if flat.form is not None]
    _same_form(forms, "switch_case")
    return _tree.unflatten(forms[0].form, out)


def _run(run, who, words):
    """Runs a loop; errors name the leaves that they count. `words` gives for a word the form and the name of its tree."""
    try:
        return run()
    except _core.Error as error:
        _errors.name_leaves(error, who, {word: lambda form=form, name=name: _tree.paths(form, name)
                                         for word, (form, name) in words.items()})
        raise


def _tensors(leaves, who, form, name):
    return _tree.tensors(leaves, who, lambda: _tree.paths(form, name))


@spoken
def while_loop(cond, body, init, *, max_saved_bytes=256 << 20):
    """Applies `body` to `init`, then to what it gives, as long as `cond` of it is true.

    `init` is a tree; `cond` and `body` take it as their only argument, or, if it is a tuple, as their arguments.
    Differentiable in both modes, to any order; a backward pass keeps at most `max_saved_bytes` of what was carried and
    computes the rest again.
    """
    _need_callables("while_loop", {"cond": cond, "body": body})
    is_tuple = type(init) is tuple
    arguments = init if is_tuple else (init,)
    leaves, structure = _tree.flatten(arguments)
    test = _Flat(cond, structure, "while_loop", "cond")
    step = _Flat(lambda *args: _checked(users(body)(*args), structure, is_tuple), structure, "while_loop", "body")
    try:
        carried = structure if is_tuple else structure.children[0]
        given = _tensors(leaves, "while_loop", carried, "init")
        out = _run(lambda: _core._while(test, step, given, max_saved_bytes), "while_loop", {"carried value": (carried, "init")})
    except TypeError as error:
        _check_arguments({"cond": cond, "body": body}, arguments, is_tuple)
        if type(init) is list and not isinstance(error, _core.Error):  # as of `i < 10`
            error.__notes__ = [*getattr(error, "__notes__", ()), "while_loop: init is a list, so cond and body take the list as their "
                               "only argument; pass a tuple for an argument each"]
        raise
    result = _tree.unflatten(structure, out)
    return result if is_tuple else result[0]


def _check_arguments(functions, arguments, is_tuple):
    """Explains how `init` becomes arguments, to who wrote functions of others."""
    import inspect

    for word, f in functions.items():
        try:
            inspect.signature(f).bind(*arguments)
        except ValueError:  # it has none
            continue
        except TypeError as error:
            passed = f"a tuple of {len(arguments)}, each of which is an argument; pass a list for one argument" if is_tuple else \
                "no tuple, so it is the only argument; pass a tuple for several"
            raise _core.WrongTypeError(f"while_loop: {word} does not take what is carried ({error}): init is {passed} "
                                       "[while_loop.arguments]") from None


def _checked(out, structure, is_tuple):
    carried = tuple(out) if is_tuple and isinstance(out, (tuple, list)) else (out,)
    form = _tree.flatten(carried)[1]
    if form != structure:
        raise _core.WrongTypeError(f"while_loop: body gives {form}, but {structure} is carried; it must give the same form "
                                   "[while_loop.form]")
    return carried


@spoken
def scan(f, init, xs=None, length=None, reverse=False):
    """(carry, ys): `f(carry, x)` gives the next carry and a row of results, for every row x of `xs`.

    >>> import weft as wf
    >>> total, sums = wf.scan(lambda c, x: (c + x, c + x), wf.tensor(0.0), wf.tensor([1.0, 2.0, 3.0]))
    >>> sums
    tensor([1., 3., 6.], dtype=float32)
    """
    need_callable(f, "scan")
    carry, carried = _tree.flatten(init)
    rows, row_form = _tree.flatten(xs)
    forms = {}

    def step(leaves):
        given = _tree.unflatten(carried, leaves[:len(carry)])
        x = _tree.unflatten(row_form, leaves[len(carry):])
        try:
            out = users(f)(given, x)
        except Exception as error:
            escapes(error, "the function of wf.scan")
            raise
        if not isinstance(out, tuple) or len(out) != 2:
            raise _core.WrongTypeError("scan: the function must give a pair, the carry and a row of results, but it gives "
                                       f"{type(out).__name__} [scan.form]")
        next_carry, form = _tree.flatten(out[0])
        if form != carried:
            raise _core.WrongTypeError(f"scan: the function carries {form} on, but {carried} came in; it must keep the form "
                                       "[scan.form]")
        ys, forms["ys"] = _tree.flatten(out[1])
        return next_carry + ys

    given = _tensors(carry, "scan", carried, "init"), _tensors(rows, "scan", row_form, "xs")
    last, ys = _run(lambda: _core._scan(step, *given, length, reverse), "scan", {"carried value": (carried, "init")})
    return _tree.unflatten(carried, last), _tree.unflatten(forms["ys"], ys)


@spoken
def map(f, xs):
    """f of every row of `xs`, one after the other, the results stacked; vmap computes them at once."""
    need_callable(f, "map")
    rows, structure = _tree.flatten((xs,))
    one = _Flat(f, structure, "map", "the function")
    given = _tensors(rows, "map", structure.children[0], "xs")
    out = _run(lambda: _core._map(one, given), "map", {"input": (structure.children[0], "xs")})
    return _tree.unflatten(one.form, out)


@spoken
def fori_loop(lower, upper, body, init):
    """`body(i, value)` for i from `lower` up to `upper`, beginning with `init`."""
    need_callable(body, "fori_loop", "body")
    for name, bound in (("lower", lower), ("upper", upper)):
        if isinstance(bound, int) and not -1 << 63 <= bound < 1 << 63:
            raise _core.TooLargeError(f"fori_loop: {name} is {bound}, which does not fit in 64 bits [fori_loop.argument]")
    carried = _tree.flatten(init)[1]

    def step(i, value):
        out = users(body)(i, value)
        form = _tree.flatten(out)[1]
        if form != carried:
            raise _core.WrongTypeError(f"fori_loop: body gives {form}, but {carried} is carried; it must give the same form "
                                       "[fori_loop.form]")
        return out

    leaves, structure = _tree.flatten((lower, init))
    flat = _Flat(step, structure, "fori_loop", "body")
    given = _tensors(leaves[1:], "fori_loop", carried, "init")
    out = _run(lambda: _core._fori(lower, upper, flat, given), "fori_loop", {"carried value": (carried, "init")})
    return _tree.unflatten(carried, out)
