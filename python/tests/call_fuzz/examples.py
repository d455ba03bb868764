"""Calls that succeed, as texts: those of the reference for ops, those of the table of layers, and those written here.

What stands between « and » is an argument: generated programs replace one or two of them.
"""

import ast
import functools
import os
import pathlib
import re
import sys

from . import targets, values

ROOT = pathlib.Path(__file__).resolve().parents[3]
X, M, I, W = "«t('float32', 3)»", "«t('float32', 2, 3)»", "«t('int64', 2)»", "«wf.Variable(t('float32', 3))»"
F = "«lambda x: wf.sum(x * x)»"

WRITTEN = {
    "Tensor.__getitem__": [f"{M}[«0»]", f"{M}[«slice(0, 1)», «1»]", f"{M}[«..., None»]", f"{M}[«t('int64', 2) % 2»]",
                           f"{M}[«t('bool', 2, 3)»]",
                           f"{M}[«t('int64', 2) % 2», «[0, 1]»]"],
    "Tensor.__setitem__": [f"{M}.__setitem__(«0», «1.0»)"],
    "Tensor.at": [f"{M}.at[«0»].set({X})", f"{M}.at[«0», «1»].set(«2.0»)", f"{M}.at[«t('int64', 2) % 2»].add({M})",
                  f"{M}.at[«..., 0»].multiply(«t('float32', 2)»)", f"{M}.at[«slice(None, None, 2)»].max(«0.0»)", f"{M}.at[«1»].get()",
                  f"{M}.at[«t('bool', 2, 3)»].set(«0.0»)", f"{M}.at[«t('int64', 3) % 2», «t('int64', 3) % 3»].min({X})",
                  f"{X}.at[«wf.tensor(1)»].set(«wf.tensor(2.0)»)", f"{X}.at[«wf.tensor(1)»].add(«wf.tensor(2.0)»)"],
    "operators": [f"{M} + {X}", f"{M} - «2»", f"«2.5» * {M}", f"{M} / {X}", f"{M} @ {X}", f"{M} ** «2»", f"{M} == «1»", f"{M} < {X}",
                  "«t('int64', 3)» // «2»", "«t('int64', 3)» % «t('int64', 3)»", "«t('int64', 3)» << «1»",
                  "«t('bool', 3)» & «t('bool', 3)»",
                  f"-{M}", "~«t('bool', 3)»", f"abs({M})", f"divmod({M}, «2»)", f"pow({M}, «2»)", f"{X} if «t('float32')» else «1»"],
    "conversions": ["float(«t('float32')»)", "int(«t('int64')»)", "bool(«t('bool')»)", "complex(«t('float32')»)", f"list({M})", f"len({M})",
                    f"repr({M})", f"format(«t('float32')», «'.2f'»)", f"hash({M})", f"np.asarray({M})", f"np.asarray({M}, dtype=«'int8'»)",
                    f"np.from_dlpack({M})", f"np.add({M}, {X})", f"np.concatenate([{M}, {M}])", f"__import__('copy').deepcopy({M})",
                    f"__import__('pickle').loads(__import__('pickle').dumps({M}))", "(«t('int64')» in «t('int64', 3)»)",
                    f"range(«t('int64')»)",
                    f"[1, 2, 3][«t('int64')»]", f"sorted({X})", f"sum({M})", f"max({X})", f"all({X})", f"tuple({M})", f"dict(a={M})"],
    "type": ["type(«wf.ones(2)»)(«2»)", "type(«wf.Variable(1.0)»)(«2»)", "type(«wf.random.Key(0)»)(«3»)", "type(«wf.float32»)(«1»)",
             "type(«wf.ones(2).at[0]»)(«1»)", "type(«graph_with(t('float32', 2))[0].operations[0]»)(«1», «2»)",
             "type(«leaked_index()»)(«3»)", f"wf.fori_loop(«0», «3», «lambda i, x: x + type(i)(2)», {X})",
             "wf.tree.TracedNumber(«wf.tensor(2)»)", "type(«leaked_size(t('float32', 2))»)(«3»)",
             "type(«wf.data.Dataset.range(3)»)(«3»)", "type(«iter(wf.data.Dataset.range(3))»)(«3»)",
             "type(«wf.function(lambda x: x)»)(«print»)",
             "type(«wf.ones(2).shape»)(«3»)", "type(«wf.function(lambda x: x).get_concrete_function(wf.ones(2))»)(«1», «2», «3»)"],
    "Variable": [f"wf.Variable({M})", f"wf.Variable({M}, name=«'v'», trainable=«True»)", f"wf.Variable({M}).assign({M})",
                 f"wf.Variable({M}).assign_add(«1.0»)", f"wf.Variable({M}).assign_sub({M})", f"{W}.value()", f"{W}.numpy()"],
    "grad": [f"wf.grad({F})({X})", f"wf.grad({F}, argnums=«0»)({X})",
             "wf.grad(«lambda x, y: wf.sum(x * y)», argnums=«(0, 1)»)(" + f"{X}, {X})"],
    "value_and_grad": [f"wf.value_and_grad({F})({X})"],
    "jvp": [f"wf.jvp({F}, «(t('float32', 3),)», «(t('float32', 3),)»)"], "vjp": [f"wf.vjp({F}, {X})[1](«wf.tensor(1.0)»)"],
    "hvp": [f"wf.hvp({F}, «(t('float32', 3),)», «(t('float32', 3),)»)"], "linearize": [f"wf.linearize({F}, {X})[1]({X})"],
    "jacrev": [f"wf.jacrev(«lambda x: x * x»)({X})"], "jacfwd": [f"wf.jacfwd(«lambda x: x * x»)({X})"],
    "hessian": [f"wf.hessian({F})({X})"],
    "vmap": [f"wf.vmap(«lambda x: x * 2»)({M})", f"wf.vmap(«lambda x, y: x + y», in_axes=«(0, None)»)({M}, {X})",
             f"wf.vmap(«lambda x: x», in_axes=«0», out_axes=«-1»)({M})",
             "wf.vmap(«lambda x: wf.psum(x, 'i')», axis_name=«'i'»)(" + M + ")"],
    "function": [f"wf.function(«lambda x: x * 2»)({M})", f"wf.function(«lambda x, y=1: x»)({M}, y=«2»)",
                 "wf.function(«lambda a: 1»)(«[1, 2]»)",
                 f"wf.function(«lambda x: x», static_argnums=«0»)(«3»)", f"wf.function(«lambda x: x», input_signature=«['f32[n]']»)({X})",
                 f"wf.function(«lambda x: x + 1»).get_concrete_function({M})({M})",
                 "wf.function(«lambda *a, **k: (a, k)»)(«1», b=«{'c': 2}»)",
                 f"wf.function(«lambda x: x + 1»).get_concrete_function({M}).plan({M})", "wf.function(«lambda: (1, 'a', None)»)()"],
    "cond": [f"wf.cond(«True», «lambda x: x + 1», «lambda x: x - 1», {X})",
             f"wf.cond(«t('bool')», «lambda x: x + 1», «lambda x: x - 1», {X})"],
    "switch_case": [f"wf.switch_case(«1», «[lambda x: x, lambda x: -x]», {X})"],
    "while_loop": ["wf.while_loop(«lambda i, x: i < 3», «lambda i, x: (i + 1, x * 2)», «(0, t('float32', 3))»)"],
    "fori_loop": [f"wf.fori_loop(«0», «3», «lambda i, x: x + i», {X})"],
    "scan": [f"wf.scan(«lambda c, x: (c + x, c * x)», {X}, {M})", f"wf.scan(«lambda c, x: (c, c)», {X}, length=«3», reverse=«True»)"],
    "map": [f"wf.map(«lambda x: x * 2», {M})"], "associative_scan": [f"wf.associative_scan(«lambda a, b: a + b», {M})"],
    "GradientTape": [f"wf.GradientTape(persistent=«True»).__class__(«False»)"],
    "taped": [f"taped({X})"],
    "feeds": [f"feed_run(«{k}», «t('float32', {shape})», «t('float32', {shape})»)" for k in range(12) for shape in ("2, 3", "1, 5, 1",
        "3", "4, 3")]
    + [f"feed_run(«{k}», «t('float32', 1, 5, 1)», «t('float32', 1, 5, 1)», own=«False»)" for k in range(12)],
    "Session.run": ["wf.Session(graph_with(t('float32', 2))[0]).run(«'Add:0'», {«'Placeholder:0'»: «t('float32', 2)»})",
                    "wf.Session(«wf.Graph()»).run(«[]»)",
                    "wf.Session(graph_with(t('float32', 2))[0]).make_callable(«'Add:0'», «['Placeholder:0']»)(«t('float32', 2)»)"],
    "Graph.parse": ["wf.Graph.parse(str(«graph_with(t('float32', 2))[0]»))"],
    "gradients": ["wf.gradients(*«graph_with(t('float32', 2))[2:0:-1]»)"],
    "data.Dataset": [
        f"use(wf.data.Dataset.from_tensor_slices({M}).batch(«2»))", f"use(wf.data.Dataset.from_tensors({M}).repeat(«2»))",
        f"use(wf.data.Dataset.from_tensor_slices({M}).map(«lambda x: x * 2», num_parallel_calls=«2»))",
        f"use(wf.data.Dataset.from_generator(«lambda: iter([t('float32', 2), t('float32', 2)])»).batch(«2»))",
        f"use(wf.data.Dataset.from_generator(lambda: iter([«t('float32', 2)», «t('float32', 2)»])).batch(«2»))",
        "use(wf.data.Dataset.range(«5»).shuffle(«3», seed=«0»))", "use(wf.data.Dataset.range(«5»).window(«2», shift=«1»))",
        "use(wf.data.Dataset.range(«5»).filter(«lambda x: x > 1»).prefetch(«1»))",
        "use(wf.data.Dataset.range(«5»).map(lambda i: «[1, 2]»))",
        "use(wf.data.Dataset.range(4).padded_batch(«2», padded_shapes=«()»))",
        "use(wf.data.Dataset.range(4).flat_map(«lambda i: wf.data.Dataset.range(2)»))",
        "use(wf.data.Dataset.zip(«wf.data.Dataset.range(3)», «wf.data.Dataset.range(3)»))",
        "use(wf.data.Dataset.range(9).batch(3).unbatch().skip(«1»))",
        "use(wf.data.Dataset.range(4).interleave(«lambda i: wf.data.Dataset.range(2)», cycle_length=«2», num_parallel_calls=«1»))",
        "use(wf.data.Dataset.range(4).cache().concatenate(«wf.data.Dataset.range(3)»).take(«9»))",
        "use(wf.data.Dataset.from_tensors(«{'a': (1, 2)}»))",
        "use(wf.data.Dataset.range(6).bucket_by_length(«lambda i: i», «[2, 4]», «[1, 2, 3]»))",
        "use(wf.data.Dataset.range(6).shard(«2», «1»))",
        "wf.data.Dataset.from_tensor_slices(«{'a': t('float32', 2)}»).element_spec", "iter(wf.data.Dataset.range(3)).state_dict"],
    "optim": [f"use(wf.optim.{kind}([{W}], lr=«0.1»))" for kind in ("SGD", "Adam", "AdamW", "RMSprop", "Lion", "LAMB", "Adafactor",
                                                                    "Adagrad")]
    + [f"(o := optimizer()).apply_gradients([({X}, «o.parameters[0]»)])", "(o := optimizer()).minimize(«lambda: wf.sum(o.parameters[0])»)",
       f"wf.optim.clip_by_global_norm([{X}], «1.0»)", f"wf.optim.clip_grad_norm([{W}], «1.0»)",
       f"use(wf.optim.SGD([{{'params': [{W}], 'lr': «0.1»}}]))",
       f"wf.optim.SGD([{W}]).load_state_dict(wf.optim.SGD([{W}]).state_dict())",
       f"(v := {W}, wf.optim.LBFGS([v]).step(«lambda: wf.sum(v * v)»))"],
    "metrics": [f"(m := wf.metrics.{kind}({'2' * (kind == 'TopKAccuracy')}), m.update(«t('float32', 4, 2)», «t('int64', 4) % 2»), m.result())"
                for kind in ("Accuracy", "Precision", "Recall", "F1", "AUC", "Perplexity", "TopKAccuracy")]
    + [f"wf.metrics.{kind}().update({M}, {M})" for kind in ("MSE", "MAE", "R2", "Mean")],
    "fit_once": [f"trained_net().fit(«t('float32', 4, 3)», «t('float32', 4, 2)», epochs=«1», batch_size=«2», verbose=0)",
                 f"trained_net().fit(«t('float32', 4, 3)», «t('float32', 4, 2)», verbose=0, sample_weight=«wf.ones(4)»)",
                 f"trained_net().evaluate(«t('float32', 4, 3)», «t('float32', 4, 2)»)", "trained_net().predict(«t('float32', 4, 3)»)",
                 "trained_net().train_on_batch(«t('float32', 4, 3)», «t('float32', 4, 2)»)",
                 "trained_net().fit(«wf.data.Dataset.from_tensor_slices((t('float32', 4, 3), t('float32', 4, 2))).batch(2)», verbose=0)"],
    "nn.Module": [f"Net()({M})", f"Net().load_state_dict(«Net().state_dict()»)", "Net().to(«wf.float64»)", f"Net().summary({M})",
                  f"wf.nn.Sequential([«wf.nn.Linear(3, 2)», «wf.nn.ReLU()»])({M})", "Net().compile(«'adam'», «'mse'», metrics=«['mae']»)",
                  "setattr(Net(), «'inner'», «wf.nn.Linear(3, 1)»)", f"wf.nn.functional_call(Net(), «Net().state_dict()», {M})"],
    "save": [f"wf.save(path(«'a.safetensors'»), «{{'w': t('float32', 3)}}»)", f"wf.save(path(«'a.npy'»), {M})",
             f"wf.save(path(«'a.npz'»), «{{'w': t('float32', 3)}}», compressed=«True»)", "wf.load(saved(«'b.safetensors'»), names=«['w']»)",
             "wf.load(saved(«'b.npz'»))", "wf.load(saved(«'b.npy'»))", "wf.load(written('c.npy', «open(saved('b.npy'), 'rb').read()»))",
             "wf.load_metadata(saved(«'b.safetensors'»))",
             f"wf.CheckpointManager(path(«'ckpt'»), w={W}).save(«1»)",
             f"wf.CheckpointManager(path('ckpt2'), w={W}, x=«{{'a': [1]}}»).save(«1»)",
             f"(g := wf.Graph(), wf.Saver({{'w': {W}}}, graph=g).save(«wf.Session(g)», path(«'saver'»)))"],
    "data.files": ["use(wf.data.csv(written('c.csv', «b'a,b\\n1,2\\n3,4\\n'»)))", "use(wf.data.text_lines(written('l.txt', «b'a\\nb'»)))",
                   "use(wf.data.npy(saved(«'d.npy'»)))", "wf.data.encode_png(«t('uint8', 4, 4, 3)»)",
                   "wf.data.decode_image(wf.data.encode_png(«t('uint8', 4, 4, 3)»))",
                   "wf.data.read_idx(written('i.idx', «b'\\0\\0\\x08\\1\\0\\0\\0\\2ab'»))",
                   "use(wf.data.idx(written('i.idx', «b'\\0\\0\\x08\\1\\0\\0\\0\\2ab'»)))",
                   "use(wf.data.npz(saved(«'d.npz'»), names=«['w']»))", "wf.data.write_png(path('p.png'), «t('uint8', 4, 4, 1)»)"],
    "custom": ["wf.custom_gradient(«lambda x: (x * 2, lambda g: g * 2)»)(" + X + ")", f"wf.checkpoint(«lambda x: wf.tanh(x)»)({X})",
               f"(f := wf.custom_jvp(«lambda x: x * 2»), f.defjvp(«lambda primals, tangents: (primals[0] * 2, tangents[0] * 2)»), f({X}))"],
    "tree": ["wf.tree.map(«lambda x: x», «[1, (2, {'a': 3})]»)", "wf.tree.flatten(«[1, (2, {'a': 3})]»)",
             "wf.tree.unflatten(wf.tree.flatten(«[1, 2]»)[1], «[1, 2]»)"],
    "random.Key": ["wf.random.Key(«0»)", "wf.random.Key(0).split(«2»)", "wf.random.Key(0).fold_in(«1»)", "wf.random.Key(0).split(3)[«1»]"],
    "tensor": ["wf.tensor(«[1, 2]», dtype=«'float32'»)", "wf.asarray(«[1.5]», dtype=«wf.float32», copy=«True»)",
               "wf.from_dlpack(«t('float32', 2)»)",
               "wf.from_dlpack(«Foreign(np.ones(3))»)"],
    "einsum": [f"wf.einsum(«'ij,jk->ik'», {M}, «t('float32', 3, 2)»)", f"wf.einsum(«'...i,i->...'», {M}, {X})"],
    "getattr": ["getattr(wf, «'kerass'»)", "getattr(wf.nn, «'conv9d'»)", f"getattr({M}, «'vew'»)", "getattr(Net(), «'cuda'»)",
                "getattr(wf.optim, «'adm'»)"],
    "nn.conv": ["wf.nn.conv(«t('float32', 1, 1, 1)», «t('float32', 1, 1, 1)»)"],
    "placeholder": ["graph_with(t('float32', 2))[0].placeholder(«wf.float32», «(None, 2)», name=«'p'»)"],
}


