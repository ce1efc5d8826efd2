"""Passwords hashed with argon2, with a limit on concurrent hashes per machine.

One hash takes about 100 MB on purpose. Without a bound, a burst of sign-ins would multiply that. The slots are locked
files, so they apply to all processes that share a home and are released when a process dies.
"""

import contextlib
import fcntl
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.utils.translation import gettext

from registry.core.errors import Busy

__all__ = ["SlotArgon2Hasher", "password_slot"]

WAIT_SECONDS = 5.0
_PAUSE = 0.01  # seconds between attempts to get a slot


class SlotArgon2Hasher(Argon2PasswordHasher):
    """Django's argon2 hasher, limited by the machine's slots. Raises Busy if none is free within five seconds."""

    def encode(self, password: str, salt: str) -> str:
        """The hash of the password in Django's format."""
        with password_slot():
            return str(super().encode(password, salt))

    def verify(self, password: str, encoded: str) -> bool:
        """Whether the password matches the hash."""
        with password_slot():
            return bool(super().verify(password, encoded))


@contextlib.contextmanager
def password_slot() -> Iterator[None]:
    """Hold one of `settings.PASSWORD_SLOTS`. Raises Busy after waiting for five seconds."""
    folder = Path(settings.PASSWORD_SLOTS_PATH)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    slot = _take_slot(folder, settings.PASSWORD_SLOTS)
    try:
        yield
    finally:
        os.close(slot)  # closing the file releases the lock


def _take_slot(folder: Path, count: int) -> int:
    deadline = time.monotonic() + WAIT_SECONDS
    numbers = list(range(count))
    while True:
        random.shuffle(numbers)
        for number in numbers:
            descriptor = os.open(folder / f"password-{number}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                continue
            return descriptor
        if time.monotonic() > deadline:
            raise Busy(gettext("Too many people sign in at the moment; try again in a few seconds."), retry_after=5)
        time.sleep(_PAUSE)  # file locks have no notification: poll
