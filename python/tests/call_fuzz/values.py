"""Texts of arguments: tensors of every kind, plausible values for a parameter, and nonsense."""

import inspect
import re

DTYPES = ["float32"] * 8 + ["float64", "float64", "float16", "bfloat16", "int64", "int64", "int32", "int8", "uint8", "uint64", "bool",
                            "bool",
                            "complex64", "complex128"]
SHAPES = ["", "", "3", "3", "2", "1", "0", "2, 3", "2, 3", "3, 3", "3, 2", "1, 3", "2, 0", "4, 1, 3", "2, 3, 3", "2, 3, 4", "1, 1, 4, 4",
          "2, 3, 4, 4", "1, 2, 3, 3, 3", "1, 5, 1", "0, 3", "70, 2", ", ".join("1" * 10)]
HUGE = ["2**31", "2**40", "2**62", "2**63 - 1", "2**63", "2**64", "10**30", "-(2**31)", "-(2**63)", "-(10**30)"]
NUMBERS = ["-2", "-1", "0", "1", "2", "3", "5", "1.5", "True", "0.0", "-0.5"]

# Kinds of tensors that are made of a plain one.
KINDS = ["wf.Variable({})"] * 4 + ["wf.Variable(wf.ones_like({}))"] * 4 + ["wf.zeros_like({})", "wf.full_like({}, 2)",
                                                                           "wf.Variable({}) * 2",
                                                                           "wf.Variable(wf.astype({}, wf.float32)) * 2",
                                                                           "leaked(wf.grad, {})",
         "leaked(wf.vmap, {})", "leaked(wf.function, {})", "leaked_tangent({})", "taped({})", "graph_value({})", "symbolic({})",
         "wf.broadcast_to({}, (2, 2, 3))", "({}).mT", "({})[::-1]", "({})[..., ::2]", "({}).numpy()", "read_only({})", "Foreign({})",
         "({}).tolist()", "wf.expand_dims({}, 0)", "({})[0]", "wf.stack([{}, {}])", "wf.reshape({}, (-1,))", "[{}]", "tuple([{}, {}])",
         "dict(a={})", "np.asfortranarray(({}).numpy())", "({}).numpy().astype('>f8')", "({}).at", "({}).at[0]", "iter({})"]

ODD = ["None", "'text'", "''", "b'bytes'", "object()", "Odd()", "Liar()", "{}", "{1: 2}", "set()", "range(3)", "print", "type", "int", "wf",
       "wf.float32", "'float32'", "float('nan')", "float('inf')", "-0.0", "1e300", "1j", "True", "False", "...", "slice(1, 2)",
       "slice(None, None, 0)", "[]", "[[]]", "[1, [2]]", "[None]", "['a']", "(1, 'a')", "[1.5, 2]", "[[1, 2], [3]]", "np.zeros((2, 3))",
       "np.array(['a'])", "np.array(3)", "np.float64(2)", "np.int8(-1)", "np.zeros(2, '>f8')", "np.array([object()])", "np.zeros((0, 2))",
       "np.array([True])", "memoryview(b'abc')", "np.dtype('M8[s]')", "wf.random.Key(0)", "lambda: 0", "lambda x: x", "cyclic('list')",
       "cyclic('dict')", "cyclic('tuple')", "deep(100000)", "deep(100000, kind='dict')", "deep(900)", "deep(40)", "leaked_index()",
       "leaked_size(t('float32', 2, 3))", "Pair(1, t('float32', 2))", "wf.data.Dataset.range(3)", "iter(wf.data.Dataset.range(3))", "Net()",
       "Net", "optimizer()", "wf.Graph()", "wf.nn.Linear(3, 2)", "wf.function(lambda x: x)", "wf.Tensor", "wf.Variable",
       "wf.Session(wf.Graph())",
       "graph_with(t('float32', 1, 5, 1))[0].operations[0]", "t('float32', 2).shape", "path('missing')", "'\\udc80'", "'a\\x00b'",
       "iter([1, 2])", "(x for x in [t('float32', 2)])", "[t('float32', 2), graph_value(t('float32', 2))]", "[wf.Variable(1.0)]",
       "Exception('x')",
       "wf.add", "wf.random", "wf.tree.flatten([1, 2])[1]", "wf.GradientTape()", "wf.metrics.MSE()", "type(None)", "super", "10**400",
       "str(10**300)"]

