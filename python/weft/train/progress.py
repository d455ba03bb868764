"""What fit shows while it works: a bar on a terminal, one line an epoch elsewhere."""

import os
import sys
import time

from .. import _core
from .._hints import brief as _brief

_BARS = (24, 10, 5)  # lengths of the bar, by the room there is
_PAUSE = 0.1  # seconds between two pictures of the bar


def _room():
    """How many characters a line of the terminal has room for, now: people change the sizes of windows."""
    try:
        columns = int(os.environ.get("COLUMNS", 0))
    except ValueError:
        columns = 0
    try:
        columns = columns if columns > 0 else os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError, AttributeError):  # no terminal
        columns = 0
    return (columns or 80) - 1  # in the last column some terminals begin a new line


def shown_by(verbose):
    """What shows the progress for the argument `verbose`."""
    if verbose == "auto":
        verbose = 1 if sys.stdout.isatty() else 2
    kinds = {0: Silent, False: Silent, 1: Bar, True: Bar, 2: Lines}
    if not isinstance(verbose, (int, str)) or verbose not in kinds:
        raise _core.InvalidError(f"fit: verbose is {_brief(verbose)}; it is 0, 1, 2 or 'auto' [fit.verbose]")
    return kinds[verbose]()


class Silent:
    """Shows nothing."""

    def begin(self, epoch, epochs, steps, done):
        pass

    def advance(self, count, compiled):
        pass

    def end(self, logs):
        pass

    def leave(self, reason):
        pass

    def note(self, text):
        pass

    def break_off(self):
        """Ends a line that is being drawn: an error is told next."""


class Lines(Silent):
    """A line for each epoch."""

    def begin(self, epoch, epochs, steps, done):
        self._head = "" if epoch is None else f"epoch {epoch + 1}/{epochs}  "
        self._examples, self._start = 0, time.perf_counter()

    def advance(self, count, compiled):
        self._examples += count

    def _rate(self):
        seconds = time.perf_counter() - self._start
        return seconds, self._examples / seconds if seconds > 0 else 0.0

    def _total(self, logs):
        seconds, rate = self._rate()
        return f"{self._head}{_numbers(logs)}  {_spoken(seconds)}, {rate:,.0f} samples/s"

    def end(self, logs):
        print(self._total(logs), flush=True)

    def leave(self, reason):
        print(f"{self._head}{reason}", flush=True)

    def note(self, text):
        print(text, flush=True)


class Bar(Lines):
    """A bar that moves, with the loss, the metrics, samples per second and the time that is left; then the epoch's total."""

    _is_open = False  # whether a line is drawn and not ended

    def begin(self, epoch, epochs, steps, done):
        super().begin(epoch, epochs, steps, done)
        self._steps, self._first, self._done, self._shown, self._length = steps, done, done, 0.0, 0

    def advance(self, count, compiled):
        super().advance(count, compiled)
        self._done += 1
        now = time.perf_counter()
        if now - self._shown >= _PAUSE:
            self._shown = now
            self._draw(compiled.logs())

    def _pictures(self, logs):
        """What may be shown, from all to the least: shorter ones leave out what is missed least."""
        seconds, rate = self._rate()
        place, left, bars = f"batch {self._done}", "", [""]
        if self._steps:
            place = f"{self._done}/{self._steps}"
            left = f"{_spoken(seconds / max(self._done - self._first, 1) * (self._steps - self._done))} left"
            filled = [min(width, width * self._done // self._steps) for width in _BARS]
            bars = [f"[{'=' * full}{'.' * (width - full)}] " for width, full in zip(_BARS, filled)]
        numbers = _numbers(logs).split("  ")
        yield from (_joined(f"{self._head}{bar}{place}", numbers, f"{rate:,.0f} samples/s", left) for bar in bars)
        short, speed = _numbers(logs, 3).split("  "), _shortened(rate)
        for more in (left, ""):
            yield _joined(f"{self._head}{bars[-1]}{place}", short, speed, more)
        yield _joined(f"{self._head.removeprefix('epoch ')}{bars[-1]}{place}", short, speed, "")
        yield _joined(f"{self._head}{bars[-1]}{place}", numbers, "", left)
        for count in range(len(numbers), 0, -1):
            yield _joined(f"{self._head}{place}", numbers[:count], "", left)
        yield _joined(f"{self._head}{place}", numbers[:1], "", "")

    def _write(self, text, room):
        sys.stdout.write("\r" + text.ljust(min(self._length, room)))
        sys.stdout.flush()
        self._length, self._is_open = len(text), True

    def _draw(self, logs):
        room = _room()
        for picture in self._pictures(logs):
            if len(picture) <= room:
                break
        self._write(picture[:room], room)

    def end(self, logs):
        # No number of an epoch is left out, even if the line is longer than the terminal: nothing is drawn over it.
        room, whole = _room(), self._total(logs)
        self._write(whole if len(whole) <= room else f"{self._head}{_numbers(logs)}", room)
        self.break_off()

    def leave(self, reason):
        sys.stdout.write(f"\n{reason}\n")
        sys.stdout.flush()
        self._is_open = False

    def break_off(self):
        if self._is_open:
            sys.stdout.write("\n")
            sys.stdout.flush()
        self._is_open = False


def _joined(place, numbers, rate, left):
    return "  ".join(part for part in (place, *numbers, ", ".join(part for part in (rate, left) if part)) if part)


def _shortened(rate):
    """Samples a second where there is little room."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if rate >= size * 0.9995:
            return f"{rate / size:.3g}{letter}/s"
    return f"{rate:.0f}/s"


def _numbers(logs, digits=4):
    return "  ".join(f"{name} {value:.{digits}g}" for name, value in logs.items() if isinstance(value, (int, float)))


def _spoken(seconds):
    """A time as people say it."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, seconds = divmod(int(seconds + 0.5), 60)
    return f"{minutes} min {seconds} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
