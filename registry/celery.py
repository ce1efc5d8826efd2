"""The Celery application. Messages only wake the worker: the work is in the journal and in rows of Job."""

import os
import threading
import warnings
from typing import Any

from celery import Celery, bootsteps, signals
from celery.beat import EmbeddedService, Scheduler
from celery.platforms import SecurityWarning  # type: ignore[attr-defined]  # the stubs lack it

__all__ = ["app"]

_END_SECONDS = 15.0  # for a worker to end: longer than the supervisor waits before it kills

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
# `manage.py serve`, which starts the worker, has run Django's checks; in the worker they would load all pages, 40 MB.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
# Celery warns about running as root because of pickled messages; this worker accepts JSON only.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("registry")
app.config_from_object("django.conf:settings", namespace="CELERY")
if str(app.conf.broker_url).startswith("filesystem:"):
    # The folders are in the transport's options; the host is set only because kombu warns without one.
    app.conf.update(broker_url="filesystem://localhost", broker_transport="registry.tasks.folder_broker:Transport")
app.conf.update(
    imports=["registry.tasks.tasks", "registry.tasks.reply_loop"],
    # Gossip and remote control would only load a folder broker; nothing here uses them.
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    event_queue_expires=60,
    worker_prefetch_multiplier=1,
    task_publish_retry=False,  # a save must not wait for an unavailable broker: the clock makes up for lost messages
    beat_schedule={
        "heal": {"task": "registry.tasks.tasks.heal", "schedule": 3.0, "options": {"expires": 3}},
        "push": {"task": "registry.tasks.tasks.push", "schedule": 3.0, "options": {"expires": 3}},
        "rollouts": {
            "task": "registry.tasks.tasks.advance_rollouts",
            "schedule": 10.0,
            "options": {"expires": 10},
        },
        "checks": {"task": "registry.tasks.tasks.keep_checks", "schedule": 60.0, "options": {"expires": 60}},
        "upkeep": {"task": "registry.tasks.tasks.plan_upkeep", "schedule": 600.0, "options": {"expires": 600}},
    },
)


class Clock(bootsteps.StartStopStep):
    """Celery beat as a thread of every worker, with its schedule in memory: no second process to keep alive or to leave
    behind after a kill. Everything it starts is guarded by locks and rows, so several workers' clocks are harmless.
    """

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._service: Any = None

    def start(self, parent: Any) -> None:
        self._service = EmbeddedService(parent.app, thread=True, scheduler_cls=Scheduler)
        self._service.start()

    def stop(self, parent: Any) -> None:  # the signature is Celery's
        if self._service is not None:
            self._service.stop()


app.steps["worker"].add(Clock)


@signals.worker_shutting_down.connect
def _limit_shutdown(**_values: Any) -> None:
    """End this process soon, whatever its threads still wait for.

    Celery waits for them without a limit. The supervisor kills a worker that takes too long, but a worker whose
    supervisor was killed would stay.
    """
    deadline = threading.Timer(_END_SECONDS, os._exit, [1])
    deadline.daemon = True  # it must not keep a worker that has ended
    deadline.start()
