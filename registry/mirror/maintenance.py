"""What the mirror needs now and then: packing and a look at every object."""

from django.conf import settings

from registry.core.failpoints import reach
from registry.mirror import fill, locks, verification
from registry.mirror.errors import MirrorError
from registry.mirror.repository import Repository

__all__ = ["check", "repack"]

_WAIT = 60.0  # seconds for the writer to finish its batches


def repack() -> None:
    """Pack what the batches left, under the writer's lock."""
    with locks.hold(fill.lock_path(), _WAIT) as descriptor:
        repository = Repository(settings.MIRROR_PATH, descriptor)
        if repository.exists:
            repository.heal()
            reach("mirror.repacking")
            repository.repack()


def check() -> None:
    """Every object whole and every commit what the journal says; MirrorError with the findings otherwise."""
    if found := verification.verify():
        raise MirrorError("; ".join(found[:20]))
