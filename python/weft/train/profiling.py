"""profile: where the time and the memory of a program go, op by op."""

import threading
import time

from .. import _core, _hints, _observe, memory
from .._files import write_whole

_open = threading.local()


def current():
    """The report of the profile that is open on this thread, or None."""
    return getattr(_open, "report", None)


def watched(items, waiting):
    """The items of a source; what is done until the next is a step. `waiting` is told how long each took, as is a profile that is
    open, whose clock then counts."""
    iterator, is_step = iter(items), False
    while True:
        report = current()
        now = time.perf_counter if report is None else report.now
        if is_step and report is not None:
            report.step()
        start, waits = now(), None if report is None else len(report.waits)
        try:
            item = next(iterator)
        except StopIteration:
            return
        finally:
            begun = now()
            waiting.waited += begun - start
            if report is not None:
                del report.waits[waits:]  # those of datasets that the source reads are a part of this one
                report.waited(start, begun - start)
        is_step = report is not None
        yield item
        waiting.worked += now() - begun


class Waiting:
    """Seconds that steps waited for data, and seconds that they worked."""

    def __init__(self):
        self.waited = self.worked = 0.0

    @property
    def part(self):
        """The part of the time that was waited; None before the first step."""
        whole = self.waited + self.worked
        return self.waited / whole if whole else None


class profile:
    """Notes every op that this thread computes inside of `with`, and gives a Report of them; `path` is for its Chrome trace.

    Traced functions are computed op by op while it is open, so that each is seen: with the same bits, but without fused kernels and
    arenas. For those there is `plan.profile()`. Waiting for the elements of a Dataset is noted, too. A profile of `fit` knows steps; in a
    loop of your own `report.step()` ends one.

    >>> with wf.profile() as report:
    ...     for _ in range(3):
    ...         y = wf.tanh(wf.ones((64, 64)) @ wf.ones((64, 64)))
    ...         report.step()
    >>> report.steps, report.by("op")["tanh"].calls
    (3, 3)
    """

    def __init__(self, path=None):
        self._path = path

    def __enter__(self):
        if current() is not None:
            raise _core.InvalidError("profile: another profile is open on this thread; end it first [profile.nested]")
        self._report = _open.report = Report()
        self._report._begin()
        self._observer = _observe.observe(self._report._see)
        return self._report

    def __exit__(self, *exception):
        self._observer.remove()
        _open.report = None
        self._report._end()
        if self._path is not None and exception[0] is None:
            self._report.chrome_trace(self._path)
        return False


class Event:
    """An op that was computed: when, for how long, and the bytes of tensors in use after it."""

    __slots__ = ("op", "line", "start", "duration", "seconds", "results", "live")

    def __init__(self, op, line, start, duration, seconds, results, live):
        self.op, self.line, self.start = op, line, start
        self.duration, self.seconds = duration, seconds  # with the ops that it called, and without
        self.results, self.live = results, live  # bytes

    def __repr__(self):
        return f"<{self.op} at {self.start:.6f} s for {self.seconds * 1e6:.1f} us, {spoken_bytes(self.live)} in use>"


class Total:
    """What all events of one name come to."""

    __slots__ = ("name", "calls", "seconds", "results", "most_live")

    def __init__(self, name):
        self.name, self.calls, self.seconds, self.results, self.most_live = name, 0, 0.0, 0, 0

    def add(self, event):
        self.calls += 1
        self.seconds += event.seconds
        self.results += event.results
        self.most_live = max(self.most_live, event.live)


