"""Profiles: what they count, their tables, traces and pictures, and the time that data was waited for."""

import doctest
import json
import os
import signal
import threading
import time
import xml.dom.minidom

import numpy as np
import pytest

import weft as wf
from test_train_pictures import read_png
from weft import nn
from weft.train import profiling
from weft.train.profiling import Event, Report, profile


def a_report():
    """Three steps of two ops each, a second apart, as they would be noted."""
    report = Report()
    report._first_live = 0
    for k in range(3):
        report.events.append(Event("matmul", "a.py:3", k + 0.0, 0.25, 0.25, 2 ** 20, 3 * 2 ** 20))
        report.events.append(Event("tanh", "a.py:4", k + 0.5, 0.125, 0.125, 2 ** 10, 2 ** 20))
        report.marks.append(k + 1.0)
        report.waits.append((k + 0.75, 0.15))
    report.seconds = 3.0
    return report


def test_it_counts_what_is_computed_inside():
    x = wf.rand(32, 32)
    with profile() as report:
        for _ in range(4):
            y = wf.tanh(x @ x)
            y.mT
    wf.exp(x)
    totals = report.by("op")
    assert {name: total.calls for name, total in totals.items()} == {"matmul": 4, "tanh": 4, "permute_dims": 4}
    assert totals["matmul"].results == 4 * 32 * 32 * 4 and totals["permute_dims"].results == 0  # a view
    assert totals["tanh"].seconds > 0 and list(totals) == sorted(totals, key=lambda name: -totals[name].seconds)
    assert sum(event.seconds for event in report.events) <= report.seconds
    assert all(a.start <= b.start for a, b in zip(report.events, report.events[1:]))
    assert {os.path.basename(line).partition(":")[0] for line in report.by("line")} == {"test_profile.py"}
    assert report.peak >= 2 * 32 * 32 * 4 and report.waiting is None and report.steps == 0


def test_traced_functions_are_seen_op_by_op_and_no_time_twice():
    f = wf.function(lambda x: wf.tanh(x @ x) + 1.0)
    x = wf.rand(300, 300)
    wanted = f(x)
    with profile() as report:
        out = f(x)
    assert wf.fingerprint(out) == wf.fingerprint(wanted)
    totals = report.by("op")
    assert {"matmul", "tanh", "add"} <= set(totals)
    call = next(event for event in report.events if event.op == "call")
    inner = [event for event in report.events if event.op in ("matmul", "tanh", "add")]
    assert call.duration >= sum(event.seconds for event in inner) > 0
    assert call.seconds <= call.duration - sum(event.seconds for event in inner) + 1e-9


def test_nested_ops_have_the_time_of_their_own():
    class Seen:
        line, inputs, outputs = None, (), ()

        def __init__(self, op, seconds):
            self.op, self.seconds = op, seconds

        def made(self):
            return []

    report = Report()
    report._see(Seen("before", 1e-6))
    begun = time.perf_counter()
    time.sleep(0.01)
    report._see(Seen("inner", 0.009))
    time.sleep(0.005)
    report._see(Seen("outer", time.perf_counter() - begun))
    before, inner, outer = report.events
    assert before.seconds == 1e-6 and inner.seconds == 0.009
    assert outer.duration > 0.014 and outer.seconds == pytest.approx(outer.duration - 0.009, abs=1e-9)


def test_other_threads_are_not_seen():
    with profile() as report:
        thread = threading.Thread(target=lambda: wf.tanh(wf.ones(3)))
        thread.start()
        thread.join()
        assert profiling.current() is report
    assert not report.events and profiling.current() is None


def test_waiting_for_data_is_told():
    def slow():
        for k in range(3):
            time.sleep(0.02)
            yield k

    seen, told = [], profiling.Waiting()
    assert told.part is None
    with profile() as report:
        for k in profiling.watched(slow(), told):
            seen.append(k)
            time.sleep(0.005)
    assert seen == [0, 1, 2] and report.steps == 3 and len(report.waits) == 4  # the last wait finds the end
    waited = sum(seconds for _, seconds in report.waits)
    assert waited >= 0.06 and report.seconds >= waited + 0.015 and report.waiting == waited / report.seconds
    assert report.marks[0] >= 0.025
    assert abs(told.waited - waited) < 1e-9 and told.worked >= 0.015 and told.part == told.waited / (told.waited + told.worked)
    alone = profiling.Waiting()
    assert list(profiling.watched([1, 2], alone)) == [1, 2]  # without a profile
    assert alone.waited > 0 and alone.worked > 0

    def broken():
        yield 1
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"), profile():
        list(profiling.watched(broken(), profiling.Waiting()))
    assert profiling.current() is None


