"""Observers, hooks, kept gradients, pictures of the tape, fingerprints; and the examples in docstrings."""

import doctest
import gc
import hashlib
import struct
import threading
import xml.dom.minidom

import pytest

import weft as wf
from weft import _batching, _custom, _observe, _tape, _transforms, optim


@pytest.mark.parametrize("module", [_batching, _custom, _observe, _tape, _transforms, optim._averages, optim._base,
                                    optim._builtin, optim._clip, optim.schedules])
def test_examples_in_docstrings(module):
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    tests = [t for t in finder.find(module, globs={"wf": wf, "x": wf.ones(2)}) if t.examples]
    assert tests
    for test in tests:
        runner.run(test)
    assert runner.summarize().failed == 0


def test_observers_see_ops_with_the_users_line():
    w = wf.Variable(wf.ones((3, 2)))
    seen = []
    with wf.observe(seen.append):
        loss = wf.mean(wf.tanh(wf.ones((4, 3)) @ w))
        loss.backward()
    names = [s.op for s in seen]
    assert names.index("matmul") < names.index("tanh") and "tanh.vjp1" in names
    matmul = seen[names.index("matmul")]
    assert [t.shape for t in matmul.inputs] == [(4, 3), (3, 2)] and matmul.outputs[0].shape == (4, 2)
    assert matmul.bytes == 4 * (12 + 6 + 8) and matmul.seconds > 0
    assert {s.line.rsplit("/")[-1].split(":")[0] for s in seen if s.line} == {"test_observe.py"}
    count = len(seen)
    wf.ones(2) + 1
    assert len(seen) == count


def test_observations_tell_views_from_results():
    for dtype in (wf.float32, wf.bfloat16, wf.bool):
        x, made = (wf.arange(12).reshape((4, 3)) + 1).astype(dtype), {}
        with wf.observe(lambda seen: made.setdefault(seen.op, [t.shape for t in seen.made()])):
            x.mT.reshape((12,))  # copies, since it is no view of the transposed one
            x.reshape((12,))[2:]
            x.astype(wf.float64)
        assert made["permute_dims"] == [] and made["reshape"] == [(12,)] and made["slice"] == []
        assert made["cast"] == [(4, 3)]


def test_an_observer_stays_until_it_is_removed():
    names = []
    handle = wf.observe(lambda s: names.append(s.op) or wf.exp(s.outputs[0]))  # its own ops are not seen
    wf.tanh(wf.ones(1))
    wf.observe(lambda s: None).remove()
    gc.collect()
    wf.sin(wf.ones(1))
    thread = threading.Thread(target=lambda: wf.cos(wf.ones(1)))
    thread.start()
    thread.join()
    handle.remove()
    handle.remove()
    wf.log(wf.ones(1))
    assert [n for n in names if n != "broadcast_to" and n != "ones"] == ["tanh", "sin"]


def test_an_error_in_an_observer_stops_at_the_op():
    def stop(seen):
        if wf.isnan(seen.outputs[0]).any():
            raise FloatingPointError(seen.op)

    with pytest.raises(FloatingPointError, match="log"), wf.observe(stop):
        wf.exp(wf.log(wf.tensor([-1.0])))
    big = wf.ones(1 << 20) * -1.0  # large enough for the GIL to be released
    with pytest.raises(FloatingPointError, match="log"), wf.observe(stop):
        wf.log(big)
    with pytest.raises(wf.WrongTypeError, match="observe.argument"):
        wf.observe(3)


def test_hooks():
    w = wf.Variable([1.0, 2.0])
    h = w * w
    h.retain_grad()
    assert h.grad is None
    seen = []
    h.register_hook(seen.append)
    handle = h.register_hook(lambda g: wf.clip(g, -1.0, 1.0))
    loss = (10 * h).sum()
    loss.backward(retain_graph=True)
    assert seen[0].tolist() == [10, 10] and h.grad.tolist() == [1, 1] and w.grad.tolist() == [2, 4]
    handle.remove()
    loss.backward()
    assert h.grad.tolist() == [11, 11] and len(seen) == 2


