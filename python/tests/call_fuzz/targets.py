"""Every public callable of Weft, found by walking the package: functions, constructors and methods of its classes."""

import dataclasses
import functools
import inspect
import types

import weft as wf
from weft import _core, _ops

# Names of the package that hold further names.
MODULES = ("nn", "nn.init", "optim", "optim.schedules", "data", "linalg", "fft", "random", "tree", "train", "memory", "metrics",
           "callbacks",
           "testing")

# What is not called, and why; whatever else is public is called.
EXCLUDED = {
    "set_num_threads": "changes how fast all other calls are; test_package.py calls it",
    "memory.set_limit": "the limit keeps absurd sizes from the machine",
    "seed": "draws of later calls would depend on it",
    "random.seed": "draws of later calls would depend on it",
    "load_ops": "loads a library of the user's into the process for good; test_user_ops.py calls it",
    "define_op": "adds an op to the process for good; test_user_ops.py calls it",
    "observe": "an observer that is not removed sees all later calls; test_observe.py calls it",
    "callbacks.Resume": "installs signal handlers for a run; test_resume.py calls it",
    "data.load_dataset": "reads data that may not be installed; test_data.py calls it",
    "train.profile": "an unended profile observes all later calls; test_profile.py calls it",
    "grad_check": "evaluates a function hundreds of times; test_grad_check.py calls it",
    "testing.check_op": "evaluates an op hundreds of times; test_user_ops.py calls it",
    "train.compile": "a method of modules, called as such",
    "train.fit": "a method of modules, called as such",
    "train.evaluate": "a method of modules, called as such",
    "train.predict": "a method of modules, called as such",
    "train.train_on_batch": "a method of modules, called as such",
    "train.Module": "wf.nn.Module, called as such",
    "Graph.__enter__": "a graph that is not left takes all later calls",
    "Session.__enter__": "it enters a graph",
    "GradientTape.__enter__": "a tape that is not left records all later calls",
}

# Classes that users meet as objects: how a program makes one.
RECEIVERS = {
    "Tensor": ["{tensor}"],
    "Variable": ["wf.Variable({tensor})"],
    "random.Key": ["wf.random.Key(0)", "wf.random.Key(1).split(3)"],
    "DType": ["wf.float32", "wf.int8"],
    "Graph": ["graph_with({tensor})[0]"],
    "Session": ["wf.Session(graph_with({tensor})[0])"],
    "Operation": ["graph_with(t('float32', 2))[0].operations[0]"],
    "data.Dataset": ["wf.data.Dataset.range(5)", "wf.data.Dataset.from_tensor_slices({tensor})",
                     "wf.data.Dataset.from_generator(lambda: iter([{tensor}, {tensor}]))",
                     "wf.data.Dataset.from_tensors([{tensor}, 1])"],
    "nn.Module": ["Net()", "wf.nn.Linear(3, 2)", "trained_net()", "wf.nn.BatchNorm1d(3)"],
    "optim.Optimizer": ["optimizer()", "wf.optim.Adam([wf.Variable({tensor})])", "wf.optim.LBFGS([wf.Variable(t('float32', 2))])"],
    "optim.EMA": ["wf.optim.EMA([wf.Variable(t('float32', 3))], 0.9)"],
    "optim.schedules.Schedule": ["wf.optim.schedules.Cosine(optimizer(), 5)"],
    "optim.schedules.Plateau": ["wf.optim.schedules.Plateau(optimizer())"],
    "metrics.Metric": ["wf.metrics.Accuracy()", "wf.metrics.MSE()", "wf.metrics.R2()", "wf.metrics.AUC()", "wf.metrics.ConfusionMatrix(3)"],
    "callbacks.Callback": ["wf.callbacks.EarlyStopping('loss')", "wf.callbacks.CSVLogger(path('log.csv'))",
                           "wf.callbacks.LearningRateScheduler(lambda epoch: 0.1)", "wf.callbacks.ReduceLROnPlateau('loss')"],
    "GradientTape": ["wf.GradientTape(persistent=True)"],
    "CheckpointManager": ["wf.CheckpointManager(path('checkpoints'), w=wf.Variable({tensor}))"],
    "Saver": ["wf.Saver({{'w': wf.Variable({tensor})}})"],
    "train.LossScaler": ["wf.train.LossScaler()"],
    "Function": ["wf.Function"],
    "custom_jvp": ["wf.custom_jvp(lambda x: x * 2)"],
    "data.Iterator": ["graph_iterator()"],
}


@dataclasses.dataclass(frozen=True)
class Target:
    """A public callable: `head` is the text before the parentheses; of a method `receivers` are texts that make its object."""

    name: str
    head: str
    receivers: tuple = ()
    op: str = ""  # its name in the registry, of an op


def public_names(module):
    """Names that users see in a module."""
    names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    late = {"train": ["LossScaler", "draw_curves", "draw_confusion", "draw_images", "profile"]}
    return sorted({*names, *late.get(module.__name__.removeprefix("weft."), [])})