class Slots:
    """A text with arguments: `template` has {0}, {1}, ... where the texts of `arguments` belong."""

    def __init__(self, text):
        self.arguments = re.findall("«(.*?)»", text)
        counter = iter(range(len(self.arguments)))
        escaped = re.sub("«.*?»", "\x00", text).replace("{", "{{").replace("}", "}}")
        self.template = re.sub("\x00", lambda _: f"{{{next(counter)}}}", escaped)


class _Inline(ast.NodeTransformer):
    """Replaces names by the expressions that they were given."""

    def __init__(self, known):
        self.known = known

    def visit_Name(self, node):
        return self.known.get(node.id, node)


def _of_reference(lines):
    """The call of an example of the reference, with its arguments marked; None where the last line is no call."""
    known = {}
    for line in lines[:-1]:
        statement = ast.parse(line).body[0]
        places, values = statement.targets[0], statement.value
        pairs = [(places, values)]
        if isinstance(places, ast.Tuple):
            parts = values.elts if isinstance(values, ast.Tuple) else [ast.Subscript(values,
                ast.Constant(i)) for i in range(len(places.elts))]
            pairs = zip(places.elts, parts)
        for place, value in [(place.id, _Inline(known).visit(value)) for place, value in pairs]:
            known[place] = value
    call = _Inline(known).visit(ast.parse(lines[-1], mode="eval").body)
    if isinstance(call, ast.Attribute):
        call = call.value
    if not isinstance(call, ast.Call):
        return None
    given = [f"«{ast.unparse(a)}»" for a in call.args] + [f"{k.arg}=«{ast.unparse(k.value)}»" for k in call.keywords]
    return f"{ast.unparse(call.func)}({', '.join(given)})"


