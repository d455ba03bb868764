"""What all optimizers share in Python, and the base class of those that users write."""

import weakref

from .. import _core, _errors, _hints, _tree
from .._graph import current_graph, gradients, group
from .._tape import GradientTape
from .._users import reader, users


def listed(parameters, who, name="parameters"):
    """The parameters of a list, a generator or a tree of Variables, which the user calls `name`, and the form of that."""
    if isinstance(parameters, (_core.Tensor, str)) or not hasattr(parameters, "__iter__"):
        raise _core.WrongTypeError(f"{who}: parameters must be a list of Variables, but got {type(parameters).__name__}; "
                                   f"write [v] for one Variable [{who}.parameters]")
    leaves, form = _tree.flatten(parameters if isinstance(parameters, dict) else _hints.as_list(parameters, who, "parameters"))
    for i, leaf in enumerate(leaves):
        if not isinstance(leaf, _core.Variable):
            kind = "weft.Tensor" if isinstance(leaf, _core.Tensor) else type(leaf).__name__
            raise _core.WrongTypeError(f"{who}: {_tree.paths(form, name)[i]} is {kind}; it must be a Variable: wf.Variable(x) "
                                       f"[{who}.parameters]")
    return leaves, form


def as_group(given, who, spread, name="group"):
    """A dict {"params": [...], "lr": ...}, which the user calls `name`, as a list of Variables and the numbers beside it; and (the
    name, the form) of the list."""
    numbers = dict(_hints.as_dict(given, who, name))
    if "params" not in numbers:
        raise _core.InvalidError(f"{who}: a group has no \"params\"; it is a dict such as {{\"params\": [v], \"lr\": 0.1}} [{who}.group]")
    parameters, form = listed(numbers.pop("params"), who, name := f'{name}["params"]')
    return (parameters, spread(numbers)), (name, form)


def as_groups(parameters, who, spread):
    """(groups, forms) of what the constructor of an optimizer takes: Variables, or dicts with "params"."""
    is_tree = isinstance(parameters, (dict, _core.Tensor, str)) or not hasattr(parameters, "__iter__")
    items = parameters if is_tree else _hints.as_list(parameters, who, "parameters")
    if not is_tree and items and all(isinstance(item, dict) for item in items) and any(map(_is_group, items)):
        groups = [as_group(item, who, spread, f"parameters[{i}]") for i, item in enumerate(items)]
        return [group for group, _ in groups], [form for _, form in groups]
    leaves, form = listed(items, who)
    return [(leaves, {})], [("parameters", form)]


def name_parameters(error, variables, forms):
    """Lets an error that counts parameters name them: by the module that holds one, 'blocks.2.q_proj.weight', or as they were
    given, parameters[2]["b"]. `forms` are (the name, the form) of what was given."""
    import re

    if not re.search(r"\bparameters? \d", error.args[0]):
        return
    paths = [path for name, form in forms for path in _tree.paths(form, name)]

    def name(match):
        number, given = int(match[1]), match[2] or ""
        held = number < len(variables) and isinstance(variables[number], _core.Variable) and _errors.path_in_module(variables[number])
        return f"parameter '{held}'" if held else f"{paths[number]}{given}" if number < len(paths) else match[0]

    text = re.sub(r"\bparameters (\d+) and (\d+)", r"parameter \1 and parameter \2", error.args[0])
    _errors.reword(error, re.sub(r"\bparameter (\d+)( \('[^']*'\))?", name, text))


def _is_group(item):
    """Whether a dict is meant as a group, and is no tree of Variables: it has "params", or numbers."""
    return "params" in item or any(isinstance(value, (int, float, str)) for value in item.values())


def trained(parameters):
    """Those that are not frozen. A trace that asks is made again when others are."""
    read = reader()
    return [v for v in parameters if read(v, "trainable")]


class ParamGroup:
    """The numbers of a group of parameters by name, as a dict has them: `optimizer.param_groups[0]["lr"] = 0.01`.

    They are Variables: what is set is seen by traced functions, which are not traced again.
    """

    def __init__(self, core, index):
        self._core, self._index = core, index

    def keys(self):
        return ["params"] + self._core.option_names()

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, name):
        return name in self.keys()

    def _checked(self, name):
        if name not in self:
            raise _core.InvalidError(f"param_groups: there is no {name!r}; there are {', '.join(self.keys())} [param_groups.name]")
        return name

    def __getitem__(self, name):
        if self._checked(name) == "params":
            return self._core.group_parameters(self._index)
        return self._core.option(self._index, name)

    def __setitem__(self, name, value):
        if self._checked(name) == "params":
            raise _core.InvalidError("param_groups: the parameters of a group stay; add others with add_param_group "
                                     "[param_groups.params]")
        self._core.set_option(self._index, name, value)

    def items(self):
        return [(name, self[name]) for name in self.keys()]

    def __repr__(self):
        return "{" + ", ".join(f"{name!r}: {value!r}" for name, value in self.items()) + "}"


