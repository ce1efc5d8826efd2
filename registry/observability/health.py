"""The instance's health: `/livez` and `/readyz` for monitoring, and its faults for signed-in admins."""

import functools
import logging

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import KombuError

from promptuary.renderer.errors import RenderError
from registry import mirror
from registry.accounts.actor import Actor
from registry.celery import app
from registry.core import private_files
from registry.core.renderer_pool import find_renderer
from registry.journal import log
from registry.mirror.models import Remote
from registry.namespaces.models import Membership, Role

__all__ = ["list_instance_faults", "livez", "readyz"]

BROKER_SECONDS = 1
MAX_LAG = 60.0  # seconds; a live worker catches up in a few
logger = logging.getLogger(__name__)


@never_cache
@require_safe
def livez(_request: HttpRequest) -> JsonResponse:
    """200 while the process responds at all."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(_request: HttpRequest) -> JsonResponse:
    """200 if the database responds and the mirror keeps up, 503 with the reason otherwise.

    Pinned fetches continue while the mirror lags; for them a load balancer should only check `database`. An unreachable
    broker is reported but doesn't affect the status: the worker's clock finds work without it.
    """
    checks: dict[str, str] = {}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        checks["database"] = "ok"
        checks["mirror"] = _check_mirror()
    except DatabaseError:
        checks["database"] = "does not answer"
    ready = all(verdict == "ok" for verdict in checks.values())
    checks["broker"] = _check_broker()
    status = "not ready" if not ready else "ok" if checks["broker"] == "ok" else "degraded"
    answer = {
        "status": status,
        "checks": checks,
        "remotes": _check_remotes() if ready else {},
        "details": {"home": _check_home(), "rendering": _check_rendering()},
    }
    return JsonResponse(answer, status=200 if ready else 503)


def list_instance_faults(actor: Actor) -> list[str]:
    """The faults of this instance, in sentences for an admin of any namespace; empty for others."""
    if not Membership.objects.filter(person=actor.person, role=Role.ADMIN.value).exists():
        return []
    faults = [log.describe_disagreement(), _describe_lag()]
    for remote in Remote.objects.exclude(error="").order_by("name"):
        faults.append(_describe_failing_remote(remote))
    return [sentence for sentence in faults if sentence]


def _describe_failing_remote(remote: Remote) -> str:
    if remote.pushed_at is None:
        return gettext("Nothing was pushed to the mirror's remote {name} yet: {error}").format(
            name=remote.name, error=remote.error
        )
    return gettext("The mirror's remote {name} has been behind since {moment} UTC: {error}").format(
        name=remote.name, moment=f"{remote.pushed_at:%Y-%m-%d %H:%M}", error=remote.error
    )


def _describe_lag() -> str:
    """A sentence about a mirror that falls behind; empty while it keeps up."""
    seconds = mirror.read_noted_lag()
    if seconds <= MAX_LAG:
        return ""
    return gettext(
        "The Git mirror is {seconds} seconds behind: `manage.py mirror status` says why. Is a worker running?"
    ).format(seconds=f"{seconds:.0f}")


def _check_broker() -> str:
    try:
        with app.connection_for_write(connect_timeout=BROKER_SECONDS) as link:
            link.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_SECONDS)
    except (KombuError, OSError) as error:
        logger.warning("the broker does not answer: %s", error)
        return "does not answer; the worker's clock still finds what is to do"
    return "ok"


def _check_home() -> str:
    """The home's state, for information only and without the path, as the page is public."""
    try:
        exposed = private_files.describe_exposure(settings.PROMPTUARY_HOME)
    except OSError:
        return "can't be looked at"
    return "open to other users of this machine: see the server's log" if exposed else "private"


def _check_rendering() -> str:
    """The state of the renderer's sandbox, for information only: what the kernel can't deny its children."""
    try:
        permitted = _find_what_children_may()
    except (RenderError, OSError) as error:
        logger.warning("no child could be asked what it may do: %s", error)
        return "not known at the moment"
    return f"not confined in full: a child can {', '.join(permitted)}" if permitted else "confined"


@functools.cache
def _find_what_children_may() -> tuple[str, ...]:
    """Cached for the life of a process: it depends on the kernel and the installed software."""
    return tuple(find_renderer().probe())


def _check_remotes() -> dict[str, str]:
    """The remotes' states by name, for information only: their failures don't affect readiness."""
    states = {}
    for row in mirror.list_remotes():
        late = f"{row.behind} events behind" if row.behind else "ok"
        states[row.name] = "diverged" if row.diverged else "failing" if row.error else late
    return states


def _check_mirror() -> str:
    state = mirror.read_status()
    if state.unreadable:
        return "can't be read: run manage.py mirror status"
    if state.diverged:
        return "diverged from the journal: run manage.py mirror verify"
    if state.lag > MAX_LAG:
        return f"{state.lag:.0f} s behind: is a worker running?"
    return "ok"
