"""vmap, and what a function inside of it can ask about the batch: psum, pmean, axis_index."""

import functools

from . import _core, _errors, _hints, _tree
from ._hints import brief as _brief
from ._users import users


def vmap(f, in_axes=0, out_axes=0, *, axis_size=None, axis_name="", randomness="raise", **unknown):
    """A function that runs `f` for every example of a batch at once.

    `in_axes` says which axis of each argument counts the examples, None that an argument is the same for all; it may
    be a tree of the form of the arguments, or a prefix of it. Arguments given by keyword are batched along axis 0, as in
    JAX; functools.partial binds those that are the same for all. `out_axes` says where the axis stands in the results.
    `axis_name` is for psum, pmean and axis_index inside. `randomness` says what draws of the default generator mean:
    "same" for all examples or "different"; without it they raise (draws from keys need no word).

    >>> wf.vmap(lambda x, y: x @ y)(wf.ones((3, 2)), wf.ones((3, 2)))
    tensor([2., 2., 2.], dtype=float32)
    """
    _hints.need_words("vmap", unknown, {"in_dims": "in_axes", "out_dims": "out_axes", "in_axis": "in_axes",
                                        "out_axis": "out_axes", "spmd_axis_name": "axis_name"})
    _hints.need_function(f, "vmap")
    _hints.need_text(axis_name, "vmap", "axis_name")
    _hints.need_text(randomness, "vmap", "randomness")

    @functools.wraps(f)
    def transformed(*args, **keywords):
        leaves, form = _tree.flatten(args)
        axes = in_axes if not isinstance(in_axes, list) else tuple(in_axes)
        spread = _tree.broadcast_prefix(axes, form, "vmap", "in_axes")
        inputs = _tree.tensors(leaves, "vmap", lambda: _tree.argument_paths(f, form))
        by_keyword, keyword_form = _batched_keywords(keywords)
        inputs, spread = inputs + by_keyword, spread + [0] * len(by_keyword)
        out_form = None

        def flat(values):
            nonlocal out_form
            named = _tree.unflatten(keyword_form, values[len(leaves):])
            out, out_form = _tree.flatten(users(f)(*_tree.unflatten(form, values[:len(leaves)]), **named))
            return (_tree.tensors(out, "vmap", lambda: _tree.paths(out_form, "output")),
                    _tree.broadcast_prefix(out_axes, out_form, "vmap", "out_axes"))

        def input_paths():
            by_name = zip(keyword_form.detail, keyword_form.children)
            return _tree.argument_paths(f, form) + [path for name, child in by_name for path in _tree.paths(child, name)]

        try:
            outputs = _core._vmap(flat, inputs, spread, axis_size, axis_name, randomness)
        except _core.Error as error:
            _errors.name_leaves(error, "vmap", {"input": input_paths,
                                                "output": lambda: [] if out_form is None else _tree.paths(out_form, "output")})
            raise
        return _tree.unflatten(out_form, outputs)

    return transformed


def _batched_keywords(keywords):
    """The tensors in the keyword arguments of a vmap, each with the examples along axis 0; and the form."""
    for name, value in keywords.items():
        for leaf in _tree.flatten(value)[0]:
            if _core._tensor(leaf, None, "vmap", name).ndim == 0:
                raise _core.InvalidError(f"vmap: argument '{name}', given by keyword, holds {_brief(leaf)}, which has no axis "
                                         "to batch: keywords are batched along axis 0; bind what is the same for all "
                                         f"examples, functools.partial(f, {name}=...), or give it by position with "
                                         "in_axes None [vmap.keyword]")
    leaves, form = _tree.flatten(keywords)
    return [_core._tensor(leaf, None, "vmap") for leaf in leaves], form


def axis_index(axis_name):
    """Inside of vmap: the number of the example along the axis of that name."""
    _hints.need_text(axis_name, "axis_index", "axis_name")
    return _core.axis_index(axis_name)


def psum(x, axis_name):
    """Inside of vmap: the sum over all examples along the axis of that name."""
    _hints.need_text(axis_name, "psum", "axis_name")
    return _tree.map(lambda leaf: _core._psum(_core._tensor(leaf, None, "psum"), axis_name), x)


def pmean(x, axis_name):
    """Inside of vmap: the mean over all examples along the axis of that name."""
    _hints.need_text(axis_name, "pmean", "axis_name")
    return _tree.map(lambda leaf: _core._pmean(_core._tensor(leaf, None, "pmean"), axis_name), x)