def test_the_table():
    assert str(a_report()) == "\n".join([
        "op      calls    time   part    each  results  most in use",
        "----------------------------------------------------------",
        "matmul      3  750 ms  66.7%  250 ms     3 MB         3 MB",
        "tanh        3  375 ms  33.3%  125 ms     3 KB         1 MB",
        "----------------------------------------------------------",
        "6 ops in 3 steps, 3 s: 37.5% in ops, 15.0% waiting for data; at most 3 MB of tensors in use"])
    lines = a_report().table(by="line", most=1).splitlines()
    assert lines[2].split()[:2] == ["a.py:3", "3"] and lines[3] == "and 1 more"
    assert repr(a_report()) == "<weft profile of 6 ops, 3 s>"
    assert str(Report()).splitlines()[-1].startswith("0 ops, 0 us: 0.0% in ops; at most ")
    assert repr(a_report().events[0]) == "<matmul at 0.000000 s for 250000.0 us, 3 MB in use>"


def test_the_trace_can_be_read(tmp_path):
    path = tmp_path / "trace.json"
    a_report().chrome_trace(path)
    events = json.loads(path.read_text())["traceEvents"]
    ops = [one for one in events if one["ph"] == "X" and one["tid"] == 1]
    assert [one["name"] for one in ops] == ["matmul", "tanh"] * 3
    assert ops[2]["ts"] == 1e6 and ops[2]["dur"] == 0.25e6 and ops[2]["args"] == {"line": "a.py:3", "results": 2 ** 20}
    steps = [(one["name"], one["ts"], one["dur"]) for one in events if one["ph"] == "X" and one["tid"] == 0]
    assert steps == [("step 1", 0.0, 1e6), ("step 2", 1e6, 1e6), ("step 3", 2e6, 1e6)]
    assert [one["args"]["bytes"] for one in events if one["ph"] == "C"] == [3 * 2 ** 20, 2 ** 20] * 3
    with profile(tmp_path / "b.json"):
        wf.tanh(wf.ones(2))
    assert "tanh" in (tmp_path / "b.json").read_text()
    with pytest.raises(ValueError), profile(tmp_path / "c.json"):
        raise ValueError
    assert not (tmp_path / "c.json").exists()


def test_the_picture_of_memory(tmp_path):
    a_report().draw_memory(tmp_path / "a.png")
    pixels = read_png(tmp_path / "a.png").astype(int)
    assert pixels.shape == (660, 1520, 3)
    # The panel goes from (66, 66) to (736, 276) and from 0 to 3 s, 0 to 3 MB: at 0.4 s 3 MB are in use, at 0.9 s 1 MB.

    def curve_at(second):
        column = pixels[132:552, round((66 + 670 * second / 3) * 2)]
        return 3 * (1 - np.flatnonzero(np.abs(column - (0x24, 0x68, 0xb4)).max(-1) < 40).mean() / 420)

    assert curve_at(0.4) == pytest.approx(3, abs=0.03) and curve_at(0.9) == pytest.approx(1, abs=0.03)
    assert curve_at(1.4) == pytest.approx(3, abs=0.03) and curve_at(2.9) == pytest.approx(1, abs=0.03)
    band, plain = pixels[150, round((66 + 670 * 0.1 / 3) * 2)], pixels[150, round((66 + 670 * 1.1 / 3) * 2)]
    assert tuple(band) == (0xf1, 0xf5, 0xf9) and tuple(plain) == (255, 255, 255)  # steps in turn
    a_report().draw_memory(tmp_path / "a.svg")
    words = {one.firstChild.data for one in xml.dom.minidom.parse(str(tmp_path / "a.svg")).getElementsByTagName("text")}
    assert {"memory by time", "MB of tensors in use, 3 steps", "3 MB", "seconds"} <= words
    Report().draw_memory(tmp_path / "b.png")  # of nothing


def test_thousands_of_ops_keep_their_peaks(tmp_path):
    report = Report()
    report._first_live, report.seconds = 0, 1.0
    report.events += [Event("tanh", "a.py:4", k / 1e5, 0.0, 0.0, 0, 7 if k == 54321 else k % 3) for k in range(100_000)]
    report.draw_memory(tmp_path / "a.svg")
    page = (tmp_path / "a.svg").read_text()
    assert ">7 bytes</text>" in page and len(page) < 200_000


def test_a_training_has_cycles():
    model = nn.Sequential([nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)])
    optimizer = wf.optim.SGD(model.parameters(), lr=0.1)
    x, y = wf.rand(128, 64), wf.zeros((128,), dtype=wf.int64)
    with profile() as report:
        for _ in range(5):
            optimizer.zero_grad()
            nn.cross_entropy(model(x), y).backward()
            optimizer.step()
            report.step()
    ends = [[event.live for event in report.events if start <= event.start < end] for start, end in zip([0.0, *report.marks], report.marks)]
    assert len(ends) == 5 and max(ends[2]) == max(ends[3]) == max(ends[4]) > min(ends[3])  # each iteration as the one before


