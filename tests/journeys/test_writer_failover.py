"""The mirror's writer is killed while it holds all locks; another one takes over within ten seconds."""

import signal
import subprocess
import sys
import time

import pytest

from tests.support import instances
from tests.support.child_process import start_child

pytestmark = pytest.mark.dialect

LIMIT = 10.0  # seconds from the kill to a mirror that is up to date
HOLDER = """
import sys, time, django; django.setup()
from django.conf import settings
from registry.mirror import fill as filling, locks
with locks.hold_writer_lock(filling.lock_path(), 10):
    for name in ("HEAD.lock", "refs/heads/main.lock", "packed-refs.lock"):
        (settings.MIRROR_PATH / name).write_text("")
    print("held", flush=True)
    time.sleep(300)
"""
SUCCESSOR = """
import time, django; django.setup()
from registry import mirror
from registry.mirror import writer
from registry.tasks import tasks as work
assert writer.count_pending() == 1
print("waiting", flush=True)
while writer.count_pending():
    work.catch_up()
    time.sleep(3)  # as the worker's clock does
print("done", flush=True)
"""
SETUP = """
import django; django.setup()
from registry.accounts.actor import build_operator_actor
from registry import mirror
from registry.namespaces import services as namespaces
namespaces.create_namespace(actor=build_operator_actor(), name="support")
mirror.catch_up()
namespaces.create_namespace(actor=build_operator_actor(), name="sales")
"""


def start(place, code):
    return start_child(
        [sys.executable, "-c", code], env=place.environment(), cwd=instances.ROOT, stdout=subprocess.PIPE, text=True
    )


@pytest.fixture
def place(tmp_path):
    made = instances.make_instance(tmp_path / "takeover")
    made.run("-c", SETUP)
    yield made
    instances.remove_instance(made)


def test_another_writer_takes_over_and_clears_what_was_left_locked(place):
    with start(place, HOLDER) as holder, start(place, SUCCESSOR) as successor:
        assert holder.stdout.readline() == "held\n"
        assert successor.stdout.readline() == "waiting\n"
        holder.send_signal(signal.SIGKILL)
        killed = time.monotonic()
        assert successor.stdout.readline() == "done\n"
        assert time.monotonic() - killed < LIMIT
    assert "is what the journal says: 2 events" in place.manage("mirror", "verify").stdout
