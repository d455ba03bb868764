"""CheckpointManager: saves what a run consists of, and restores it exactly."""

import atexit
import operator
import weakref

from . import _core, _hints, _state
from ._hints import brief as _brief
from ._saving import _path

_open = weakref.WeakSet()


@atexit.register
def _finish():
    """Saves that are under way end before the process does."""
    for manager in list(_open):
        manager.wait()


class _Place:
    """A Variable, as an object with a state."""

    def __init__(self, variable):
        self.variable = variable

    def state_dict(self):
        return self.variable

    def load_state_dict(self, state):
        self.variable.assign(state)


class _Tree:
    """A list or dict of Variables, tensors and numbers, as an object with a state: it is filled in place."""

    def __init__(self, tree, name):
        self.tree, self.name = tree, name

    def state_dict(self):
        return self.tree

    def load_state_dict(self, state):
        self._fill(self.tree, state, self.name)

    def _fill(self, tree, state, name):
        if type(tree) is not type(state) or (isinstance(tree, dict) and set(tree) != set(state)) or len(tree) != len(state):
            raise _core.InvalidError(f"CheckpointManager: '{name}' is {_brief(tree)}, but its state is {_brief(state)}; a tree keeps "
                                     "its form [CheckpointManager.tree]")
        for key in tree if isinstance(tree, dict) else range(len(tree)):
            item = tree[key]
            if isinstance(item, _core.Variable):
                item.assign(state[key])
            elif isinstance(item, (dict, list)):
                self._fill(item, state[key], f"{name}.{key}")
            else:
                tree[key] = state[key]


def _stateful(value, name):
    """The object itself, or what gives a Variable or a tree a state."""
    if isinstance(value, _core.Variable):
        return _Place(value)
    if hasattr(value, "state_dict") and hasattr(value, "load_state_dict"):
        return value
    if isinstance(value, (dict, list)):
        return _Tree(value, name)
    hint = "; a tensor never changes: keep a Variable, or a dict that holds it" if isinstance(value, _core.Tensor) else ""
    raise _core.WrongTypeError(f"CheckpointManager: {name} is {_brief(value)}; it must have state_dict() and load_state_dict(), or "
                               f"be a Variable, a dict or a list{hint} [CheckpointManager.object]")


def _step(step):
    try:
        return operator.index(step)
    except TypeError:
        raise _core.WrongTypeError(f"CheckpointManager: step must be an integer, but got {_hints.brief(step)} "
                                   "[CheckpointManager.step]") from None


class CheckpointManager:
    """Saves objects to a folder and restores them: models, optimizers, iterators, whatever has a state.

    A checkpoint appears in one step, with all of its files, and has checksums, which are verified when it is loaded. The
    state of the default generator is always part of it. The last `max_to_keep` are kept, None for all, and the one that is
    `best`, `("val_loss", "min")`. With `asynchronous=True` a save returns at once; what went wrong is raised by the next
    save or by `wait()`.

    >>> w = wf.Variable([1.0, 2.0], name="w")
    >>> manager = wf.CheckpointManager("run", w=w)
    >>> manager.save(10)
    >>> _ = w.assign([0.0, 0.0])
    >>> manager.restore_latest(), w.tolist()
    (10, [1.0, 2.0])
    """

    def __init__(self, folder, max_to_keep=5, best=None, asynchronous=False, **objects):
        if best is not None and not (isinstance(best, (tuple, list)) and len(best) == 2 and all(isinstance(b, str) for b in best)):
            raise _core.WrongTypeError(f"CheckpointManager: best must be a metric and 'min' or 'max', ('val_loss', 'min'), but got "
                                       f"{_brief(best)} [CheckpointManager.best]")
        if max_to_keep is not None and (isinstance(max_to_keep, bool) or not isinstance(max_to_keep, int)):
            raise _core.WrongTypeError(f"CheckpointManager: max_to_keep must be an integer or None, but got {_brief(max_to_keep)} "
                                       "[CheckpointManager.max_to_keep]")
        self.folder = _path(folder, "CheckpointManager")
        self._objects = {name: _stateful(value, name) for name, value in objects.items()}
        metric, mode = best or (None, "min")
        self._folder = _core._CheckpointFolder(self.folder, max_to_keep, metric, mode,
                                               _hints.as_flag(asynchronous, "CheckpointManager", "asynchronous"))
        _open.add(self)

    @_hints.spoken
    def save(self, step, metrics=None):
        """Writes the states of all objects, and removes checkpoints that are not to be kept."""
        metrics = {} if metrics is None else dict(_hints.as_dict(metrics, "CheckpointManager", "metrics"))
        metrics = {name: _hints.as_number(value, "CheckpointManager", "metrics") for name, value in metrics.items()}
        self._folder.save(_step(step), metrics, {name: _state.plain(o.state_dict(), name) for name, o in self._objects.items()})

    def wait(self):
        """Until the save under way is done; raises what it has met with."""
        self._folder.wait()

    def steps(self):
        """The steps of the checkpoints in the folder, ascending."""
        return self._folder.steps()

    def latest_step(self):
        """The step that was saved last, or None."""
        return self._folder.latest_step()

    def best_step(self):
        """The step with the best metric, or None."""
        return self._folder.best_step()

    @_hints.spoken
    def restore(self, step, partial=False):
        """Gives all objects the states they had at that step. `partial` restores what checkpoint and manager both have."""
        self.wait()
        self._apply(self._folder.load(_step(step)), partial)

    @_hints.spoken
    def restore_latest(self, skip_corrupt=False, partial=False):
        """Restores what was saved last and gives its step; None if there is nothing.

        If that is damaged it raises. With `skip_corrupt` the damage is reported in the log, and the one before is used.
        """
        self.wait()
        loaded = self._folder.load_latest(_hints.as_flag(skip_corrupt, "CheckpointManager", "skip_corrupt"))
        if loaded is None:
            return None
        self._apply(loaded, partial)
        return loaded[0]

    @_hints.spoken
    def load(self, step):
        """The states of a checkpoint, `{name: state}`, without giving them to anyone."""
        self.wait()
        return _state.rich(self._folder.load(_step(step))[1])

    def _apply(self, loaded, partial):
        step, states, generator, _ = loaded
        if not partial:
            _core._require_same_objects(list(states), list(self._objects), step)
        before = []
        try:
            for name, kept in self._objects.items():
                if name in states:
                    before.append(_way_back(kept, name))
                    kept.load_state_dict(_state.rich(states[name]))
        except BaseException:
            for back in before:
                try:
                    back()
                except Exception:  # the one that would not take its state; the first reason is told
                    pass
            raise
        _core._set_generator_state(*generator)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.wait()

    def __repr__(self):
        return f"<weft.CheckpointManager of {', '.join(self._objects) or 'nothing'} in {self.folder!r}, steps {self.steps()}>"


def _way_back(kept, name):
    """What gives an object the state again that it has now."""
    pending = kept._pending() if hasattr(kept, "_pending") else []
    if not pending:
        state = _state.rich(_core._snapshot(_state.plain(kept.state_dict(), name)))
        return lambda: kept.load_state_dict(state)
    # A state may tell the sizes of layers that wait for their first call.
    attributes = [(layer, dict(vars(layer))) for layer in pending]
    values = [(variable, variable.value()) for variable in kept._made_variables()]

    def back():
        for layer, before in attributes:
            vars(layer).clear()
            vars(layer).update(before)
        for variable, value in values:
            variable.assign(value)

    return back
