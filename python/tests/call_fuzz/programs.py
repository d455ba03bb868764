"""Programs that call one public function in one of the modes: generated from a seed and a number, printed as texts."""

import dataclasses
import functools
import inspect
import random
import re

from . import examples, targets, values

MODES = ("eager", "closure", "argument", "grad", "vmap", "graph")
OFTEN = ("eager",) * 6 + ("closure", "argument") + ("grad",) * 4 + ("vmap",) * 5 + ("graph",) * 4  # tracing costs most
NO_ATOM = re.compile(r"lambda|[-.\d][^,]*$|.*\) [*%] ")  # has to be put in parentheses
FLOATS = re.compile(r"'(float|bfloat|complex)|\d\.|ones|zeros")


@dataclasses.dataclass(frozen=True)
class Program:
    """One call: `template` has a place for each of the texts of `arguments`; of a free call they may be left out."""

    name: str
    head: str  # "wf.add", ".sum" of a method, or a template if it has a "{0}"
    arguments: tuple
    words: tuple = ()  # of each argument, the keyword it is given by, or ""
    mode: str = "eager"
    lifted: tuple = ()  # numbers of the arguments that the mode turns into tracers
    variant: int = 0
    op: str = ""

    def call(self, texts):
        """The call with these texts for arguments."""
        if "{" in self.head:
            return self.head.format(*(f"({text})" if NO_ATOM.match(text) else text for text in texts))
        given = [f"{word}={text}" if word else text for word, text in zip(self.words, texts)]
        call = f"({given[0]}){self.head}({', '.join(given[1:])})" if self.head.startswith(".") else f"{self.head}({', '.join(given)})"
        return call if self.op else f"use({call})"

    @property
    def text(self):
        """The program."""
        return _WRITERS[self.mode](self)

    def with_mode(self, mode):
        return dataclasses.replace(self, mode=mode)


def _renamed(program):
    """The call over names a0, a1, ... of the lifted arguments, those names, and their texts."""
    names = [f"a{i}" for i in program.lifted]
    texts = [f"a{i}" if i in program.lifted else text for i, text in enumerate(program.arguments)]
    return program.call(texts), names, [program.arguments[i] for i in program.lifted]


def _eager(program):
    if not program.op:
        return f"result = {program.call(program.arguments)}\n"
    lines = [f"a{i} = {text}" for i, text in enumerate(program.arguments)]  # so that only the op's own errors come from the last line
    return "\n".join([*lines, f"result = {program.call([f'a{i}' for i in range(len(program.arguments))])}\n"])


def _closure(program):
    call, names, texts = _renamed(program)
    lines = [f"{name} = {text}" for name, text in zip(names, texts)]
    return "\n".join([*lines, f"result = wf.function(lambda: {call})()\n"])


def _argument(program):
    call, names, texts = _renamed(program)
    if program.variant % 4 == 3:  # a traced loop index among the arguments
        call = program.call([f"a{i}" if i in program.lifted else "i" if re.fullmatch(r"-?\d+", text) else text
                             for i, text in enumerate(program.arguments)])
        return (f"@wf.function\ndef f({', '.join(['n', *names])}):\n    result = None\n    for i in range(n):\n        result = {call}\n"
                f"    return result\n\n\nresult = f({', '.join(['wf.tensor(2)', *texts])})\n")
    return f"result = wf.function(lambda {', '.join(names)}: {call})({', '.join(texts)})\n"


def _grad(program):
    call, names, texts = _renamed(program)
    f, given = f"lambda {', '.join(names)}: {call}", "".join(f"{text}, " for text in texts)
    kind = program.variant % 5
    if kind == 0:
        return f"wf.grad(lambda {', '.join(names)}: total({call}))({given[:-2]})\n"
    if kind == 1:
        return f"result = wf.jvp({f}, ({given}), ({given}))[0]\n"
    if kind == 2:
        return f"result, pull = wf.vjp({f}, {given[:-2]})\npull(result)\n"
    if kind == 3:
        lines = "\n".join(f"    {name} = {text}\n    tape.watch({name})" for name, text in zip(names, texts))
        return f"with wf.GradientTape() as tape:\n{lines}\n    result = {call}\n    loss = total(result)\ntape.gradient(loss, {names[0]})\n"
    return f"wf.grad(lambda {', '.join(names)}: total(wf.grad(lambda {', '.join(names)}: total({call}))({', '.join(names)})))({given[:-2]})\n"


def _vmap(program):
    call, names, texts = _renamed(program)
    kind = program.variant % 4
    if kind == 3:  # the first axis of what there is
        return f"wf.vmap(lambda {', '.join(names)}: {call}, in_axes={-(program.variant // 4 % 2)})({', '.join(texts)})\n"
    stacked = [f"wf.stack([{text}, {text}], axis={-(kind == 1)})" for text in texts]
    axis = -1 if kind == 1 else 0
    if kind == 2 and len(texts) > 1:
        return (f"result = wf.vmap(lambda {', '.join(names)}: {call}, in_axes=(0{', None' * (len(texts) - 1)}))"
                f"({', '.join([stacked[0], *texts[1:]])})\n")
    return f"result = wf.vmap(lambda {', '.join(names)}: {call}, in_axes={axis})({', '.join(stacked)})\n"


