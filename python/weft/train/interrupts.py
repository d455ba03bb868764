"""Ctrl-C during training: the step at hand is finished first."""

import signal
import threading


class Interrupts:
    """While it is open, a first Ctrl-C is noted in `asked`, and a second one raises KeyboardInterrupt at once."""

    def __init__(self):
        self.asked = False
        self._before = None
        self._waits = False  # for data: then nothing is begun that a first Ctrl-C would break off
        self.broke_off = False  # what made data was broken off, and may stand in the middle of an element

    def waited(self, items):
        """The items of a source. Ctrl-C ends them, also while one is waited for; one that was given is never lost."""
        iterator = iter(items)
        while not self.asked:
            self._waits = True
            try:
                for item in iterator:  # no next(): Python minds signals after calls, and would lose what it gave
                    self._waits = False
                    break
                else:
                    return
            except KeyboardInterrupt:
                if not self.asked:
                    raise
                self.broke_off = True
                return
            finally:
                self._waits = False
            yield item

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *exception):
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        return False

    def _note(self, number, frame):
        is_first, self.asked = not self.asked, True
        if self._waits or not is_first:
            raise KeyboardInterrupt
