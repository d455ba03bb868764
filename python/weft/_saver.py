"""Saver: saves the Variables of a graph and restores them, by nodes of the graph."""

from . import _core, _hints
from ._hints import brief as _brief
from ._graph import Operation, needed_graph
from ._saving import _path
from ._session import Session


def _named(variables):
    """{name: Variable}; a list goes by the Variables' own names."""
    if isinstance(variables, dict):
        items = list(variables.items())
    elif isinstance(variables, (list, tuple)):
        items = [(variable.name if isinstance(variable, _core.Variable) else "", variable) for variable in variables]
    else:
        raise _core.WrongTypeError(f"Saver: var_list must be a list or a dict of Variables, but got {_brief(variables)} "
                                   "[Saver.var_list]")
    named = {}
    for name, variable in items:
        if not isinstance(variable, _core.Variable):
            raise _core.WrongTypeError(f"Saver: var_list has {_brief(variable)}, which is no Variable [Saver.var_list]")
        if name in named:
            raise _core.InvalidError(f"Saver: two variables have the name '{name}'; give them names of their own, or save them by "
                                     "a dict [Saver.names]")
        named[name] = variable
    return named


def _numbered(variables):
    """{name: Variable} of all of a graph; those that have a name in common are numbered, as in the graph's text."""
    named = {}
    for variable in variables:
        name, number = variable.name, 0
        while name in named:
            number += 1
            name = f"{variable.name}_{number}"
        named[name] = variable
    return named


class Saver:
    """Adds nodes to a graph that save its Variables to a file and restore them; `var_list` is a list, or a dict with names.

    Without a list all Variables of the graph are saved, those of one name as `weight`, `weight_1` and so on, in their order.

    Files are in the safetensors format, which `wf.load` reads. Of the files that it wrote the last `max_to_keep` stay, None
    for all; the file `checkpoint` beside them names the last one, for `latest_checkpoint`.

    >>> with wf.Graph() as g:
    ...     w = wf.Variable([1.0, 2.0], name="w")
    ...     saver = wf.Saver([w])
    >>> session = wf.Session(g)
    >>> path = saver.save(session, "model", global_step=100)
    >>> path
    'model-100'
    >>> saver.restore(session, path)
    """

    def __init__(self, var_list=None, max_to_keep=5, graph=None):
        self.graph = needed_graph(graph, "Saver")
        if max_to_keep is not None and (isinstance(max_to_keep, bool) or not isinstance(max_to_keep, int)):
            raise _core.WrongTypeError(f"Saver: max_to_keep must be an integer or None, but got {_brief(max_to_keep)} "
                                       "[Saver.max_to_keep]")
        named = _numbered(self.graph.get_collection("global_variables")) if var_list is None else _named(var_list)
        self._core = _core._Saver(self.graph._core, named, max_to_keep)
        self.save_op, self.restore_op = (Operation(self.graph, number) for number in self._core.operations())

    @_hints.spoken
    def save(self, session, path, global_step=None):
        """Writes the file `path`, or `path-step`, in one step, and gives its path."""
        if global_step is not None:
            global_step = global_step.item() if isinstance(global_step, _core.Variable) else global_step
            global_step = _hints.as_integer(global_step, "Saver", "global_step")
        return self._core.save(_core_of(session), _path(path, "Saver"), global_step)

    @_hints.spoken
    def restore(self, session, path):
        """Gives the Variables the values in the file; all of them, or none if something does not fit."""
        self._core.restore(_core_of(session), _path(path, "Saver"))

    @property
    def last_checkpoints(self):
        """The paths of the files that were written and kept, oldest first."""
        return self._core.last_checkpoints()


def _core_of(session):
    if not isinstance(session, Session):
        raise _core.WrongTypeError(f"Saver: needs a Session, but got {_brief(session)} [Saver.session]")
    return session._core


@_hints.spoken
def latest_checkpoint(folder):
    """The path that a Saver wrote last in the folder, or None."""
    return _core._latest_checkpoint(_path(folder, "latest_checkpoint"))