def is_ours(thing):
    """Whether an object was made by Weft, not by a module that it imports."""
    return (getattr(thing, "__module__", None) or "weft").split(".")[0] == "weft"


def functions(path):
    """Targets of the functions and classes of one module."""
    module = functools.reduce(getattr, path.split("."), wf) if path else wf
    ops = {name for its, name, _ in _ops.listed() if its == path}
    for name in public_names(module):
        thing = getattr(module, name)
        full = f"{path}.{name}" if path else name
        if isinstance(thing, types.ModuleType) or not callable(thing) or not is_ours(thing) or isinstance(thing, _core.DType):
            continue
        if isinstance(thing, type) and issubclass(thing, BaseException):
            continue
        yield Target(full, f"wf.{full}", (), full if name in ops else "")


def methods(path, receivers):
    """Targets of the public methods of one class, and of its operators."""
    kind = functools.reduce(getattr, path.split("."), wf)
    for name in dir(kind):
        is_special = name.startswith("__")
        if name.startswith("_") and not is_special or name in NOT_CALLED:
            continue
        found = inspect.getattr_static(kind, name)
        if isinstance(found, property) or not callable(getattr(kind, name, None)):
            continue
        if is_special and not defined_by_us(kind, name):
            continue
        is_op = path in ("Tensor", "Variable") and name in {op for module, op, _ in _ops.listed() if not module}
        yield Target(f"{path}.{name}", f".{name}", tuple(receivers), name if is_op else "")


# Special methods that Python and NumPy call for themselves, or that belong to every object.
NOT_CALLED = {"__class__", "__init_subclass__", "__subclasshook__", "__new__", "__del__", "__getattribute__", "__dir__", "__init__",
              "__class_getitem__", "__weakref__", "__dict__", "__reduce__", "__reduce_ex__", "__getstate__", "__sizeof__", "__delattr__",
              "__array__", "__array_function__", "__array_ufunc__"}


def defined_by_us(kind, name):
    """Whether a special method is not just that of `object`."""
    return getattr(kind, name) is not getattr(object, name, None) and inspect.getattr_static(kind, name) is not vars(object).get(name)


@functools.cache
def walk():
    """All targets by name, and those excluded."""
    found = {}
    for path in ("", *MODULES):
        for target in functions(path):
            found.setdefault(target.name, target)
    for path, receivers in RECEIVERS.items():
        for target in methods(path, receivers):
            found.setdefault(target.name, target)
    return {name: target for name, target in sorted(found.items()) if name not in EXCLUDED}


@functools.cache
def everything():
    """Names of all public callables, excluded ones, too."""
    names = {target.name for path in ("", *MODULES) for target in functions(path)}
    return names | {target.name for path, receivers in RECEIVERS.items() for target in methods(path, receivers)}


@functools.cache
def thing_of(name):
    """The callable of that name, without calling anything."""
    *owners, last = name.split(".")
    owner = functools.reduce(getattr, owners, wf)
    return getattr(owner, last)


@functools.cache
def parameters(name):
    """[(name, annotation, default, is by keyword)] of a callable; None where Python cannot tell."""
    thing = thing_of(name)
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return None
    listed = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    owner = thing_of(name.rpartition(".")[0]) if "." in name else None
    is_method = isinstance(owner, type) and not isinstance(inspect.getattr_static(owner, name.rpartition(".")[2]),
                                                           (classmethod, staticmethod))
    if is_method and listed and listed[0].kind is not inspect.Parameter.VAR_POSITIONAL:  # the object itself
        listed = listed[1:]
    return [(p.name, "" if p.annotation is p.empty else str(p.annotation), p.default, p.kind) for p in listed]


# Public classes whose objects get no calls of their own.
WITHOUT_RECEIVER = {
    "metrics.Several": "the loss of several outputs, made by compile", "Observation": "a record that observers are given",
    "Drawing": "two texts", "HookHandle": "made by hooks; `remove` is its one method",
}


def modules_left_out():
    """Public modules that are not walked."""
    found = {name for name in dir(wf) if isinstance(getattr(wf, name), types.ModuleType) and not name.startswith("_")}
    return sorted(name for name in found if is_ours(getattr(wf, name)) and name not in MODULES)


def classes_without_receiver():
    """Public classes with methods of which no program makes an object."""
    known = tuple(thing_of(path) for path in RECEIVERS if isinstance(thing_of(path), type))
    out = []
    for path in ("", *MODULES):
        for target in functions(path):
            kind = thing_of(target.name)
            if not isinstance(kind, type) or issubclass(kind, known) or target.name in {**WITHOUT_RECEIVER, **EXCLUDED}:
                continue
            if any(callable(getattr(kind, name)) for name in vars(kind) if not name.startswith("_")):
                out.append(target.name)
    return out
