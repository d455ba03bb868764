"""Texts with traced values in them: f-strings, `%`, str.format, str and format.

    print(f"{x:.2f} of {n}")      print(text(((x, None, ".2f"), " of ", (n, None, ""))))
    name = f"{x}"                 name = f"{shown(x)}"                    refused for a traced x: it has no value yet

In what is printed, and in the message of an `assert`, the values are put in whenever the graph runs.
"""

import ast
import re
import string
import sys
import warnings

from .. import conversion, laws, trees
from ..backend import current
from ..building import constant
from ..reads import met

_CONVERSIONS = {"s": str, "r": repr, "a": ascii}
_PERCENT = re.compile(r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[#0\- +]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?[hlL]?"
                      r"(?P<type>[a-zA-Z%])")


class Text:
    """A text that is made when the graph runs. Only `print` and `assert` take it."""

    def __init__(self, pieces):
        self.pieces = pieces  # texts, and pairs of a tensor and what stands for it in the braces of str.format

    def __add__(self, other):
        return Text([*self.pieces, *_pieces(other)]) if isinstance(other, (str, Text)) else NotImplemented

    def __radd__(self, other):
        return Text([other, *self.pieces]) if isinstance(other, str) else NotImplemented

    def _refuse(self, *_):
        raise _refusal(next(piece[0] for piece in self.pieces if not isinstance(piece, str)))

    __str__ = __format__ = __len__ = __iter__ = __getitem__ = __mod__ = __mul__ = __eq__ = __hash__ = __bool__ = _refuse

    def __getattr__(self, name):
        self._refuse()


# Syntax.

def rewrite(node, context):
    """An f-string somewhere."""
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            part.value = context.visit(part.value)
            part.format_spec = part.format_spec and context.visit(part.format_spec)
            if part.conversion not in (ord("r"), ord("a")):
                part.value = context.operator("shown", part.value, like=part.value)
    return node


def rewrite_operator(node, context):
    """`text % values` somewhere."""
    node = context.generic_visit(node)
    if isinstance(node.op, ast.Mod) and _is_text(node.left):
        node.right = context.operator("shown_by_percent", node.left, node.right, like=node.right)
    return node


def rewrite_printed(node, context):
    """An expression whose value is printed."""
    if isinstance(node, ast.JoinedStr):
        parts = [_part(part, context) if isinstance(part, ast.FormattedValue) else part for part in node.values]
        return context.operator("text", ast.Tuple(parts, ast.Load()), like=node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node.left, node.right = rewrite_printed(node.left, context), rewrite_printed(node.right, context)
        return node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
        return context.operator("text_by_percent", context.visit(node.left), context.visit(node.right), like=node)
    if isinstance(node, ast.Call) and _makes_text(node.func, context):
        node = context.generic_visit(node)
        node.func = context.operator("text_of_call", node.func, like=node.func)
        return node
    return context.visit(node)


def _part(part, context):
    kind = chr(part.conversion) if part.conversion > 0 else None
    form = context.visit(part.format_spec) if part.format_spec else constant("", part)
    return ast.Tuple([context.visit(part.value), constant(kind, part), form], ast.Load())


def _is_text(node):
    return isinstance(node, ast.JoinedStr) or isinstance(node, ast.Constant) and isinstance(node.value, str)


def _makes_text(f, context):
    if isinstance(f, ast.Attribute):
        return f.attr == "format"
    return isinstance(f, ast.Name) and f.id in ("str", "format") and not context.is_own(f.id)


# What is printed.

def text(parts):
    """An f-string: a text, or one that is made when the graph runs."""
    return _joined([piece for part in parts for piece in ([part] if isinstance(part, str) else _written(*part))])


def text_by_percent(pattern, values):
    """`pattern % values`."""
    met(values, "str")
    if not has_traced(values):
        return pattern % values
    pieces, end, given = [], 0, iter(values if isinstance(values, tuple) else (values,))
    for found in _PERCENT.finditer(pattern):
        pieces.append(pattern[end:found.start()])
        end = found.end()
        if found["type"] == "%":
            pieces.append("%")
            continue
        numbers = {word: next(given) if found[word] == "*" else found[word] or "" for word in ("width", "precision")}
        value = values[found["key"]] if found["key"] is not None else next(given)
        pieces += _by_percent(value, found, **numbers)
    return _joined([*pieces, pattern[end:]])


def _by_percent(value, found, width, precision):
    flags, kind = found["flags"], found["type"]
    precision = f".{precision or 0}" if found["precision"] is not None else ""
    if not has_traced(value):
        width = found["flags"] + str(width)
        return [f"%{width}{precision}{kind}" % (value,)]
    align, sign = "<" if "-" in flags else "", "+" if "+" in flags else " " if " " in flags else ""
    if kind in "sra":
        return _written(value, "s", f"{align or '>'}{width}{precision}" if width or precision else "")
    if kind in "diu" and current.b.is_traced(value) and not current.b.is_integer(current.b.dtype(value)):
        raise laws.refusal("host_number", method=f"%{kind}", a=trees.described(value), instead="write %.0f")
    zero = "0" if "0" in flags and not align else ""
    return _written(value, None, f"{align}{sign}{'#' * ('#' in flags)}{zero}{width}{precision}{'d' if kind in 'iu' else kind}")


def text_of_call(f):
    """What to call in place of str, format or a text's `format`."""
    if f is str:
        return lambda *args, **keywords: text([(args[0], "s", "")]) if len(args) == 1 and not keywords else str(*args, **keywords)
    if f is format:
        return lambda value, form="": text([(value, None, form)])
    if is_format(f):
        return lambda *args, **keywords: _by_format(f, args, keywords)
    from .calls import call  # late: calls prints
    return call(f)


def is_format(f):
    """Whether f is the `format` of a text."""
    return getattr(f, "__name__", None) == "format" and type(getattr(f, "__self__", None)) is str


def _by_format(f, args, keywords):
    if not any(map(has_traced, (*args, *keywords.values()))):
        return f(*args, **keywords)
    pieces = []
    for literal, value, kind, form in _fields(f.__self__, args, keywords):
        pieces.append(literal)
        if form is not None:
            pieces += _written(value, kind, form)
    return _joined(pieces)


def _fields(pattern, args, keywords):
    """The pieces of a pattern of str.format: the text before a value, the value, its conversion and format."""
    formatter, numbered = string.Formatter(), 0
    for literal, name, form, kind in formatter.parse(pattern):
        if name is None:
            yield literal, None, None, None
            continue
        if name == "" or name[0] in ".[":
            name, numbered = f"{numbered}{name}", numbered + 1
        yield literal, formatter.get_field(name, args, keywords)[0], kind, form.format(*args[numbered:], **keywords)


def _written(value, kind, form):
    """The pieces that a value becomes."""
    met(value, "format")
    b = current.b
    if isinstance(value, Text):
        return value.pieces
    if not has_traced(value):
        return [format(_CONVERSIONS[kind](value) if kind else value, form)]
    if b.is_size(value):
        return [(b.as_tensor(value), f":{_format_of_size(kind, form)}")]
    if not b.is_traced(value):
        format([], "" if kind else form)  # raises as Python does
        return _elements(value)
    if b.kind_of_number(value) is not None and (kind or not form):  # as Python writes it
        format("", form)
        return [(b.value_of(value), f"!n:{form}" if form else "!n")]
    if not form:
        return [(b.value_of(value), "")]
    if kind is None and str(b.dtype(value)).startswith("complex"):
        raise laws.refusal("host_number", method="format", a=trees.described(value), instead="write wf.real(x) and wf.imag(x)")
    format("" if kind else 0.5 if b.accepts(b.dtype(value), 0.5) else 0, form)  # raises as Python does
    if "{" in form or "}" in form:
        raise ValueError(f"Invalid format specifier {form!r} for a traced value")
    return [(b.value_of(value), f"!s:{form}" if kind else f":{form}")]


def _format_of_size(kind, form):
    """The format of an integer that shows a size as its int, or the text of that, is shown."""
    if not kind:
        format(0, form)  # raises as Python does
        return form or "d"
    format("", form)
    form = form.removesuffix("s")
    return ("<" if form[:1].isdigit() else "") + form + "d"


def _elements(tree):
    """A list, tuple or dict as it is printed."""
    if not has_traced(tree):
        return [repr(tree)]
    if current.b.is_size(tree):
        return [(current.b.as_tensor(tree), ":d")]
    if current.b.is_traced(tree):
        return [(current.b.value_of(tree), "" if current.b.kind_of_number(tree) is None else "!n")]
    rows = [[repr(key) + ": ", *_elements(value)] for key, value in tree.items()] if type(tree) is dict else map(_elements, tree)
    pieces = [piece for k, row in enumerate(rows) for piece in ([", "] if k else []) + row]
    left, right = "{}" if type(tree) is dict else "[]" if type(tree) is list else "()"
    return [left, *pieces, "," if type(tree) is tuple and len(tree) == 1 else "", right]


def _pieces(value):
    return value.pieces if isinstance(value, Text) else [value]


def _joined(pieces):
    return "".join(pieces) if all(isinstance(piece, str) for piece in pieces) else Text(pieces)


def lines(values, sep, end):
    """What print writes, as a pattern of str.format and the tensors in it."""
    pieces = []
    for k, value in enumerate(values):
        pieces += [sep] * (k > 0) + written(value)
    return pattern_of([*pieces, end])


def written(value):
    """The pieces of a value as `print` and `str` show it."""
    return list(_written(value, "s", ""))


def pattern_of(pieces):
    escaped = [piece.replace("{", "{{").replace("}", "}}") if isinstance(piece, str) else f"{{{piece[1]}}}" for piece in pieces]
    return "".join(escaped), [piece[0] for piece in pieces if not isinstance(piece, str)]


def said(message):
    """The message of an assertion that failed while the function is traced."""
    return message if not isinstance(message, Text) else "".join(p if isinstance(p, str) else repr(p[0]) for p in message.pieces)


# What is not.

def has_traced(value):
    """Whether a value, or one in a list, tuple or dict, is traced or a size."""
    kind = type(value)
    if kind in (list, tuple, dict):
        return any(map(has_traced, value.values() if kind is dict else value))
    return isinstance(value, Text) or current.b.is_size(value) or current.b.is_traced(value)


def _refusal(value):
    while type(value) in (list, tuple, dict):
        value = next(x for x in (value.values() if type(value) is dict else value) if has_traced(x))
    return laws.refusal("text", a=trees.described(value))


def shown(value):
    """What is about to become a text, if it has its value. A size gets the one it has here, as in int(x.shape[0])."""
    if isinstance(value, Text):
        value._refuse()
    value = _with_sizes(value)
    if has_traced(value):
        raise _refusal(value)
    return value


def _with_sizes(value):
    """Sizes as integers, which the trace takes for granted from then on; also in lists, tuples and dicts."""
    if current.b.is_size(value):
        return int(value)
    kind = type(value)
    if kind not in (list, tuple, dict) or not has_traced(value):
        return value
    if kind is dict:
        return {key: _with_sizes(one) for key, one in value.items()}
    return kind(map(_with_sizes, value))


def shown_by_percent(pattern, values):
    """What is about to become a text by `%`; %r is no value."""
    values = _with_sizes(values)
    if isinstance(pattern, str) and has_traced(values) and {found["type"] for found in _PERCENT.finditer(pattern)} - {"r", "a", "%"}:
        raise _refusal(values)
    return values


def text_of(*args, **keywords):
    """str somewhere."""
    for value in args[:1]:
        met(value, "str")
    return str(*map(shown, args), **keywords)


def format_of(*args):
    """format somewhere."""
    for value in args[:1]:
        met(value, "format")
    return format(*map(shown, args))


def checked_format(f):
    """The `format` of a text somewhere."""
    def call(*args, **keywords):
        for value in (*args, *keywords.values()):
            met(value, "format")
        if any(map(has_traced, (*args, *keywords.values()))):
            args, keywords = tuple(map(_with_sizes, args)), _with_sizes(keywords)
            for _, value, kind, _ in _fields(f.__self__, args, keywords):
                if kind not in ("r", "a"):
                    shown(value)
        return f(*args, **keywords)

    return call


def warn(tensor):
    """Tells that code which is not rewritten has made a text of a traced tensor."""
    frame = sys._getframe(1)
    while frame.f_back and (conversion.is_library_file(frame.f_code.co_filename) or conversion.is_ours(frame.f_code.co_filename)):
        frame = frame.f_back
    law = laws.LAWS["text"]
    warnings.warn_explicit(f"function: {law.wrong.format(a=trees.described(tensor))}; {law.right} [function.text]", UserWarning,
                           frame.f_code.co_filename, frame.f_lineno)