class Optimizer:
    """The base of all optimizers. Yours is a class with `init`, the state of a parameter, and `update`, one step.

    Numbers given to the constructor are Variables, and tensors of float64 in `update`, where `t` counts the steps.
    What `update` gives is stored in the dtype of its place. It runs as plain ops, so a step can be traced.

    >>> class Momentum(wf.optim.Optimizer):
    ...     def init(self, p):
    ...         return {"velocity": wf.zeros_like(p)}
    ...     def update(self, p, g, state, lr, momentum, t):
    ...         velocity = state["velocity"] * momentum + g
    ...         return p - velocity * lr, {"velocity": velocity}
    >>> w = wf.Variable([1.0, 2.0])
    >>> optimizer = Momentum([w], lr=0.1, momentum=0.9)
    >>> optimizer.minimize(lambda: (w * w).sum())
    tensor(5., dtype=float32)
    >>> w
    Variable([0.8, 1.6], dtype=float32)
    """

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        _hints.speak(cls)

    def __init__(self, parameters, **options):
        who = type(self).__name__
        me = weakref.ref(self)  # self owns _core, so a strong reference here would be a cycle that the garbage collector cannot see
        self._begin(parameters, lambda groups: _core._make_host_optimizer(
            who, groups, options, lambda p: me().init(p), lambda p, g, state, numbers: users(me().update)(p, g, state, **numbers)))

    def _begin(self, parameters, make):
        """Makes the core of groups of parameters."""
        groups, self._forms = as_groups(parameters, type(self).__name__, self._spread)
        try:
            self._core = make(groups)
        except _core.Error as error:
            name_parameters(error, [variable for group in groups for variable in group[0]], self._forms)
            raise

    def init(self, p):
        """The state of a parameter: a dict of tensors."""
        return {}

    def update(self, p, g, state, **options):
        """The new value of a parameter and its new state."""
        raise _core.InvalidError(f"{type(self).__name__}: has no update(self, p, g, state, lr, ..., t); write one "
                                 f"[{type(self).__name__}.update]")

    def _spread(self, numbers):
        return numbers

    def step(self, *surplus):
        """Updates every parameter by its gradient; raises if one has none. Those that are frozen, whose `trainable` is False, stay
        as they are."""
        if surplus:
            raise _core.WrongTypeError("step: takes no arguments: it uses the gradients that backward() has left in the "
                                       "parameters; for others there is apply_gradients([(gradient, v), ...]) [step.count]")
        try:
            self._core.step()
        except _core.InvalidError as error:
            # Nobody has one: backward() was not called, or these are the Variables that a module had before to(dtype).
            if error.law == "step.gradient" and all(v.grad is None for v in self.parameters):
                error.message += ("; a module that was changed since, by to(dtype) for example, has other Variables than these: make the "
                                  "optimizer after that")
                error.args = (f"step: {error.message} [step.gradient]",)
            name_parameters(error, self.parameters, self._forms)
            raise

    def apply_gradients(self, gradients_and_variables):
        """A step by gradients that are given, as pairs (gradient, Variable): those of a GradientTape, or of grad.

        In a graph: the operation that does it, to be run.

        >>> w = wf.Variable([1.0, 2.0])
        >>> optimizer = wf.optim.SGD([w], lr=0.1)
        >>> gradients = wf.grad(lambda w: (w * w).sum())(w)
        >>> optimizer.apply_gradients([(gradients, w)])
        >>> w
        Variable([0.8, 1.6], dtype=float32)
        """
        try:
            pairs = [tuple(pair) for pair in gradients_and_variables]
        except TypeError:
            for pair in _hints.as_list(gradients_and_variables, "apply_gradients", "gradients_and_variables"):
                _hints.as_list(pair, "apply_gradients", "a pair (gradient, Variable)")
            raise
        for i, pair in enumerate(pairs):
            if len(pair) != 2:
                raise _core.InvalidError(f"apply_gradients: item {i} has {len(pair)} parts; it is a pair (gradient, Variable) "
                                         "[apply_gradients.pair]")
        if reader() is not getattr:
            trained(v for _, v in pairs if isinstance(v, _core.Variable))
        try:
            return as_operation(lambda: self._core.apply_gradients([g for g, _ in pairs], [v for _, v in pairs]))
        except _core.Error as error:
            name_parameters(error, self.parameters, self._forms)
            raise

    def minimize(self, loss):
        """A step by the gradients of what the function `loss` gives, which is returned; it may be part of a traced function.

        In a graph `loss` is a tensor, or a function that gives one, and the operation that does the step is returned.

        >>> w = wf.Variable([1.0, 2.0])
        >>> optimizer = wf.optim.SGD([w], lr=0.1)
        >>> step = wf.function(lambda x: optimizer.minimize(lambda: ((w - x) ** 2).sum()))
        >>> [round(step(wf.zeros(2)).item(), 3) for _ in range(2)]
        [5.0, 3.2]
        """
        parameters = trained(self.parameters)
        if current_graph() is not None and isinstance(loss, _core.Tensor):
            return self.apply_gradients(zip(gradients(loss, parameters), parameters))
        if not callable(loss):
            raise _core.WrongTypeError("minimize: takes a function that computes the loss, or a tensor of the graph that is open, "
                                       f"but got {type(loss).__name__}; after loss.backward() call step() [minimize.loss]")
        with GradientTape() as tape:
            value = loss()
        operation = self.apply_gradients(zip(tape.gradient(value, parameters), parameters))
        return value.detach() if operation is None else operation

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients."""
        if not _hints.as_flag(set_to_none, "zero_grad", "set_to_none"):
            raise _core.InvalidError("zero_grad: set_to_none is False, but gradients are forgotten here, not filled; for zeros "
                                     "call v.grad.zero_() of each Variable [zero_grad.set_to_none]")
        self._core.zero_grad()

    @property
    def parameters(self):
        """The Variables of all groups."""
        return self._core.parameters

    @property
    def steps(self):
        """How many updates there were."""
        return self._core.steps

    @property
    def lr(self):
        """The learning rate, which is a Variable: a change traces nothing again. Of several groups the first has it; all are set.

        In a graph it may be set to a value of the graph: each run of a step that is made after that sets it first.

        >>> import weft as wf
        >>> with wf.Graph() as g:
        ...     w, rate = wf.Variable(1.0), wf.placeholder(wf.float32, (), "rate")
        ...     optimizer = wf.optim.SGD([w], lr=0.1)
        ...     optimizer.lr = rate
        ...     step = optimizer.minimize(w * w)
        >>> wf.Session(g).run(step, {rate: 0.25})
        >>> w.item(), optimizer.lr
        (0.5, 0.25)
        """
        return self._core.option(0, "lr")

    @lr.setter
    def lr(self, lr):
        for group_index in range(self._core.group_count):
            self._core.set_option(group_index, "lr", lr)

    @property
    def param_groups(self):
        """The groups: their parameters and numbers by name."""
        return [ParamGroup(self._core, index) for index in range(self._core.group_count)]

    def add_param_group(self, group):
        """Adds parameters with numbers of their own: `{"params": [v], "lr": 0.01}`."""
        made, form = as_group(group, type(self).__name__, self._spread)
        forms = [*self._forms, form]
        try:
            self._core.add_param_group(*made)
        except _core.Error as error:
            name_parameters(error, [*self.parameters, *made[0]], forms)
            raise
        self._forms = forms

    def state_dict(self):
        """All that a run needs to go on as if nothing had happened, by names such as "groups.0.lr" and "state.3.mean"."""
        return self._core.state_dict()

    def load_state_dict(self, state):
        """Takes what `state_dict` gave; raises, before anything is changed, if it does not fit."""
        self._core.load_state_dict(dict(_hints.as_dict(state, type(self).__name__, "state")))

    @property
    def state(self):
        """The Variables behind `state_dict`, by name."""
        return self._core.state()

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self.param_groups))})"


def as_operation(act):
    """Runs `act`; where a graph is open, gives the operation that does what it added."""
    graph = current_graph()
    if graph is None:
        return act()
    before = len(graph)
    act()
    if len(graph) == before:  # the ops were added to a function that is being traced, not to the graph
        return None
    return group(*[one for one in graph.operations[before:] if one.type == "assign_variable"])