# Source text of lists, dicts and other trees.
TREES = ["cyclic('list')", "cyclic('dict')", "cyclic('tuple')", "deep(100000)", "deep(100000, kind='dict')", "deep(40)", "deep(900)",
         "[]", "{}", "()",
         "[wf.Variable(t('float32', 3))]", "{'a': wf.Variable(t('float32', 3))}", "(t('float32', 2), wf.Variable(1.0) * 2)",
         "Pair(1, t('float32', 2))",
         "{1: 2, 'a': 3}", "[leaked(wf.grad, t('float32', 2))]", "[leaked(wf.vmap, t('float32', 2, 3))]",
         "[graph_value(t('float32', 2))]", "[None]",
         "{'a': [1, {'b': (2,)}]}", "range(3)", "iter([1])", "set()", "[t('float32', 0)]", "'ab'", "[[1, 2], [3]]"]

FUNCTIONS = ["lambda x: x * 2", "lambda x: wf.sum(x * x)", "lambda *a: a[0]", "lambda *a, **k: None", "lambda x: wf.tensor(1.0)", "wf.tanh",
             "lambda x: [x, x]", "lambda: t('float32', 2)", "lambda x, y: x + y", "lambda x: leaked(wf.grad, t('float32', 2))",
             "lambda x: 'a'",
             "lambda x: wf.Variable(t('float32', 3))", "lambda x: cyclic('list')", "lambda x: int(x)", "lambda x: x.numpy()",
             "lambda x: 1 // 0", "lambda x: wf.Graph().__class__", "lambda x: graph_value(t('float32', 2))", "lambda c, x: (c, x)"]

# Plausible texts by the name of a parameter.
BY_NAME = {
    r"axis|axes|dims?|axis\d|start_axis|end_axis|source|destination": ["0", "1", "-1", "(0, 1)", "None", "[0]", "2"],
    r"shape|sizes?|output_size|new_shape|input_shape": ["(2, 3)", "(3,)", "()", "(6,)", "3", "(-1,)", "(0, 2)", "[2, 2]"],
    r"dtype": ["wf.float32", "'float64'", "wf.int64", "wf.bool", "None", "wf.bfloat16", "'complex64'"],
    r"keepdims|descending|stable|bias|affine|batch_first|train(ing)?|drop_remainder|is_.*|has_.*|persistent|reverse": ["True", "False"],
    r"key": ["wf.random.Key(0)", "wf.random.Key(1).split(2)", "t('uint32', 2)"],
    r"f|fn|function|body|cond|then|otherwise|rule|schedule|generator|fun|func|closure|predicate|length": FUNCTIONS,
    r"path|paths|file|folder|filename|dump": ["path('x')", "path('x.npz')", "saved('s.safetensors')", "saved('s.npy')",
                                              "written('w', b'a,b\\n1,2\\n')"],
    r"name|axis_name|monitor|mode|reduction|split|kind|what|by|word": ["'x'", "'sum'", "'none'", "'i'", "None", "'mean'", "'loss'",
                                                                       "'max'"],
    r"optimizer": ["optimizer()", "'adam'", "wf.optim.Adam([wf.Variable(t('float32', 3))])"],
    r"parameters|variables|var_list|params": ["[wf.Variable(t('float32', 3))]", "Net().parameters()",
                                              "{'a': wf.Variable(t('float32', 3))}"],
    r"graph": ["graph_with(t('float32', 2))[0]", "wf.Graph()", "None"], r"session": ["wf.Session(wf.Graph())", "None"],
    r"dataset|datasets|other": ["wf.data.Dataset.range(3)", "t('float32', 3)"],
    r"module|model|layer|encoder_layer|decoder_layer|norm": ["Net()", "wf.nn.Linear(3, 2)", "None"],
    r"state|state_dict": ["{}", "Net().state_dict()", "optimizer().state_dict()", "{'sum': t('float64'), 'count': t('float64')}"],
    r"loss": ["t('float32')", "'mse'", "lambda a, b: wf.sum(a - b)", "wf.nn.MSELoss()"],
    r"tensors|arrays|operands|xs|ys|sources|items|values|args|weights": ["[t('float32', 3), t('float32', 3)]", "t('float32', 3)",
                                                                         "{'a': t('float32', 2)}"],
    r"fetches|feed_list|feed_dict": ["[]", "{}", "'Add:0'", "None"],
    r"tree": ["[1, {'a': t('float32', 2)}]", "t('float32', 3)", "(1, None)"],
    r"tape": ["wf.GradientTape()"],
    r"kernel_size|stride|padding|dilation|output_padding": ["1", "2", "(1, 1)", "'same'", "0", "3", "[2]"],
    r"in_.*|out_.*|num_.*|.*features|.*channels|.*_size|size|count|groups|heads|epochs|n|k|N|steps?|moves|patience|embed_dim|d_model|nhead|bins":
        ["1", "2", "3", "4", "8", "0"],
    r"p|lr|momentum|eps|decay|gamma|alpha|beta|rate|factor|threshold|scale|gain|std|mean|low|high|weight_decay|label_smoothing|delta|margin":
        ["0.1", "0.5", "1.0", "0.0", "0.9", "t('float32')"],
    r"ind(ex|ices)|target|label|labels|segment_ids|ids|lengths?": ["t('int64', 3) % 3", "t('int64', 2) % 2", "wf.tensor(1)", "0", "[0, 1]"],
}


