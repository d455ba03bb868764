"""What fit shows while it works: a bar on a terminal, one line an epoch elsewhere."""

import sys
import time

from .. import _core

_WIDTH = 24
_PAUSE = 0.1  # seconds between two pictures of the bar


def shown_by(verbose):
    """What shows the progress for the argument `verbose`."""
    if verbose == "auto":
        verbose = 1 if sys.stdout.isatty() else 2
    kinds = {0: Silent, False: Silent, 1: Bar, True: Bar, 2: Lines}
    if verbose not in kinds:
        raise _core.InvalidError(f"fit: verbose is {verbose!r:.60}; it is 0, 1, 2 or 'auto' [fit.verbose]")
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


class Bar(Lines):
    """A bar that moves, with the loss, the metrics, samples per second and the time that is left; then the epoch's total."""

    def begin(self, epoch, epochs, steps, done):
        super().begin(epoch, epochs, steps, done)
        self._steps, self._first, self._done, self._shown, self._length = steps, done, done, 0.0, 0

    def advance(self, count, compiled):
        super().advance(count, compiled)
        self._done += 1
        now = time.perf_counter()
        if now - self._shown >= _PAUSE:
            self._shown = now
            self._write(self._picture(compiled.logs()))

    def _picture(self, logs):
        seconds, rate = self._rate()
        if self._steps:
            filled = min(_WIDTH, _WIDTH * self._done // self._steps)
            left = seconds / max(self._done - self._first, 1) * (self._steps - self._done)
            place = f"[{'=' * filled}{'.' * (_WIDTH - filled)}] {self._done}/{self._steps}"
            rest = f", {_spoken(left)} left"
        else:
            place, rest = f"batch {self._done}", ""
        return f"{self._head}{place}  {_numbers(logs)}  {rate:,.0f} samples/s{rest}"

    def _write(self, text):
        sys.stdout.write("\r" + text.ljust(self._length))
        sys.stdout.flush()
        self._length = len(text)

    def end(self, logs):
        self._write(self._total(logs))
        sys.stdout.write("\n")
        sys.stdout.flush()

    def leave(self, reason):
        sys.stdout.write(f"\n{reason}\n")
        sys.stdout.flush()


def _numbers(logs):
    return "  ".join(f"{name} {value:.4g}" for name, value in logs.items() if isinstance(value, (int, float)))


def _spoken(seconds):
    """A time as people say it."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, seconds = divmod(int(seconds + 0.5), 60)
    return f"{minutes} min {seconds} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
