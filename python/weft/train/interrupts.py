"""Ctrl-C during training: the step at hand is finished first."""

import signal
import threading


class Interrupts:
    """While it is open, a first Ctrl-C is noted in `asked`, and a second one raises KeyboardInterrupt at once."""

    def __init__(self):
        self.asked = False
        self._before = None

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *exception):
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        return False

    def _note(self, number, frame):
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