class Report:
    """What a profile has seen; `print(report)` shows the table of ops. The clock stands while an op is being noted."""

    def __init__(self):
        self.events, self.marks, self._waits = [], [], []  # marks are the ends of steps
        self.seconds = 0.0  # from the beginning to the end
        self._first_live = memory.live()
        self._noting, self._origin = 0.0, time.perf_counter()
        self._watch = None  # of waits for datasets, while a profile is open
        self._last = []  # (end, seconds, seconds of noting in them) of ops that may turn out to be parts of the next

    # What it is told.

    def now(self):
        """Seconds since the beginning."""
        return time.perf_counter() - self._origin - self._noting

    def step(self):
        """Ends a step."""
        self.marks.append(self.now())

    def waited(self, start, seconds):
        """Notes that data was waited for, of another source than a Dataset."""
        self.waits.append((start, seconds))

    def _see(self, seen):
        begun, inside, noting = time.perf_counter(), 0.0, 0.0
        while self._last and self._last[-1][0] > begun - seen.seconds:  # ended after this one began: a part of it
            _, seconds, noted = self._last.pop()
            inside, noting = inside + seconds, noting + noted
        duration = max(seen.seconds - noting, 0.0)
        start = max(begun - self._origin - self._noting - duration, 0.0)
        self.events.append(Event(seen.op, seen.line, start, duration, max(seen.seconds - inside, 0.0),
                                 sum(t.nbytes for t in seen.made()), memory.live()))
        spent = time.perf_counter() - begun
        self._noting += spent
        if self._watch is not None:
            self._watch.stood(spent)
        self._last.append((begun, seen.seconds + spent, noting + spent))

    def _begin(self):
        self._watch = _core._WaitWatch(self._origin)

    def _end(self):
        self._watch.end()
        self.seconds = self.now()

    # What it knows.

    @property
    def waits(self):
        """Pairs (start, seconds): when data was waited for, and how long."""
        if self._watch is not None:
            self._waits += self._watch.taken()
        return self._waits

    @property
    def steps(self):
        """How many steps there were."""
        return len(self.marks)

    @property
    def waiting(self):
        """The part of the time in which data was waited for; None if nobody told."""
        return sum(seconds for _, seconds in self.waits) / self.seconds if self.waits and self.seconds else None

    @property
    def peak(self):
        """The most bytes of tensors in use after an op."""
        return max((event.live for event in self.events), default=self._first_live)

    def by(self, what="op"):
        """{name: Total} of ops or of the lines that called them, the dearest first."""
        _hints.need_choice(what, "profile", "by", "op", "line")
        totals = {}
        for event in self.events:
            name = getattr(event, what) or "(no line)"
            totals.setdefault(name, Total(name)).add(event)
        return dict(sorted(totals.items(), key=lambda item: -item[1].seconds))

    def table(self, by="op", most=20):
        """Time and memory of ops, or of lines, the dearest first, as text."""
        totals = list(self.by(by).values())
        spent = sum(total.seconds for total in totals)
        rows = [(by, "calls", "time", "part", "each", "results", "most in use")]
        for total in totals[:most]:
            rows.append((total.name, f"{total.calls:,}", spoken_time(total.seconds), f"{total.seconds / (spent or 1.0):.1%}",
                         spoken_time(total.seconds / total.calls), spoken_bytes(total.results), spoken_bytes(total.most_live)))
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ["  ".join(cell.rjust(w) if k else cell.ljust(w) for k, (cell, w) in enumerate(zip(row, widths))).rstrip() for row in rows]
        rule = "-" * max(map(len, lines))
        left = len(totals) - most
        more = [f"and {left} more"] if left > 0 else []
        return "\n".join([lines[0], rule, *lines[1:], *more, rule, self._total(spent)])

    def _total(self, spent):
        of_all = self.seconds or 1.0
        steps = f" in {self.steps:,} step{'s' * (self.steps != 1)}" if self.steps else ""
        waiting = "" if self.waiting is None else f", {self.waiting:.1%} waiting for data"
        return (f"{len(self.events):,} ops{steps}, {spoken_time(self.seconds)}: {spent / of_all:.1%} in ops{waiting}; "
                f"at most {spoken_bytes(self.peak)} of tensors in use")

    def __str__(self):
        return self.table()

    def __repr__(self):
        return f"<weft profile of {len(self.events):,} ops, {spoken_time(self.seconds)}>"

    def chrome_trace(self, path):
        """Writes it as JSON for chrome://tracing and Perfetto: steps, ops, waiting and memory."""
        import json

        def span(name, row, start, seconds, **args):
            return {"name": name, "ph": "X", "pid": 1, "tid": row, "ts": start * 1e6, "dur": seconds * 1e6, "args": args}

        out = [{"name": "thread_name", "ph": "M", "pid": 1, "tid": row, "args": {"name": name}}
               for row, name in enumerate(("steps", "ops", "waiting for data"))]
        starts = [0.0, *self.marks[:-1]]
        out += [span(f"step {k + 1}", 0, start, end - start) for k, (start, end) in enumerate(zip(starts, self.marks))]
        out += [span("waiting", 2, start, seconds) for start, seconds in self.waits]
        for event in self.events:
            out.append(span(event.op, 1, event.start, event.duration, line=event.line, results=event.results))
            out.append({"name": "memory", "ph": "C", "pid": 1, "ts": (event.start + event.duration) * 1e6, "args": {"bytes": event.live}})
        write_whole(path, json.dumps({"traceEvents": out, "displayTimeUnit": "ms"}))

    def draw_memory(self, path):
        """Draws the bytes of tensors in use over the time, as .png or .svg; steps are shaded in turn, so that each cycle shows."""
        import os

        moments = [(0.0, self._first_live), *((event.start + event.duration, event.live) for event in self.events)]
        _core._draw_memory(os.fspath(path), moments, self.marks, self.seconds)


def spoken_time(seconds):
    """A time in the unit that suits it."""
    for unit, word in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {word}" if seconds < 1000 else f"{seconds:,.0f} s"
    return f"{seconds * 1e6:.3g} us"


def spoken_bytes(count):
    """Bytes in the unit that suits them."""
    for unit, word in ((2 ** 30, "GB"), (2 ** 20, "MB"), (2 ** 10, "KB")):
        if count >= unit:
            return f"{count / unit:.3g} {word}"
    return f"{count} B"
