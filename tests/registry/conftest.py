"""The cast, by role, in a namespace where `production` is protected and one approval is required."""

import pytest

from registry.accounts import actor as accounts_actor
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.namespaces import services
from registry.namespaces.models import Namespace
from registry.templates import save as template_save
from registry.templates.models import Template
from tests.people import load_support
from tests.support.recorded_rows import write_or_insert

REPLY = """---
inputs:
  question: {type: string}
---
- name: question
  content: |
    Answer: {{ question }}
"""


@pytest.fixture
def database(request):
    """The usual database, rolled back after the test, or a separate one for a test that commits."""
    return request.getfixturevalue("transactional_db" if "transactional_db" in request.fixturenames else "db")


@pytest.fixture
def operator(database) -> Actor:
    write_or_insert("operator", lambda: accounts_actor.build_operator_actor().person.pk)
    return accounts_actor.build_operator_actor()


@pytest.fixture
def support(operator) -> Namespace:
    """The namespace `support` with author, reviewer, reader and admin in it."""
    return load_support()


@pytest.fixture
def author(support) -> Actor:
    return Actor(User.objects.get(username="author"))


@pytest.fixture
def reviewer(support) -> Actor:
    return Actor(User.objects.get(username="reviewer"))


@pytest.fixture
def reader(support) -> Actor:
    return Actor(User.objects.get(username="reader"))


@pytest.fixture
def admin(support) -> Actor:
    return Actor(User.objects.get(username="admin"))


@pytest.fixture
def outsider(operator) -> Actor:
    """Admin of another namespace, stranger to this one."""
    person = User.objects.create(username="outsider")
    services.create_namespace(actor=Actor(person), name="elsewhere")
    return Actor(person)


@pytest.fixture
def document():
    """A sound document; each `mark` makes another one."""

    def write(mark: str = "") -> str:
        return REPLY.replace("Answer:", f"Answer {mark}:") if mark else REPLY

    return write


@pytest.fixture
def save(author, document):
    """Save the next version of a template as the author (or somebody else) and return it."""

    def write(mark: str = "", name: str = "support/reply", actor: Actor | None = None, base=None, parallel=False):
        if base is None:
            base = Template.objects.filter(name=name).values_list("latest__digest", flat=True).first()
        saved = template_save.save_version(
            actor=actor or author, name=name, document=document(mark), message=mark, base=base, parallel=parallel
        )
        return saved.version

    return write


@pytest.fixture
def propose(author):
    """Propose a version for production as the author."""

    def run(version, actor=None, message="Please"):
        name = version.template.name
        return change_services.propose_change(
            actor=actor or author, name=name, label="production", version=version.number, message=message
        )

    return run


@pytest.fixture
def change(propose, save):
    """A request for version 1 of `support/reply`, marked "one"; its line 7 is the answer's."""
    number = write_or_insert("change of version one", lambda: propose(save("one")).number)
    return ChangeRequest.objects.select_related("template", "version__template").get(number=number)


@pytest.fixture
def approve(reviewer):
    """Approve a request as the reviewer, at its current digest."""

    def run(change, actor=None, digest=None):
        change.refresh_from_db()
        digest = digest or change.version.digest
        return decisions.decide_on_change(
            actor=actor or reviewer, number=change.number, decision="approve", digest=digest
        )

    return run


@pytest.fixture
def publish(author, propose, approve):
    """Bring a version to production the right way."""

    def run(version):
        change = propose(version)
        approve(change)
        return change_services.publish_change(actor=author, number=change.number)

    return run
