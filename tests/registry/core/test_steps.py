"""Steps of a periodic task."""

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError

from registry.core.steps import run_steps


def fail_with(error):
    def step():
        raise error

    return step


@pytest.mark.parametrize("error", [ValueError("wrong"), IntegrityError("doubled"), OSError("full")])
def test_a_step_that_fails_is_logged_and_the_next_ones_run(caplog, error):
    done = []
    run_steps(lambda: done.append(1), fail_with(error), lambda: done.append(2))
    assert done == [1, 2]
    assert caplog.text.count(str(error)) == 1
    assert "fail_with.<locals>.step failed" in caplog.text


@pytest.mark.parametrize("error", [OperationalError("gone"), InterfaceError("closed")])
def test_without_the_database_the_other_steps_are_not_tried(error):
    done = []
    with pytest.raises(type(error)):
        run_steps(fail_with(error), lambda: done.append(1))
    assert not done
