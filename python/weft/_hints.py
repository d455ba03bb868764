"""Words for what other libraries have under another name, and for arguments of the wrong kind."""

import functools
import operator
import os
import sys

from . import _core, _users


_MODULES = ("nn", "linalg", "fft", "random", "optim", "memory")


def missing(module, name):
    """The AttributeError for a name that a module does not have, with what to write instead."""
    text = f"module '{module}' has no attribute '{name}'"
    hint = "" if name.startswith("_") else _hint(sys.modules[module], name)
    return AttributeError(text + (f"; {hint}" if hint else ""), name=name)


def missing_method(kind, name):
    """The AttributeError for a name that objects of a class do not have."""
    need_text(name, "getattr", "name")
    hint = "" if name.startswith("_") else _core.name_hint(name) or _nearest(kind, name)
    return AttributeError(f"a {kind.__name__} has no '{name}'" + (f"; {hint}" if hint else ""), name=name)


class _Imports:
    """The last of Python's finders: imports of modules that other libraries have, `import weft.nn.functional`, raise with what to
    write instead. What is found before it comes here is not slowed down, and other packages by one comparison."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        parent, _, short = name.rpartition(".")
        if parent.partition(".")[0] != "weft" or parent not in sys.modules or short.startswith("_"):
            return None
        if sys._getframe(2).f_code.co_name != "_find_and_load_unlocked":  # not to import it: importlib.util.find_spec asks if it is there
            return None
        hint = _hint(sys.modules[parent], short)
        if not hint:
            return None
        # Without its attribute `name`: `from weft.nn import functional` would swallow an error that has it, and the hint with it.
        raise ModuleNotFoundError(f"No module named '{name}'; {hint}")


sys.meta_path.append(_Imports)

_PLACE = ("get", "set", "add", "subtract", "multiply", "divide", "min", "max")


def missing_place(name):
    """The AttributeError for x.at[index].name: what there is, and that any function can be applied and set."""
    hint = f"it has {', '.join(_PLACE)}; for others set what they give, as in x.at[index].set(f(x[index]))"
    return AttributeError(f"x.at[index] has no '{name}'" + ("" if name.startswith("_") else f"; {hint}"), name=name)


# What stands elsewhere under a name goes first: it is there today, whatever the words for other libraries say.
def _hint(module, name):
    short = module.__name__.rpartition(".")[2] if "." in module.__name__ else ""
    return (_core.ambiguous_name_hint(name, short) or _in_modules(name, module) or _of_class(_core.Tensor, name, "x")
            or _of_class(_core.Variable, name, "v") or _core.name_hint(name, short) or _in_training(name, module)
            or _nearest(module, name))


def of_tensor(kind, name):
    """What to write for x.name, where tensors of this class have no such attribute; or nothing."""
    if name.startswith("_") or hasattr(kind, name):  # there, and it raised
        return ""
    if isinstance(vars(_core).get(name), _core.DType):
        return f"use x.astype(wf.{name})"
    if name.startswith("assign") and _users.tracing.rewritten is not None:
        return (f"it is v.{name} of a Variable, and a Variable that a traced function is called with arrives as its value; "
                "write one that it reads from outside, or return the new value")
    return (_core.ambiguous_name_hint(name, "") or _in_modules(name) or _core.name_hint(name, "", True)
            or _of_class(_core.Variable, name, "v") or _nearest(kind, name))


def _in_modules(name, asked=None):
    """Where weft has this very name, in another module than the one that was asked; a module is no answer."""
    weft = sys.modules["weft"]
    for path in ("", *_MODULES):
        there = vars(weft).get(path) if path else weft
        if there is not None and there is not asked and not isinstance(vars(there).get(name, sys), type(sys)):
            return f"it is wf.{path}.{name}" if path else f"it is wf.{name}"
    return ""


# What loads late, and is not loaded to answer: this is asked while modules load, too.
_LATE = {
    "callbacks": ("CSVLogger", "Callback", "EarlyStopping", "LambdaCallback", "LearningRateScheduler", "ModelCheckpoint",
                  "ReduceLROnPlateau", "Resume", "TerminateOnNaN"),
    "metrics": ("AUC", "Accuracy", "ConfusionMatrix", "F1", "Perplexity", "Precision", "R2", "Recall", "TopKAccuracy"),
    "optim.schedules": ("Cosine", "CosineRestarts", "Exponential", "MultiStep", "OneCycle", "Plateau", "Polynomial", "Step"),
    "data": ("Dataset", "load_dataset", "image_folder", "text_lines"),
    "train": ("LossScaler",),
}


def _in_training(name, asked):
    """Where it is among what loads late: callbacks, metrics, schedules, data."""
    for path, names in _LATE.items():
        if name in names and asked.__name__.rpartition("weft.")[2] not in (path, f"train.{path}"):
            return f"it is wf.{path}.{name}"
    return ""


def _of_class(kind, name, example):
    return f"it is {example}.{name} of a {kind.__name__}" if hasattr(kind, name) else ""


def _nearest(owner, name):
    return _core.did_you_mean(name, [known for known in dir(owner) if not known.startswith("_")])


class NeedsCall(type):
    """A class that is used as `with name():`; without the call it says so."""

    def __enter__(cls):
        raise _core.WrongTypeError(f"{cls.__name__}: is called to begin: with wf.{cls.__name__}(): [{cls.__name__}.with]")

    def __exit__(cls, *exception):
        return False


def need_function(f, who):
    """Raises unless `f` can be called: people of other libraries give the loss itself."""
    if callable(f):
        return
    if isinstance(f, _core.Tensor):
        raise _core.WrongTypeError(f"{who}: f must be a function, but got a tensor; wf.{who}(f) transforms a function, and "
                                   f"for a loss that is computed already there is loss.backward() [{who}.function]")
    raise _core.WrongTypeError(f"{who}: f must be a function, but got {type(f).__name__} [{who}.function]")


def need_words(who, unknown, known, sentences=None):
    """Raises for keywords that `who` does not have; `known` gives our words for those of others, or `sentences` more."""
    for word in unknown:
        hint = f"; weft calls this {known[word]}" if word in known else ""
        hint = f"; {sentences[word]}" if sentences and word in sentences else hint
        raise _core.WrongTypeError(f"{who}: has no argument '{word}'{hint} [{who}.keyword]")


def brief(value):
    """The beginning of a value's text, for a message; the class of what is nested too deep to have one."""
    try:
        return f"{value!r:.60}"
    except RecursionError:
        return f"a {type(value).__name__}"