@functools.cache
def of_ops():
    """{name of an op: its example, with arguments marked}."""
    from weft import _core

    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import reference_examples
    finally:
        sys.path.pop(0)
    out = {}
    for target in targets.walk().values():
        if target.op and not target.receivers:
            text = _of_reference(reference_examples.lines_for(target.op, _core.describe(target.op)))
            if text:
                out[target.name] = text
    return out


def of_methods():
    """The examples of ops that are methods, too: of tensors and of Variables."""
    out = {}
    for name, text in of_ops().items():
        parts = re.fullmatch(r"wf\.[\w.]+\((«.*?»)(?:, )?(.*)\)", text)
        short = name.rpartition(".")[2]
        if parts and values.is_tensor(parts[1][1:]) and f"Tensor.{short}" in targets.walk():
            out[f"Tensor.{short}"] = f"{parts[1]}.{short}({parts[2]})"
            if not short.startswith("unique_"):  # the value of a Variable is recorded, and how many elements are distinct needs a concrete one
                out[f"Variable.{short}"] = f"«wf.Variable({parts[1][1:-1]})».{short}({parts[2]})"
    return out


@functools.cache
def of_layers():
    """Texts that make each layer of the table and call it with what it takes."""
    import layer_table

    return {f"nn.{name}": f"__import__('layer_table').ROWS[{name!r}].make()({', '.join(f'«{_tensor_text(x)}»' for x in row.inputs())})"
            for name, row in layer_table.ROWS.items()}


