"""A key's abilities as sentences and as trials: both agree with the results of the key's own calls."""

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.changes import rules as change_rules
from registry.changes import services as changes
from registry.core.errors import Invalid, NotAllowed, NotFound
from registry.namespaces import keys, services
from registry.serving.fetcher import get_fetcher
from registry.serving.key_trial import ACTS, describe_abilities, try_key
from registry.templates import labels
from registry.templates import save as template_save
from registry.usage.models import Fetch


@pytest.fixture
def reply(save, author, support):
    """Two versions, staging on the first."""
    get_fetcher().clear()
    save("one")
    save("two")
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)


def issue(admin, **facts) -> keys.IssuedKey:
    facts = {"person": "author", "approved_only": False, **facts}
    return keys.issue_key(actor=admin, namespace="support", name="chat", **facts)


def describe_by_verb(admin, key_id) -> dict[str, str]:
    return {row.verb: row.description for row in describe_abilities(admin, key_id)}


def test_a_key_that_only_fetches_says_what_and_where(admin, reply):
    key = issue(admin, verbs=["fetch"], labels=["production", "staging"]).key
    sentences = describe_by_verb(admin, key.id)
    assert sentences["Can fetch"] == "what production and staging serve, in the one template of support."
    assert sentences["Can't fetch"] == "other versions, drafts or anything of other namespaces."
    assert sentences["Can't approve, manage or try a prompt with a model."] == "No key can do that."
    assert any(verb.startswith("Can't read, check and render, save versions, propose changes") for verb in sentences)


def test_a_limited_key_names_the_protected_labels(admin, reply):
    key = issue(admin, scope="read", approved_only=None).key
    assert describe_by_verb(admin, key.id)["Can fetch"].startswith("approved versions, and what production serves")
    change_rules.set_rules(actor=admin, namespace="support", protected_labels=["production", "staging"])
    assert describe_by_verb(admin, key.id)["Can fetch"].startswith(
        "approved versions, and what production and staging serve,"
    )


def test_a_limited_key_says_why_it_does_not_read(admin, reply):
    sentences = describe_by_verb(admin, issue(admin, verbs=["fetch", "read"], approved_only=True).key.id)
    assert sentences["Can't read,"].startswith("although it was given this")
    assert any(verb.startswith("Can't check and render, save versions") for verb in sentences)
    sentences = describe_by_verb(admin, issue(admin, verbs=["fetch", "read"], approved_only=False).key.id)
    assert "Can read" in sentences
    assert "Can't read," not in sentences


def test_a_role_that_was_lowered_is_reported(admin, reply):
    key = issue(admin, scope="write").key
    assert "Can save versions" in describe_by_verb(admin, key.id)
    services.set_role(actor=admin, namespace="support", username="author", role="reader")
    assert "Can save versions" not in describe_by_verb(admin, key.id)
    services.set_role(actor=admin, namespace="support", username="author", role=None)
    assert describe_by_verb(admin, key.id) == {"Can't do anything.": "author has no role in support any more."}


def test_a_revoked_key_and_one_of_a_deactivated_person_do_nothing(admin, author, reply):
    key = issue(admin, scope="read").key
    author.person.is_active = False
    author.person.save()
    assert try_key(actor=admin, key_id=key.id, act="fetch", template="support/reply", ref="1").status == 401
    author.person.is_active = True
    author.person.save()
    keys.revoke_key(actor=admin, key_id=key.id)
    assert describe_by_verb(admin, key.id) == {"Can't do anything.": "It is revoked."}


def test_a_fetch_is_tried_by_the_rules_of_the_keys_own_fetches_and_not_counted(admin, reply):
    issued = issue(admin, verbs=["fetch"], labels=["staging"])
    for ref in ("1", "2", "staging", "production", "latest", "9"):
        trial = try_key(actor=admin, key_id=issued.key.id, act="fetch", template="support/reply", ref=ref)
        real = get_fetcher().answer(f"Bearer {issued.secret}", f"support/reply@{ref}")
        assert trial.status == real.status
    trial = try_key(actor=admin, key_id=issued.key.id, act="fetch", template="support/reply", ref="staging")
    assert (trial.is_allowed, trial.number) == (True, 1)
    assert trial.digest.startswith("sha256:")
    assert not Fetch.objects.exists()
    assert Key.objects.get(pk=issued.key.pk).last_used_at is None