def test_hooks_of_variables_stay():
    w = wf.Variable(1.0)
    w.retain_grad()  # Variables do so by themselves
    handle = w.register_hook(lambda g: g * 100)
    w.assign(2.0)
    (w * w).backward()
    assert w.grad.item() == 400
    handle.remove()
    (w * w).backward()
    assert w.grad.item() == 404


def test_hooks_say_what_is_wrong():
    w = wf.Variable([1.0, 2.0])
    h = w * 2
    h.register_hook(lambda g: g.sum())
    with pytest.raises(wf.WrongTypeError, match="one dtype and shape"):
        h.sum().backward()
    h = w * 2
    h.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        h.sum().backward()
    with pytest.raises(wf.InvalidError, match="no trainable Variable"):
        wf.ones(2).register_hook(print)
    with pytest.raises(wf.InvalidError, match="ends at equal"):
        (w == w).retain_grad()
    with pytest.raises(AttributeError, match="retain_grad"):
        h.grad


def test_draw(tmp_path):
    w = wf.Variable(wf.ones((3, 2)), name="weight")
    b = wf.Variable(wf.zeros(2))
    h = wf.tanh(wf.ones((4, 3)) @ w + b)
    loss = (h * h).sum(axis=0).sum()
    picture = wf.draw(loss, tmp_path / "tape.svg", engine="weft")
    written = (tmp_path / "tape.svg").read_text()
    assert written == picture.svg == picture._repr_svg_()
    texts = [t.firstChild.data for t in xml.dom.minidom.parseString(written).getElementsByTagName("text")]
    for part in ("weight", "weight.grad", "float32[4, 2]", "tanh backward", "axis=[0]"):
        assert part in texts, part
    assert any(t.startswith("test_observe.py:") for t in texts)
    picture.save(tmp_path / "tape.dot")
    assert (tmp_path / "tape.dot").read_text().startswith("digraph")


def test_draw_knows_custom_functions_and_its_limits():
    @wf.custom_gradient
    def doubled(x):
        return x * 2, lambda g: g * 2

    w = wf.Variable(1.0)
    loss = doubled(w) * w
    assert "doubled" in wf.draw(loss, engine="weft").dot
    with pytest.raises(wf.Error, match="more than 2 records"):
        wf.draw(loss, most=2)
    with pytest.raises(wf.InvalidError, match="draw.engine"):
        wf.draw(loss, engine="pen")
    loss.backward()
    with pytest.raises(wf.InvalidError, match="freed by a backward"):
        wf.draw(loss)
    with pytest.raises(wf.InvalidError, match="nothing was recorded"):
        wf.draw(wf.ones(1))


def test_fingerprint_is_sha256_of_types_and_bytes():
    expected = hashlib.sha256(b"float32[2]\n" + struct.pack("<2f", 1, 2) + b"int64[]\n" + struct.pack("<q", 7))
    assert wf.fingerprint([wf.tensor([1.0, 2.0]), (7,)]) == expected.hexdigest()[:32]
    v = wf.Variable([1.0, 2.0])
    assert wf.fingerprint(v) == wf.fingerprint(wf.tensor([1.0, 2.0])) != wf.fingerprint(wf.tensor([[1.0, 2.0]]))
    m = wf.random.normal(wf.random.Key(0), (3, 4))
    assert wf.fingerprint(m.T) == wf.fingerprint(wf.tensor(m.T.numpy().copy()))


def test_a_drawing_is_svg_or_dot(tmp_path):
    y = wf.Variable(1.0) * 2
    with pytest.raises(wf.InvalidError, match=r"draw: the file's name ends in '.png', but a drawing is written as .svg"):
        wf.draw(y, tmp_path / "t.png")
    assert not (tmp_path / "t.png").exists()
    wf.draw(y, tmp_path / "t.SVG")
    wf.draw(y, str(tmp_path / "t.gv"))
    assert (tmp_path / "t.SVG").read_text().lstrip().startswith("<") and "digraph" in (tmp_path / "t.gv").read_text()
