"""What an entry's results and errors differ in, as sentences; none where Weft agrees."""

import re
import traceback

import draws
import numpy
import weft as wf
from compare import (JAX, JAX_CALLS, JAX_DTYPES, TOLERANCE, TORCH, WEFT, Run, dtype_name, found,
    in_jax, in_torch, in_weft, runs_of)


def distance(ours, theirs):
    """The greatest distance of two arrays relative to element or root mean square."""
    ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
    if ours.shape != theirs.shape:
        return numpy.inf
    if ours.dtype.kind not in "fc" or theirs.dtype.kind not in "fc":
        return 0.0 if numpy.array_equal(ours, theirs) else numpy.inf
    same = (ours == theirs) | (numpy.isnan(ours) & numpy.isnan(theirs))
    if same.all():
        return 0.0
    wide = "complex128" if ours.dtype.kind == "c" else "float64"
    a, b = ours.astype(wide), theirs.astype(wide)
    if not (numpy.isfinite(a[~same]) & numpy.isfinite(b[~same])).all():
        return numpy.inf
    finite = numpy.abs(b[numpy.isfinite(b)])
    size = numpy.maximum(numpy.abs(b[~same]), numpy.sqrt(numpy.mean(finite**2)))
    with numpy.errstate(divide="ignore"):
        return float(numpy.max(numpy.abs(a[~same] - b[~same]) / size))


def described(x):
    return numpy.array2string(numpy.asarray(x), threshold=12, edgeitems=2,
        precision=9).replace("\n", " ")


def differing(run, what, ours, theirs, peer, read):
    """Sentences about one list of results."""
    if len(ours) != len(theirs):
        return [f"{run}: {len(ours)} {what}s, but {len(theirs)} in {peer}"]
    looser = run.entry.looser * (run.entry.torch_looser if peer == "PyTorch"
        else run.entry.jax_looser)
    out = []
    for i, (a, b) in enumerate(zip(ours, theirs)):
        allowed = TOLERANCE.get(dtype_name(a), 0.0) * looser
        if run.entry.same_dtype and dtype_name(a) != dtype_name(b):
            out.append(f"{run}: {what} {i} is {dtype_name(a)}, but {dtype_name(b)} in {peer}")
        x, y = WEFT.numpy(a), read(b)
        far = distance(x, y)
        if not far <= allowed:
            out.append(f"{run}: {what} {i} is {far:.2g} from {peer}'s (allowed {allowed:.2g}); "
                       f"inputs {[described(each) for each in run.arrays]} "
                       f"options {run.call.options}\n    ours {x.shape} {described(x)}\n"
                       f"    {peer} {y.shape} {described(y)}")
    return out


def first_of_each(for_jax):
    """The first calls in each dtype, and all that only JAX can do."""
    seen, out = {}, []
    for each in for_jax:
        run = each[0]
        seen[run.dtype] = seen.get(run.dtype, 0) + 1
        if seen[run.dtype] <= JAX_CALLS[run.dtype] or run.call.only == "jax":
            out.append(each)
    return out


def check_runs(entry, every_call):
    """(how many comparisons were made, sentences)."""
    out, for_jax, made = [], [], 0
    for run in runs_of(entry):
        outputs, gradients, cotangents = in_weft(run)
        if entry.torch is not None and run.call.only != "jax":
            theirs, their_gradients = in_torch(run, cotangents)
            out += differing(run, "result", outputs, theirs, "PyTorch", TORCH.numpy)
            out += differing(run, "gradient", gradients, their_gradients if cotangents else [],
                "PyTorch", TORCH.numpy)
            made += 1
        if entry.jax is not None and run.call.only != "torch" and run.dtype in JAX_DTYPES:
            for_jax.append((run, outputs, gradients, cotangents))
    for_jax = for_jax if every_call else first_of_each(for_jax)
    if for_jax:
        results = in_jax(entry, [each[0] for each in for_jax], [each[3] for each in for_jax])
        for (run, outputs, gradients, _), (theirs, their_gradients) in zip(for_jax, results):
            out += differing(run, "result", outputs, theirs, "JAX", JAX.numpy)
            out += differing(run, "gradient", gradients, their_gradients, "JAX", JAX.numpy)
        made += len(for_jax)
    return made, out


def without_known(entry, sentences):
    """The sentences but those about calls that are known to differ; these must still do so."""
    for number, call in enumerate(entry.calls):
        if call.differs:
            about = [s for s in sentences if s.startswith(f"{entry.name}, call {number} in ")]
            sentences = [s for s in sentences if s not in about]
            if not about:
                sentences.append(f"{entry.name}: call {number} agrees now; it is no more so that "
                                 f"{call.differs}")
    return sentences


def names_law(error):
    """Whether it ends with [op.law]; an error of Python's own has none."""
    return not isinstance(error, wf.Error) or re.search(r" \[\w+(\.\w+)+\]$", str(error))


def check_wrong(entry):
    """Sentences about wrong calls that somebody takes; our error names the op and a law."""
    out = []
    for number, call in enumerate(entry.wrong):
        run = Run(entry, call, number, "float64")
        try:
            WEFT.call(found(entry.name), call, run.tensors(WEFT))
            out.append(f"{entry.name}: wrong call {number} is taken: {call}")
        except (wf.Error, TypeError) as error:  # a TypeError where it is a function of Python's
            text = "\n".join([str(error), *getattr(error, "__notes__", [])])
            if entry.name.rpartition(".")[2] not in text or not names_law(error):
                out.append(f"{entry.name}: wrong call {number} does not name it, or no law: {text}")
        for peer, library, function in (("PyTorch", TORCH, entry.torch), ("JAX", JAX, entry.jax)):
            if function is None or call.only not in ("", "torch" if library is TORCH else "jax"):
                continue
            try:
                library.call(function, call, run.tensors(library))
                out.append(f"{entry.name}: wrong call {number} is taken by {peer}: {call}")
            except Exception:  # noqa: BLE001, S110: any refusal will do
                pass
    return out


def check(entry, every_call=True):
    """(comparisons, sentences) of an entry; what raises is a sentence, too."""
    try:
        if isinstance(entry, draws.Draws):
            return draws.check(entry)
        made, out = check_runs(entry, every_call)
        out = without_known(entry, out)
        return made + len(entry.wrong), out + check_wrong(entry)
    except Exception as error:  # noqa: BLE001: the other entries are still to be seen
        return 0, [f"{entry.name}: {type(error).__name__}: {str(error)[:600]}\n"
                   + "".join(traceback.format_tb(error.__traceback__)[-2:])]