def need_text(value, who, name):
    """Raises unless the argument is a string."""
    if not isinstance(value, str):
        raise _core.WrongTypeError(f"{who}: {name} must be a string, but got {brief(value)} [{who}.argument]")


def need_choice(value, who, name, *choices):
    """Raises unless the argument is one of these strings."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(map(repr, choices[:-1]))
        raise _core.InvalidError(f"{who}: {name} is {brief(value)}; it is {listed} or {choices[-1]!r} [{who}.{name}]")


def need_callable(f, who, name="f"):
    """Raises unless the argument can be called."""
    if not callable(f):
        raise _core.WrongTypeError(f"{who}: {name} must be a function, but got {brief(f)} [{who}.function]")


def need_integer(value, who, name):
    """Raises unless the argument is an integer: of Python or NumPy, a size, or a tensor of one."""
    if not isinstance(value, (int, _core.Dim, _core.Tensor)):
        as_integer(value, who, name)


def as_flag(value, who, name):
    """Whether the argument is true; of an array of several elements nobody can tell."""
    return _converted(bool, value, "True or False", who, name)


def as_integer(value, who, name):
    """The argument as an integer of Python, which cannot wait for a run."""
    return _converted(operator.index, value, "an integer", who, name)


def as_number(value, who, name):
    """The argument as a float."""
    return _converted(float, value, "a number", who, name)


def _converted(convert, value, kind, who, name):
    try:
        return convert(value)
    except _core.Error:  # of a tensor, which says more
        raise
    except (TypeError, ValueError, OverflowError):
        raise _core.WrongTypeError(f"{who}: {name} must be {kind}, but got {brief(value)} [{who}.argument]") from None


def as_list(values, who, name):
    """The elements of an argument that can be gone through."""
    try:
        items = iter(values)
    except TypeError:
        raise _core.WrongTypeError(f"{who}: {name} must be a list, but got {brief(values)} [{who}.argument]") from None
    return list(items)


def as_dict(values, who, name):
    """The argument, if it has values by name."""
    if not hasattr(type(values), "keys"):
        raise _core.WrongTypeError(f"{who}: {name} must be a dict, but got {brief(values)} [{who}.argument]")
    return values


def need_state(state, who, names, is_optional=False):
    """Raises unless a state has these names; it may be empty, if it is optional."""
    as_dict(state, who, "state")
    for name in names if len(state) or not is_optional else ():
        if name not in state:
            raise _core.InvalidError(f"{who}: the state has no '{name}'; it is what state_dict() gave, with {', '.join(names)} "
                                     f"[{who}.state]")


def as_path(path, who):
    """The path as a string."""
    try:
        path = os.fspath(path)
    except TypeError:
        raise _core.WrongTypeError(f"{who}: the path must be a string or a path, but got {brief(path)} [{who}.path]") from None
    return os.fsdecode(path)


def spoken(function):
    """Decorates a public function that is written in Python: a call that does not fit it raises as ops do, with its name, the
    argument and what would be right."""

    @functools.wraps(function)
    def call(*args, **keywords):
        try:
            return function(*args, **keywords)
        except TypeError as error:
            if error.__traceback__.tb_next is not None:  # it began, and something in it raised
                raise
        raise misfit(function, args, keywords)

    return call


def speak(cls):
    """Lets the constructor of a class of Weft's own raise as ops do."""
    if cls.__module__.startswith("weft.") and "__init__" in vars(cls):
        cls.__init__ = spoken(cls.__init__)