@pytest.mark.parametrize(
    ("act", "ref", "status"),
    [
        ("save", "", 200),
        ("move", "staging", 200),
        ("move", "canary", 403),
        ("publish", "staging", 200),
        ("roll_back", "staging", 403),
        ("approve", "", 403),
    ],
)
def test_other_acts_are_tried_by_the_same_rules(admin, reply, act, ref, status):
    key = issue(admin, scope="write", labels=["staging"]).key
    trial = try_key(actor=admin, key_id=key.id, act=act, template="support/reply", ref=ref)
    assert (trial.status, trial.is_allowed) == (status, status == 200)
    assert trial.is_allowed or trial.sentence


def test_a_protected_label_is_not_moved_by_a_key(admin, reply):
    key = issue(admin, scope="write").key
    trial = try_key(actor=admin, key_id=key.id, act="move", template="support/reply", ref="production")
    assert (trial.status, "production is protected" in trial.sentence) == (403, True)


def test_only_a_protected_label_is_proposed_for(admin, author, reply):
    key = issue(admin, scope="write").key
    facts = {"actor": admin, "key_id": key.id, "act": "propose", "template": "support/reply"}
    trial = try_key(ref="staging", **facts)
    with pytest.raises(Invalid) as refusal:
        changes.propose_change(
            actor=Actor(author.person, key), name="support/reply", label="staging", version=2, message=""
        )
    assert (trial.status, trial.sentence) == (422, refusal.value.message)
    trial = try_key(ref="production", **facts)
    assert (trial.status, trial.sentence) == (
        200,
        "The key has the right, where the label does not serve the version already.",
    )


def test_the_first_save_of_a_new_template_is_tried_as_it_is_answered(admin, author, reply):
    writing, reading = (issue(admin, scope=scope).key for scope in ("write", "read"))
    facts = {"actor": admin, "act": "save"}
    assert try_key(key_id=writing.id, template="support/refunds/new", **facts).status == 200
    saved = template_save.save_version(
        actor=Actor(author.person, writing),
        name="support/refunds/new",
        document="- name: one\n  content: Hello\n",
        message="First",
    )
    assert saved.version.number == 1
    assert try_key(key_id=reading.id, template="support/refunds/other", **facts).status == 403
    assert try_key(key_id=writing.id, template="elsewhere/new", **facts).status == 404
    assert try_key(key_id=writing.id, template="support/No Slug", **facts).status == 422
    assert try_key(key_id=writing.id, template="support/missing", actor=admin, act="move", ref="staging").status == 404


def test_another_namespace_is_not_found(admin, outsider, reply):
    key = issue(admin, scope="read").key
    trial = try_key(actor=admin, key_id=key.id, act="fetch", template="elsewhere/reply", ref="1")
    assert trial.status == 404


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"act": "delete", "template": "support/reply"}, "act"),
        ({"act": "fetch", "template": ""}, "template"),
        ({"act": "fetch", "template": "support/reply"}, "ref"),
    ],
)
def test_a_question_that_can_not_be_asked_names_its_field(admin, reply, facts, field):
    with pytest.raises(Invalid, match=field):
        try_key(actor=admin, key_id=issue(admin, scope="read").key.id, **facts)


def test_admins_and_its_person_ask_nobody_else_and_no_key(admin, author, reviewer, outsider, reply):
    key = issue(admin, scope="read").key
    assert describe_abilities(author, key.id) == describe_abilities(admin, key.id)
    for actor in (reviewer, outsider):
        with pytest.raises(NotFound):
            describe_abilities(actor, key.id)
    with pytest.raises(NotAllowed):
        describe_abilities(Actor(author.person, key), key.id)
    assert ACTS[0] == "fetch"


def test_a_trial_from_an_address_is_answered_as_the_keys_own_call_from_there(admin, reply):
    issued = issue(admin, verbs=["fetch"], labels=["staging"], addresses=["203.0.113.0/24"])
    for address, status in (("203.0.113.9", 200), ("198.51.100.1", 403)):
        trial = try_key(
            actor=admin, key_id=issued.key.id, act="fetch", template="support/reply", ref="staging", address=address
        )
        real = get_fetcher().answer(f"Bearer {issued.secret}", "support/reply@staging", address=address)
        assert trial.status == real.status == status
    assert (
        describe_by_verb(admin, issued.key.id)["Can't be used"] == "from network addresses other than 203.0.113.0/24."
    )


@pytest.mark.parametrize("address", ["office", "203.0.113.0/24", "203.0.113.9/32"])
def test_a_trial_is_from_one_address(admin, reply, address):
    key = issue(admin, verbs=["fetch"]).key
    with pytest.raises(Invalid) as refusal:
        try_key(actor=admin, key_id=key.id, act="save", template="support/reply", address=address)
    assert list(refusal.value.fields) == ["address"]
