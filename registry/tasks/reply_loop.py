"""The worker's event loop, in its own thread, which calls models and streams their replies."""

import asyncio
import os
import threading
from typing import Any

from celery import bootsteps

from registry.celery import app
from registry.live.event_streams import end_streams
from registry.live.reply_relay import SOCKET
from registry.live.reply_server import serve_replies

__all__ = ["ReplyLoop"]

_END_SECONDS = 10.0  # for storing the ends of replies when the worker stops


class ReplyLoop(bootsteps.StartStopStep):
    """Serves replies on the supervisor's socket; without one, the web processes call models themselves."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._path = os.environ.get(SOCKET, "")

    def start(self, parent: Any) -> None:
        if self._path:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._run, args=(self._loop,), name="replies", daemon=True)
            self._thread.start()

    def stop(self, parent: Any) -> None:  # the signature is Celery's
        """End the streams as a web process does on exit, storing the replies received so far."""
        if self._loop is not None and self._thread is not None:
            asyncio.run_coroutine_threadsafe(self._end(), self._loop)
            self._thread.join(_END_SECONDS)

    async def _end(self) -> None:
        end_streams()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            await asyncio.wait(others, timeout=_END_SECONDS / 2)
        asyncio.get_running_loop().stop()

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(serve_replies(self._path))
        loop.run_forever()


app.steps["worker"].add(ReplyLoop)