def _graph(program):
    call, names, texts = _renamed(program)
    kind = program.variant % 3
    lines = [f"{name}_fed = {text}" for name, text in zip(names, texts)] + ["with wf.Graph() as g:"]
    if kind == 2:  # constants of the graph
        lines += [f"    {name} = {text}" for name, text in zip(names, texts)]
        return "\n".join([*lines[len(names):], f"    result = {call}", "result = fetched(g, result, {})\n"])
    sizes = "(None,) * len({0}_fed.shape)" if kind else "{0}_fed.shape"
    lines += [f"    {name} = wf.placeholder({name}_fed.dtype, {sizes.format(name)})" for name in names]
    feeds = ", ".join(f"{name}: {name}_fed" for name in names)
    return "\n".join([*lines, f"    result = {call}", f"result = fetched(g, result, {{{feeds}}})\n"])


_WRITERS = {"eager": _eager, "closure": _closure, "argument": _argument, "grad": _grad, "vmap": _vmap, "graph": _graph}


@functools.cache
def _sources():
    """Lists of targets and of examples; those of each list are chosen alike, and a list as often as it stands here."""
    callables, known = targets.walk().values(), examples.everything()
    of_tensors = [target for target in callables if target.name.startswith(("Tensor.", "Variable."))]
    written = [example for example in known if example[0] in examples.WRITTEN] or known
    return ([target for target in callables if target.op and target not in of_tensors], of_tensors,
            [target for target in callables if not target.op and target not in of_tensors]), (known, known, written)


def generate(seed, number):
    """The program of that number."""
    rng = random.Random(f"{seed}:{number}")
    callables, known = _sources()
    if rng.random() < 0.5 or len(known[0]) == 1:
        program = _of_example(rng, *rng.choice(rng.choice(known)))
    else:
        program = _of_target(rng, rng.choice(rng.choice(callables)))
    return _in_mode(rng, program)


def _of_example(rng, name, slots):
    """A call that would succeed, with one or two things changed."""
    arguments = list(slots.arguments)
    for _ in range(rng.choice([0, 1, 1, 1, 1, 2]) if arguments else 0):
        i = rng.randrange(len(arguments))
        arguments[i] = _changed(rng, arguments[i])
    target = targets.walk().get(name)
    op = target.op if target and f"{name.rpartition('.')[2]}(" in slots.template else ""  # set_at is called as x.at[i].set(value)
    return Program(name, slots.template, tuple(arguments), ("",) * len(arguments), op=op)


def _changed(rng, text):
    """Another text for an argument: often of the same nature, else anything."""
    if values.is_tensor(text) and rng.random() < 0.5:
        return values.kind_of(rng, text)
    if text[:1] in "[{(" and rng.random() < 0.6:
        return values.tree(rng)
    return rng.choice([values.odd, values.odd, values.tensor, values.any_tensor, values.tree])(rng)


def _of_target(rng, target):
    """A call by its signature: plausible arguments, or nonsense."""
    known, arguments, words = targets.parameters(target.name), [], []
    if target.receivers:
        arguments.append(rng.choice(target.receivers).format(tensor=values.any_tensor(rng)))
        words.append("")
    if known is None:
        known = [(name, "", inspect.Parameter.empty, inspect.Parameter.POSITIONAL_ONLY) for name in "xyz"[:rng.randrange(4)]]
    nonsense = rng.choice([0.0, 0.0, 0.15, 0.5, 1.0])
    for name, annotation, default, kind in known:
        is_optional = default is not inspect.Parameter.empty or kind is inspect.Parameter.VAR_POSITIONAL
        if is_optional and rng.random() < 0.7 or rng.random() < 0.02:
            continue
        text = values.odd(rng) if rng.random() < nonsense else values.plausible(rng, name, annotation, default)
        by_word = (kind is inspect.Parameter.KEYWORD_ONLY or any(words[len(target.receivers) > 0:]) or
                   kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and is_optional)
        arguments.append(text)
        words.append(name if by_word and kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY) else "")
    if rng.random() < 0.05 * (nonsense > 0):
        arguments.append(values.odd(rng))
        words.append(rng.choice(["axis", "out", "device", "dtype", "nonsense", "input", "copy"]))
        if words[-1] in words[:-1]:
            words[-1] = "other"
    if any(words[i] and not words[i + 1] for i in range(len(words) - 1)):  # positions after keywords are no Python
        order = sorted(range(len(words)), key=lambda i: bool(words[i]))
        arguments, words = [arguments[i] for i in order], [words[i] for i in order]
    return Program(target.name, target.head, tuple(arguments), tuple(words), op=target.op)


def _in_mode(rng, program):
    tensors = [i for i, text in enumerate(program.arguments) if values.is_tensor(text)]
    mode = rng.choice(OFTEN)
    if not tensors:
        return dataclasses.replace(program, mode="closure" if mode in ("closure", "argument") else "eager")
    lifted = [i for i in tensors if rng.random() < 0.7] or [rng.choice(tensors)]
    if mode == "grad":
        lifted = [i for i in lifted if FLOATS.search(program.arguments[i])] or lifted
    return dataclasses.replace(program, mode=mode, lifted=tuple(lifted), variant=rng.randrange(60))
