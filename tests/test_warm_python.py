"""Programs in processes that have loaded packages already end as those that Python starts."""

import os
import signal
import subprocess

import pytest

from tests.support.warm_python import WarmPython


@pytest.fixture(scope="module")
def python():
    made = WarmPython()
    yield made
    made.close()


def run(python, *arguments, seconds=60.0, **variables):
    done = python.run(arguments, {"PATH": os.environ["PATH"], **variables}, seconds)
    return done.returncode, done.stdout, done.stderr


def test_a_program_has_its_arguments_and_its_environment_only(python):
    code = "import os, sys; print(sys.argv, os.environ.get('HERE'), os.environ.get('HOME'), __name__)"
    assert run(python, "-c", code, "one", HERE="1") == (0, "['-c', 'one'] 1 None __main__\n", "")
    assert run(python, "-c", code) == (0, "['-c'] None None __main__\n", "")


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("import sys; sys.exit(3)", (3, "", "")),
        ("import sys; sys.exit('No.')", (1, "", "No.\n")),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", (-signal.SIGKILL, "", "")),
        ("import atexit; atexit.register(print, 'last')", (0, "last\n", "")),
    ],
)
def test_a_program_ends_as_it_does_in_a_python_of_its_own(python, code, ended):
    assert run(python, "-c", code) == ended


def test_an_error_that_nobody_catches_is_told(python):
    code, output, errors = run(python, "-c", "1 // 0")
    assert (code, output) == (1, "")
    assert errors.splitlines()[0].startswith("Traceback")
    assert errors.splitlines()[-1].startswith("ZeroDivisionError")


def test_scripts_and_modules_are_programs_too(python):
    code, output, _ = run(python, "manage.py", "help", "createperson")
    assert code == 0
    assert output.startswith("usage: manage.py createperson")
    assert run(python, "-m", "json.tool", "--help")[0] == 0


def test_settings_are_read_by_the_program_and_not_before(python):
    code = "from django.conf import settings; import sys; print(settings.configured, 'django.db.models' in sys.modules)"
    assert run(python, "-c", code) == (0, "False True\n", "")


def test_a_program_that_takes_too_long_is_killed(python):
    with pytest.raises(subprocess.TimeoutExpired):
        run(python, "-c", "import signal; signal.pause()", seconds=0.1)
