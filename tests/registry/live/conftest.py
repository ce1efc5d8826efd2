"""One instance and one server for all tests of the live streams; each test has sessions and a template of its own."""

import itertools
import json
from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support import instances
from tests.support.rsgi_server import serve_rsgi

_SETUP = """
import json, django; django.setup()
from django.test import Client
from registry.accounts.actor import build_operator_actor
from registry.accounts.models import User
from registry.namespaces import services
operator = build_operator_actor()
services.create_namespace(actor=operator, name="support")
people = []
for username, role in (("author", "author"), ("reviewer", "reviewer"), ("former", "reviewer"), ("outsider", None)):
    people.append(User.objects.create(username=username))
    if role:
        services.set_role(actor=operator, namespace="support", username=username, role=role)
def sign_in(person):
    browser = Client()
    browser.force_login(person)
    return browser.session.session_key
print(json.dumps([{person.username: sign_in(person) for person in people} for _ in range(20)]))
"""
_numbers = itertools.count(1)


@pytest.fixture(scope="package")
def _made(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[instances.Instance, Iterator[dict[str, str]]]]:
    """The instance, and for each test the session of each person."""
    with django_db_blocker.unblock():
        made = instances.make_instance(tmp_path_factory.mktemp("streams") / "home")
        yield made, iter(json.loads(made.run("-c", _SETUP).stdout.splitlines()[-1]))
        instances.remove_instance(made)


@pytest.fixture(scope="package")
def port(_made: tuple[instances.Instance, object]) -> Iterator[int]:
    """The port of a web process on the instance."""
    with serve_rsgi("registry.rsgi:application", _made[0].environment()) as port:
        yield port


@pytest.fixture
def place(_made: tuple[instances.Instance, object], db: None) -> instances.Instance:
    """An instance with a namespace: an author, two reviewers, of whom a test may end the role of one, an outsider."""
    return _made[0]


@pytest.fixture
def sessions(_made: tuple[object, Iterator[dict[str, str]]]) -> dict[str, str]:
    """The key of a new session of each person."""
    return next(_made[1])


@pytest.fixture
def name() -> str:
    """The name of a template that no other test has."""
    return f"support/reply{next(_numbers)}"
