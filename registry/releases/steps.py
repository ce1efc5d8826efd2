"""Steps of a release: what all its write operations share."""

from typing import Any

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Conflict
from registry.journal import log
from registry.releases.events import ReleaseStep
from registry.releases.models import Release

__all__ = ["append_step", "close_release", "require_open_release", "step_fields"]


def require_open_release(release: Release) -> None:
    """Raise Conflict if the release is closed."""
    if not release.is_open:
        raise Conflict(
            gettext("Release {release} is {state}.").format(release=release.number, state=release.state),
            release=release.number,
            state=release.state,
        )


def step_fields(release: Release) -> dict[str, Any]:
    """The fields of every `ReleaseStep`."""
    return {"release": release.number, "label": release.label}


def append_step(actor: Actor, release: Release, event: ReleaseStep) -> None:
    """Save the release and append its step, dated by the row's new `updated_at`; for services."""
    release.updated_at = log.now()
    release.save()
    log.append(actor, event, namespace=release.namespace, at=release.updated_at, subject=release)


def close_release(actor: Actor, release: Release, event: ReleaseStep) -> None:
    """Save the release as closed, with the step that closed it."""
    release.closed_at = release.updated_at = log.now()
    release.save()
    log.append(actor, event, namespace=release.namespace, at=release.updated_at, subject=release)