# What calls take in other libraries and not here: Keras's fit and callbacks first.
_DONATE = "keep what each call replaces in a Variable, and assign it in the function: v.assign(x)"
_SIZES = "other sizes are no new trace"
_ELEMENTS = "types and shapes are those of what the generator gives"
_STEPS = "a dataset has as many batches as it has: dataset.take(steps)"
_KEYWORDS = {
    ("fit", "workers"): "datasets have threads of their own: dataset.map(f, num_parallel_calls=2).prefetch(2)",
    ("fit", "use_multiprocessing"): "datasets have threads of their own: dataset.map(f, num_parallel_calls=2).prefetch(2)",
    ("fit", "steps_per_epoch"): _STEPS, ("fit", "validation_steps"): _STEPS, ("evaluate", "steps"): _STEPS, ("predict", "steps"): _STEPS,
    ("fit", "validation_batch_size"): "validation_data may be a dataset, with batches of its own: dataset.batch(size)",
    ("fit", "lr"): "the optimizer has it: model.compile(wf.optim.Adam(model.parameters(), lr=0.01), loss)",
    ("fit", "optimizer"): "model.compile(optimizer, loss) takes it", ("fit", "loss"): "model.compile(optimizer, loss) takes it",
    ("compile", "weighted_metrics"): "weights count in the loss alone, and metrics count all examples alike",
    ("compile", "jit_compile"): "steps are traced functions, unless run_eagerly=True",
    ("ModelCheckpoint", "save_best_only"): "the best one is kept by monitor=\"val_loss\" beside the last ones: max_to_keep=1 keeps both",
    ("ModelCheckpoint", "save_weights_only"): "wf.save(path, model.state_dict()) saves the weights alone",
    ("ModelCheckpoint", "filepath"): "weft calls this folder", ("ModelCheckpoint", "save_freq"): "weft calls this every_steps or every_epochs",
    ("ModelCheckpoint", "verbose"): "what goes wrong is told, and nothing else",
    ("EarlyStopping", "verbose"): "history.stop_reason says why a training ended",
    ("OneCycle", "max_lr"): "the highest rate is the optimizer's own: wf.optim.SGD(parameters, lr=max_lr)",
    ("OneCycle", "total_steps"): "weft calls this moves", ("OneCycle", "pct_start"): "weft calls this pct",
    ("OneCycle", "div_factor"): "weft calls this div", ("OneCycle", "final_div_factor"): "weft calls this final_div",
    ("OneCycle", "anneal_strategy"): "weft calls this shape: 'cosine' or 'linear'", ("Step", "step_size"): "weft calls this size",
    ("Cosine", "T_max"): "weft calls this moves", ("Cosine", "eta_min"): "weft calls this lowest, a share of the first rate",
    ("CSVLogger", "filename"): "weft calls this path", ("CSVLogger", "separator"): "fields are parted by commas",
    # JAX's jit, TensorFlow's function and PyTorch's compile.
    ("function", "donate_argnums"): _DONATE, ("function", "donate_argnames"): _DONATE,
    ("function", "device"): "the only device is the CPU", ("function", "backend"): "the only device is the CPU",
    ("function", "in_shardings"): "the only device is the CPU", ("function", "out_shardings"): "the only device is the CPU",
    ("function", "autograph"): "weft calls this rewrite", ("function", "jit_compile"): "a traced function is always compiled",
    ("function", "reduce_retracing"): _SIZES, ("function", "experimental_relax_shapes"): _SIZES, ("function", "dynamic"): _SIZES,
    # TensorFlow's datasets.
    ("from_generator", "output_types"): _ELEMENTS, ("from_generator", "output_shapes"): _ELEMENTS,
    ("from_generator", "output_signature"): _ELEMENTS,
    ("from_generator", "args"): "bind them: from_generator(lambda: generator(n))",
    ("range", "output_type"): "numbers are int64: dataset.map(lambda x: x.astype(dtype)) casts them",
}


