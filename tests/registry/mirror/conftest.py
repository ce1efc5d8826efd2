"""A journal with its own mirror."""

import pytest

from registry.accounts import actor as accounts_actor
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions
from registry.changes import services as change_services
from registry.templates import labels, samples
from registry.templates import save as template_save
from tests.people import load_support
from tests.support.recorded_rows import write_or_insert

TEMPLATE = "support/refunds/reply"


@pytest.fixture
def mirror_path(settings, tmp_path):
    """Where this test's mirror will stand."""
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    return settings.MIRROR_PATH


@pytest.fixture
def operator(db):
    return accounts_actor.build_operator_actor()


@pytest.fixture
def support(db, operator, mirror_path):
    """The namespace `support`, production protected, with the cast in it."""
    return load_support()


@pytest.fixture
def cast(support):
    """Actors by their role."""
    return {role: Actor(User.objects.get(username=role)) for role in ("author", "reviewer", "reader", "admin")}


def save(actor, body, base=None, **more):
    """Save a version whose body is one part."""
    document = f"- name: question\n  role: user\n  content: |\n    {body}\n"
    return template_save.save_version(
        actor=actor, name=TEMPLATE, document=document, message=f"Say {body}", base=base, **more
    )


@pytest.fixture
def story(cast):
    """Three versions, samples, a staging label, and version 2 published to production by a request with discussion."""
    write_or_insert("story of the mirror", lambda: _write_story(cast))
    return cast


def _write_story(cast):
    author, reviewer = cast["author"], cast["reviewer"]
    first = save(author, "hello {{ name }}", samples={"plain": {"name": "Käthe\n"}})
    second = save(author, "good day {{ name }}", first.version.digest)
    save(author, "good bye {{ name }}", second.version.digest)
    samples.save_samples(actor=author, name=TEMPLATE, samples={"plain": {"name": "Ada"}, "other": {"name": "x"}})
    labels.move_label(actor=author, name=TEMPLATE, label="staging", version=1, expected=None)
    labels.move_label(actor=author, name=TEMPLATE, label="staging", version=3, expected=1)
    change = change_services.propose_change(
        actor=author, name=TEMPLATE, label="production", version=2, message="Polite at last"
    )
    digest = second.version.digest
    decisions.decide_on_change(
        actor=reviewer, number=change.number, decision="comment", digest=digest, text="Why?\n\nSay: more"
    )
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=digest)
    change_services.publish_change(actor=author, number=change.number)