def tensor(rng):
    """A plain tensor."""
    dtype, shape = rng.choice(DTYPES), rng.choice(SHAPES)
    if rng.random() < 0.15:  # of equal elements, which need no memory
        return f"wf.ones(({shape}{',' * bool(shape)}), dtype={dtype!r})"
    return f"t({dtype!r}{', ' * bool(shape)}{shape})"


def any_tensor(rng):
    """A tensor of any kind."""
    text = tensor(rng)
    return kind_of(rng, text) if rng.random() < 0.4 else text


def kind_of(rng, text):
    """Another kind of the same tensor, or one of another rank or dtype."""
    if rng.random() < 0.25:
        return f"wf.astype({text}, wf.{rng.choice(DTYPES)})"
    return rng.choice(KINDS).replace("{}", text)


def odd(rng):
    """Anything at all."""
    kind = rng.randrange(12)
    if kind < 3:
        return any_tensor(rng)
    if kind == 3:
        return rng.choice(HUGE)
    if kind == 4:
        return rng.choice(NUMBERS)
    if kind == 5:
        return rng.choice(FUNCTIONS)
    if kind == 6:
        pool = NUMBERS + HUGE + ["None", "'a'"]
        items = [rng.choice(pool) for _ in range(rng.randrange(0, 40 if rng.random() < 0.05 else 5))]
        return f"({', '.join(items)}{',' * bool(items)})"
    if kind == 7:
        return f"[{', '.join(rng.choice([tensor, odd])(rng) for _ in range(rng.randrange(0, 4)))}]"
    return rng.choice(ODD)


def tree(rng):
    """A tree, or what looks like one."""
    return rng.choice(TREES)


def plausible(rng, name, annotation, default):
    """What a parameter of this name, annotation and default may be given."""
    if "Tensor" in annotation:
        return f"[{tensor(rng)}, {tensor(rng)}]" if "Sequence" in annotation else tensor(rng)
    for pattern, texts in BY_NAME.items():
        if re.fullmatch(pattern, name):
            return rng.choice(texts)
    if isinstance(default, bool):
        return rng.choice(["True", "False"])
    if isinstance(default, (int, float)):
        return rng.choice([*NUMBERS, repr(default) if abs(default) < 1e300 else "1"])
    if default is inspect.Parameter.empty or default is None:
        return rng.choice([tensor(rng), tensor(rng), rng.choice(NUMBERS), rng.choice(FUNCTIONS)])
    return repr(default) if isinstance(default, (str, tuple)) else rng.choice(ODD)


TENSOR = re.compile(r"\(?(t\(|taped\(|leaked|graph_value\(|symbolic\(|wf\.(tensor|(ones|zeros|full)(_like)?|eye|arange|reshape|stack|expand_dims|astype|Variable|"
                    r"broadcast_to|sigmoid|softmax|log_softmax)\()")

NO_TENSOR = re.compile(r"\.(numpy\(\)|tolist\(\)|shape|at|at\[0\])$|^leaked_(index|size)")


def is_tensor(text):
    """Whether a text makes a tensor or a Variable, as far as its beginning tells."""
    return TENSOR.match(text) is not None and NO_TENSOR.search(text) is None
