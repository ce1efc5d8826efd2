"""However versions and requests change, no change is published with only its contributors' approvals.

Random histories are compared with a small model: the contributors to a version include those to all its ancestors.
"""

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions, suggestions, threads
from registry.changes import merge as change_merge
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.changes.threads import Place
from registry.core.errors import PromptuaryError
from registry.namespaces import services as namespace_services
from registry.templates import save as template_save
from registry.templates.label_models import Label
from registry.templates.models import Version
from tests.support.examples import example_count

pytestmark = pytest.mark.django_db
NAME = "support/reply"
PEOPLE = ("ada", "ben", "cleo")
LINES = "- name: one\n  content: {}\n- name: two\n  content: {}\n- name: three\n  content: {}\n"
person, number, word = st.sampled_from(PEOPLE), st.integers(1, 6), st.sampled_from("ABC")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("save"), person, number, st.tuples(word, word, word)),
        st.tuples(st.just("propose"), person, number),
        st.tuples(st.just("head"), person, number),
        st.tuples(st.just("suggest"), person, person, word),
        st.tuples(st.just("merge"), person),
        st.tuples(st.just("withdraw"), person),
        st.tuples(st.just("approve"), person),
        st.tuples(st.just("approve"), person),
        st.tuples(st.just("publish"), person),
    ),
    min_size=8,
    max_size=24,
)


class Model:
    """Who had a hand in what, kept beside the registry and never asked of it."""

    def __init__(self):
        self.author, self.sources, self.heads, self.served = {}, {}, {}, None

    def saved(self, version, author, *sources, suggested=()):
        if version not in self.author:
            self.author[version] = {author, *suggested}
            self.sources[version] = {source for source in sources if source}

    def above(self, version):
        found, waiting = set(), [version]
        while waiting:
            at = waiting.pop()
            if at and at not in found:
                found.add(at)
                waiting += self.sources[at]
        return found

    def contributors(self, change):
        live = self.above(self.served)
        hands, versions = set(), set()
        for version, by in self.heads[change]:
            hands.add(by)
            versions |= self.above(version) - live
        for version in versions:
            hands |= self.author[version]
        return hands


class Registry:
    """The same actions on the registry; a refused action changes neither."""

    def __init__(self):
        self.model = Model()
        self.published = 0

    def act(self, name, *given):
        try:
            with transaction.atomic():
                getattr(self, name)(*given)
        except PromptuaryError:
            pass

    def save(self, who, base, words):
        base = Version.objects.filter(number=base).first() or Version.objects.order_by("-number").first()
        saved = template_save.save_version(
            actor=actor(who),
            name=NAME,
            document=LINES.format(*words),
            message="",
            base=base.digest if base else None,
            parallel=True,
        )
        if saved.created:
            made_from = saved.version.base
            self.model.saved(saved.version.number, who, made_from.number if made_from else None)

    def propose(self, who, version):
        if open_change() is None:
            made = change_services.propose_change(
                actor=actor(who), name=NAME, label="production", version=version, message=""
            )
            self.model.heads[made.number] = [(version, who)]

    def head(self, who, version):
        change = (
            change_services.set_head(actor=actor(who), number=open_change().number, version=version)
            if open_change()
            else None
        )
        if change:
            self.model.heads[change.number].append((version, who))

    def suggest(self, who, by, text):
        change = open_change()
        if change is None:
            return
        place = Place(version=change.version.number, line=2)
        thread = threads.open_thread(
            actor=actor(who), number=change.number, place=place, text="", suggestion=f"  content: {text}\n"
        )
        before = change.version.number
        after = suggestions.apply_suggestions(
            actor=actor(by), number=change.number, comments=[(thread.number, 1)], confirm=True
        ).version.number
        self.model.saved(after, by, before, suggested=(who,))
        self.model.heads[change.number].append((after, by))

    def merge(self, who):
        change = open_change()
        if change is None:
            return
        before, served = change.version.number, self.model.served
        after = change_merge.merge_change(actor=actor(who), number=change.number).version.number
        self.model.saved(after, who, served, before)
        self.model.heads[change.number].append((after, who))

    def withdraw(self, who):
        if change := open_change():
            change_services.withdraw_change(actor=actor(who), number=change.number, reason="Not needed")

    def approve(self, who):
        if change := open_change():
            decisions.decide_on_change(
                actor=actor(who), number=change.number, decision="approve", digest=change.version.digest
            )

    def publish(self, who):
        change = open_change()
        if change is None:
            return
        said = change.decisions.filter(decision="approve", digest=change.version.digest, round=change.round)
        change_services.publish_change(actor=actor(who), number=change.number)
        approved = set(said.values_list("person__username", flat=True))
        assert approved - self.model.contributors(change.number), "only contributors approved it"
        self.model.served = Label.objects.get(name="production").version.number
        self.published += 1


def actor(name):
    return Actor(User.objects.get(username=name))


def open_change():
    rows = ChangeRequest.objects.filter(state__in=("open", "approved")).select_related("version")
    return rows.order_by("number").first()


@pytest.fixture
def team(operator):
    namespace_services.create_namespace(
        actor=operator, name="support", protected_labels=["production"], required_checks=[]
    )
    for name in PEOPLE:
        User.objects.create(username=name)
        namespace_services.set_role(actor=operator, namespace="support", username=name, role="reviewer")


@settings(
    max_examples=example_count(0.2), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(steps=STEPS)
def test_no_history_publishes_with_the_approvals_of_contributors_alone(team, steps):
    with transaction.atomic():
        registry = Registry()
        for step in [("save", "ada", 1, "AAA"), *steps]:
            registry.act(*step)
        transaction.set_rollback(True)


def test_the_random_histories_can_publish(team):
    """The property says something only if publishing is possible at all."""
    registry = Registry()
    story = [
        ("save", "ada", 1, "AAA"),
        ("propose", "ada", 1),
        ("approve", "ben"),
        ("publish", "ada"),
        ("save", "ben", 1, "BAA"),
        ("save", "ada", 2, "BAB"),
        ("propose", "ada", 3),
        ("approve", "ben"),
        ("publish", "ada"),
        ("approve", "cleo"),
        ("publish", "ada"),
    ]
    seen = []
    for step in story:
        registry.act(*step)
        seen.append(registry.published)
    assert (seen[3], seen[8], seen[10]) == (1, 1, 2)
