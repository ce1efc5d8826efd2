"""`manage.py copydatabase` as an operator runs it: its output and exit codes."""

import sqlite3
from contextlib import closing

import pytest

from tests.support import instances

pytestmark = [pytest.mark.slow, pytest.mark.dialect]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A registry on SQLite with a namespace in it; each test takes a copy."""
    made = instances.make_instance(tmp_path_factory.mktemp("copied") / "filled", engine="sqlite")
    made.manage("createperson", "admin", "--no-password")
    made.manage("createnamespace", "support", "--admin", "admin")
    return made


@pytest.fixture
def places(filled, tmp_path):
    """A source on SQLite with a namespace in it, and an empty target on the engine that the run is about."""
    made = instances.copy_instance(filled, tmp_path / "source"), instances.make_instance(tmp_path / "target")
    yield made
    for place in made:
        instances.remove_instance(place)


def url_of(place):
    return place.database or f"sqlite:///{place.home / 'promptuary.sqlite3'}"


def run(place, *arguments, **variables):
    return place.run("manage.py", "copydatabase", *arguments, check=False, **variables)


def test_a_copy_is_proved_compared_and_not_repeated(places, tmp_path):
    source, target = places
    address = tmp_path / "address"
    address.write_text(url_of(target))
    done = run(source, PROMPTUARY_COPY_TO_FILE=str(address))
    assert (done.returncode, done.stderr) == (0, "")
    assert "registry_namespace: 1 rows copied" in done.stdout
    assert "the journal's chain is whole in both" in done.stdout.splitlines()[-1]
    compared = run(source, "--compare", PROMPTUARY_COPY_TO=url_of(target))
    assert compared.stdout.splitlines()[-1] == done.stdout.splitlines()[-1]
    repeated = run(source, PROMPTUARY_COPY_TO=url_of(target))
    assert repeated.returncode == 1
    assert "CommandError: The target is not empty" in repeated.stderr
    source.manage("createnamespace", "later", "--admin", "admin")
    different = run(source, "--compare", PROMPTUARY_COPY_TO=url_of(target))
    assert different.returncode == 3
    assert "registry_namespace has 2 rows in the source and 1 in the target." in different.stderr
    assert "The journal ends with sha256:" in different.stderr


def test_a_source_that_is_being_served_is_refused(places):
    source, target = places
    with closing(sqlite3.connect(source.home / "promptuary.sqlite3")) as server:
        server.execute("SELECT count(*) FROM registry_user").fetchone()
        refused = run(source, PROMPTUARY_COPY_TO=url_of(target))
    assert refused.returncode == 1
    assert "The source is in use. Stop the server and its workers first." in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize("address", ["", "mysql://host/name"])
def test_a_missing_or_foreign_address_is_reported_by_the_variable_s_name(places, address):
    refused = run(places[0], PROMPTUARY_COPY_TO=address)
    assert refused.returncode == 1
    assert "PROMPTUARY_COPY_TO must be a URL that starts with one of postgres, postgresql, sqlite." in refused.stderr
