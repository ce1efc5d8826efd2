"""Work that a test does on an instance's database in a forked process."""

import os

import pytest

from registry.accounts.models import User
from tests.support import instances


@pytest.fixture
def place(tmp_path, db):
    made = instances.make_instance(tmp_path / "home")
    yield made
    instances.remove_instance(made)


def test_work_is_done_in_another_process_on_the_instance_s_database(place):
    assert place.run_forked(lambda: (User.objects.create(username="author").username, os.getpid()))[1] != os.getpid()
    assert place.run_forked(lambda: list(User.objects.values_list("username", flat=True))) == ["author"]
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("work", "error"), [(lambda: 1 // 0, "ZeroDivisionError"), (lambda: os._exit(1), "without an answer")]
)
def test_an_error_of_the_work_fails_the_test(place, work, error):
    with pytest.raises(AssertionError, match=error):
        place.run_forked(work)