@pytest.mark.parametrize("run_eagerly", [True, False])
def test_fit_tells_of_steps_and_of_waiting(run_eagerly):
    class Plain:
        """An optimizer of plain ops."""

        def apply_gradients(self, pairs):
            for gradient, v in pairs:
                v.assign_sub(gradient * 0.1)

    model = nn.Linear(8, 2)
    model.compile(Plain(), "cross_entropy", run_eagerly=run_eagerly)
    with wf.profile() as report:
        model.fit(wf.rand(64, 8), wf.zeros((64,), dtype=wf.int64), epochs=2, batch_size=16, verbose=0)
    assert report.steps == 8 and 0 < report.waiting < 1 and "8 steps" in str(report)
    assert report.by("op")["matmul"].calls >= 8 * 2  # forward, and the gradient of the weight


def test_a_loop_over_a_dataset_tells_of_waiting():
    inner = wf.data.Dataset.range(6).batch(2)

    def slow(k):
        assert len(list(inner)) == 3  # waits within a wait
        time.sleep(0.002)
        return k

    outer = wf.data.Dataset.range(4).map(slow)
    with wf.profile() as report:
        for k in outer:
            wf.exp(wf.cast(k, wf.float32))
            report.step()
    waited = sum(seconds for _, seconds in report.waits)
    assert len(report.waits) == 5 and report.steps == 4  # the end is waited for, too
    assert waited >= 4 * 0.002 and report.waiting == waited / report.seconds and "waiting for data" in str(report)
    assert len(list(outer)) == 4 and len(report.waits) == 5  # what follows is no part of it


def test_a_fit_of_a_dataset_counts_no_wait_twice():
    model = nn.Linear(8, 2)
    model.compile("sgd", "cross_entropy")
    rows = wf.data.Dataset.from_tensor_slices((wf.rand(64, 8), wf.zeros((64,), dtype=wf.int64))).batch(16)
    with wf.profile() as report:
        model.fit(rows, epochs=2, verbose=0)
    assert report.steps == 8 and len(report.waits) == 10 and 0 < report.waiting < 1
    ends = [(start, start + seconds) for start, seconds in report.waits]
    assert all(a[1] <= b[0] for a, b in zip(ends, ends[1:]))


def test_fit_at_full_speed_tells_of_waiting():
    def slow(x, y):
        time.sleep(0.02)
        return x, y

    model = nn.Linear(8, 2)
    model.compile("sgd", "cross_entropy")
    rows = wf.data.Dataset.from_tensor_slices((wf.rand(64, 8), wf.zeros((64,), dtype=wf.int64)))
    history = model.fit(rows.batch(16).map(slow), epochs=3, verbose=0)
    assert history.times.waited >= 12 * 0.02 and 0 < history.times.worked and history.waiting == history.times.part


@pytest.mark.parametrize("call, message", [
    (lambda p: a_report().table(by="time"), "profile: by is 'time'; it is 'op' or 'line' [profile.by]"),
    (lambda p: a_report().draw_memory(p / "a.gif"),
     "draw_memory: the file's name ends in '.gif'; a picture is written as .png or .svg [draw_memory.format]"),
])
def test_messages(call, message, tmp_path):
    with pytest.raises(wf.InvalidError) as caught:
        call(tmp_path)
    assert str(caught.value) == message


def test_one_at_a_time():
    with profile(), pytest.raises(wf.InvalidError) as caught:
        profile().__enter__()
    assert str(caught.value) == "profile: another profile is open on this thread; end it first [profile.nested]"


def test_examples_in_docstrings():
    result = doctest.testmod(profiling, extraglobs={"wf": wf})
    assert result.attempted >= 2 and result.failed == 0


def test_a_profile_may_end_within_a_wait():
    def numbers():
        yield wf.ones(1)
        with wf.profile() as report:
            yield wf.ones(1)
        reports.append(report)
        yield wf.ones(1)

    reports = []
    assert len(list(wf.data.Dataset.from_generator(numbers))) == 3
    assert not reports[0].waits  # the only one began in it and did not end
    with wf.profile() as report:
        assert len(list(wf.data.Dataset.range(3))) == 3
    assert len(report.waits) == 4


def test_what_interrupts_a_wait_is_raised_as_without_a_profile(capfd):
    class Late(Exception):
        pass

    def late(*_):
        raise Late

    def slow():
        while True:
            time.sleep(0.005)
            yield 1

    before = signal.signal(signal.SIGALRM, late)
    try:
        with pytest.raises(Late), wf.profile() as report:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            for _ in wf.data.Dataset.from_generator(slow).prefetch(1):
                pass
        assert report.waits
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert "ignored" not in capfd.readouterr().err