def _tensor_text(x):
    if isinstance(x, tuple):
        return f"({', '.join(map(_tensor_text, x))},)"
    return f"t({', '.join(map(repr, [x.dtype.name, *map(int, x.shape)]))}){' % 3' if x.dtype.name == 'int64' else ''}"


@functools.cache
def everything():
    """[(name, Slots)] of all examples."""
    planted = os.environ.get("WEFT_FUZZ_PLANTED")  # the tests of the fuzzer itself
    if planted:
        return [("planted", Slots(planted))]
    written = [(name, text) for name, texts in WRITTEN.items() for text in texts]
    return [(name, Slots(text)) for name, text in [*of_ops().items(), *of_methods().items(), *of_layers().items(), *written]]


# Examples whose first line of arguments raises on purpose: they are there to be changed.
REFUSED = ("type", "Tensor.__setitem__", "getattr")


def main():
    """Runs every example; 1 if one fails."""
    import warnings

    from . import judge, programs

    warnings.simplefilter("ignore")
    failed = []
    for name, slots in everything():
        if name in REFUSED:
            continue
        outcome, what = judge.execute(programs.Program(name, slots.template, tuple(slots.arguments), ("",) * len(slots.arguments)).text)
        if outcome != "value":
            failed.append(f"{slots.template.format(*slots.arguments)}: {outcome} {what!r:.300}")
    print("\n".join([*failed, f"{len(everything())} examples, {len(failed)} failed"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
