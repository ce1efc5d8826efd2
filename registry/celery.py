"""The Celery application. Messages only wake the worker: the work is in the journal and in rows of Job."""

import os
import warnings
from typing import Any

from celery import Celery, bootsteps
from celery.beat import EmbeddedService, Scheduler
from celery.platforms import SecurityWarning  # type: ignore[attr-defined]  # the stubs lack it

__all__ = ["app"]

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
# `manage.py serve`, which starts the worker, has run Django's checks; they would load all pages, 40 MB, into it.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
# Celery warns whoever works as root because of pickled messages; this worker accepts JSON only.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("registry")
app.config_from_object("django.conf:settings", namespace="CELERY")
if str(app.conf.broker_url).startswith("filesystem:"):
    # The folders are in the transport's options; a host is named only because kombu warns without one.
    app.conf.update(broker_url="filesystem://localhost", broker_transport="registry.tasks.folder_broker:Transport")
app.conf.update(
    imports=["registry.tasks.tasks", "registry.tasks.reply_loop"],
    # Gossip and remote control would only make a folder broker busy; nothing here asks for them.
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    event_queue_expires=60,
    worker_prefetch_multiplier=1,
    task_publish_retry=False,  # a save must not wait for a broker that is away: the clock heals what is missed
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
    """Beat as a thread of every worker, its schedule in memory: no second process to keep alive, none left behind by a
    kill. All it starts is guarded by locks and rows, so several workers' clocks do no harm."""

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