def add_keywords(who, hints):
    """Sets what to write for keywords, {keyword: hint}, that other libraries have and `who` has not."""
    for keyword, hint in hints.items():
        _KEYWORDS.setdefault((who, keyword), hint)


def misfit(function, args, keywords):
    """The error of a call that Python could not bind."""
    import inspect

    who = type(args[0]).__name__ if function.__name__ in ("__init__", "forward") else function.__name__
    known = {name: p for name, p in inspect.signature(function).parameters.items() if name != "self"}
    names = [name for name, p in known.items() if p.kind is not p.VAR_KEYWORD]
    places = [name for name, p in known.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    args = args[1:] if "self" in inspect.signature(function).parameters else args
    for word in keywords:
        if word not in known:
            hint = _KEYWORDS.get((who, word)) or _core.keyword_hint(word, names) or f"its arguments are {', '.join(names) or 'none'}"
            return _core.WrongTypeError(f"{who}: has no argument '{word}'; {hint} [{who}.keyword]")
        if known[word].kind is inspect.Parameter.POSITIONAL_ONLY:
            return _core.WrongTypeError(f"{who}: argument '{word}' is given by position, not by name [{who}.keyword]")
        if word in places[:len(args)]:
            return _core.WrongTypeError(f"{who}: argument '{word}' was given twice, by position and by name [{who}.keyword]")
    if len(args) > len(places):
        by_name = [name for name in names if name not in places]
        named = f"; {', '.join(by_name)} by name" if by_name else ""
        return _core.WrongTypeError(f"{who}: takes {len(places)} argument{'s' * (len(places) != 1)} by position at most "
                                    f"({', '.join(places)}{named}), but got {len(args)} [{who}.count]")
    missing = [name for i, name in enumerate(places)
               if known[name].default is inspect.Parameter.empty and i >= len(args) and name not in keywords]
    return _core.WrongTypeError(f"{who}: argument '{missing[0] if missing else names[0]}' is missing [{who}.count]")


def need_unicode(text, who, law):
    """Raises if a text has half a character, such as a name of a file that is not UTF-8: nothing that is written holds it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _core.InvalidError(f"{who}: {text!a:.60} is no text that can be written as UTF-8 [{who}.{law}]") from None
