"""A daemon thread that ends with its owner and restarts in a child process after a fork."""

import logging
import threading
import weakref
from collections.abc import Callable

__all__ = ["DaemonThread"]

_log = logging.getLogger("promptuary")
TROUBLE = 60.0  # seconds to wait after an unexpected error in a step


class DaemonThread:
    """Calls `step` repeatedly, each time after the number of seconds it returned, or earlier when woken.

    It holds the step's owner weakly, so the threads of a garbage-collected client end.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._step: Callable[[], Callable[[], float] | None] = lambda: None
        self.renew()

    def attach(self, step: Callable[[], float]) -> None:
        """Set the bound method to call."""
        self._step = weakref.WeakMethod(step)

    def renew(self) -> None:
        """Reset in a forked child, where the thread is gone and its locks may never be released."""
        self.stopping = False
        self._woken = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Run the next step now."""
        self._woken.set()
        self.ensure()

    def ensure(self) -> None:
        """Start the thread unless it is running."""
        thread = self._thread
        if thread is not None and thread.is_alive():
            return
        with self._starting:
            if self.stopping or (self._thread is not None and self._thread.is_alive()):
                return
            thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            try:
                thread.start()
            except RuntimeError:
                return  # the interpreter is shutting down, or there are too many threads: go on without it
            self._thread = thread

    def stop(self, timeout: float) -> None:
        """End the thread after its current step, waiting at most this long."""
        self.stopping = True
        self._woken.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)

    def _run(self) -> None:
        woken = self._woken
        while not self.stopping:
            step = self._step()
            if step is None:
                return
            try:
                pause = step()
            except Exception:  # noqa: BLE001  # a thread that ends silently would never refresh labels again
                _log.exception("%s failed; it goes on in %g s", self._name, TROUBLE)
                pause = TROUBLE
            del step
            woken.wait(pause)
            woken.clear()
