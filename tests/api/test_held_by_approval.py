"""Versions held by approval in the API: roll back, limited keys, rules, and responses by label."""

import base64

import pytest

from registry.changes import decisions, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.redaction import services as redaction_services
from tests.api.conftest import OTHER, REPLY, THIRD, Caller, problem
from tests.support.recorded_rows import write_or_insert

HEADER = "Promptuary-Approval"
PROTECT = {"protected_labels": ["production", "staging"]}
LABEL = f"templates/{REPLY}/-/labels/staging"


@pytest.fixture
def moved_freely(cast):
    """staging moved to 1, 2 and 1 again without a change or approval."""

    def write() -> None:
        first = cast.save()
        cast.save(OTHER, base=first.version.digest)
        cast.move("staging", 1), cast.move("staging", 2, 1), cast.move("staging", 1, 2)

    write_or_insert("staging that moved freely", write)


@pytest.fixture
def protected(cast, caller, moved_freely):
    """The change that protecting staging opened, as the API told it."""
    answer = caller("admin", session=True).call("PATCH", "namespaces/support", PROTECT)
    assert answer.status_code == 200
    [opened] = answer.json()["opened"]
    return opened


@pytest.fixture
def limited(cast):
    """A read key: it gets approved versions only, as production is protected."""
    return Caller(key=cast.key("reader"))


def approve(cast, number):
    change = ChangeRequest.objects.select_related("version").get(pk=number)
    decisions.decide_on_change(
        actor=cast.actor("reviewer"), number=number, decision="approve", digest=change.version.digest
    )


def finish(cast, number):
    approve(cast, number)
    change_services.publish_change(actor=cast.actor("author"), number=number)


def test_setting_rules_returns_the_opened_changes(protected):
    assert protected == {"number": 1, "template": REPLY, "label": "staging", "version": 1}


def test_setting_other_rules_opens_nothing(caller, moved_freely):
    answer = caller("admin", session=True).call("PATCH", "namespaces/support", {"approvals": 2})
    assert answer.json()["opened"] == []


@pytest.mark.parametrize("role", ["reviewer", "admin"])
def test_a_key_cannot_roll_back_to_an_unapproved_version(cast, protected, stored, role):
    key = Caller(key=cast.key(role, scope="", verbs=["roll_back"]))
    before = stored()
    answer = key.post(f"{LABEL}/roll-back", {"version": 2, "reason": "Because"})
    assert "without an approval" in problem(answer, 403, "approval-required")["detail"]
    assert stored() == before


def test_a_person_cannot_roll_back_to_an_unapproved_version(caller, protected):
    answer = caller("reviewer", session=True).post(f"{LABEL}/roll-back", {"version": 2, "reason": "Because"})
    problem(answer, 403, "approval-required")


def test_an_unprotected_label_goes_back_to_anything_it_held(caller, moved_freely):
    answer = caller("reviewer", session=True).post(f"{LABEL}/roll-back", {"version": 2, "reason": "Because"})
    assert answer.json() == {
        "template": REPLY,
        "label": "staging",
        "version": 2,
        "digest": answer.json()["digest"],
        "approval": None,
    }


class TestLimitedKeys:
    def pinned(self, limited):
        """What each way of asking for version 1 and 2 by number answers."""
        many = limited.post("fetch", {"refs": [f"{REPLY}@1", f"{REPLY}@2"]}).json()["results"]
        single = [limited.get(f"templates/{REPLY}@{number}").status_code for number in (1, 2)]
        bodies = [{"template": REPLY, "ref": str(number), "data": {"question": "?"}} for number in (1, 2)]
        rendered = [limited.post("render", body).status_code for body in bodies]
        included = [f'- name: a\n  content: "{{{{ fragment("{REPLY}@{number}") }}}}"\n' for number in (1, 2)]
        checked = [limited.post("check", {"document": text}).content.decode() for text in included]
        return (
            [one["status"] for one in many],
            single,
            rendered,
            ["PT501" not in text for text in checked],
        )

    def test_before_a_label_is_protected_and_after_they_read_none_of_what_it_held(self, caller, moved_freely, limited):
        refused = ([403, 403], [403, 403], [403, 403], [False, False])
        assert self.pinned(limited) == refused
        caller("admin", session=True).call("PATCH", "namespaces/support", PROTECT)
        assert self.pinned(limited) == refused

    def test_a_never_approved_version_is_fetched_by_its_label_only(self, protected, limited):
        answer = limited.get(f"templates/{REPLY}@staging")
        assert (answer.status_code, answer[HEADER], answer.json()["version"]) == (200, "never_approved", 1)
        digest = answer.json()["digest"]
        problem(limited.get(f"templates/{REPLY}@{digest}"), 403, "not-allowed")

    def test_once_its_change_is_approved_the_version_is_read_by_number(self, cast, protected, limited):
        approve(cast, protected["number"])
        assert self.pinned(limited) == ([200, 403], [200, 403], [200, 403], [True, False])

    def test_once_it_is_published_the_label_says_approved_under_the_same_tag(self, cast, protected, limited):
        before = limited.get(f"templates/{REPLY}@staging")
        assert limited.get(f"templates/{REPLY}@staging", If_None_Match=before["ETag"])[HEADER] == "never_approved"
        finish(cast, protected["number"])
        after = limited.get(f"templates/{REPLY}@staging", If_None_Match=before["ETag"])
        assert (after.status_code, after[HEADER]) == (304, "approved")
        assert self.pinned(limited) == ([200, 403], [200, 403], [200, 403], [True, False])

    def test_unprotecting_takes_them_away_again(self, cast, caller, protected, limited):
        finish(cast, protected["number"])
        caller("admin", session=True).call("PATCH", "namespaces/support", {"protected_labels": ["production"]})
        assert self.pinned(limited)[1] == [403, 403]
        problem(limited.get(f"templates/{REPLY}@staging"), 403, "not-allowed")

    def test_a_key_limited_to_the_label_gets_it_by_the_label_only(self, cast, protected):
        key = Caller(key=cast.key("reader", labels=["staging"]))
        assert key.get(f"templates/{REPLY}@staging").status_code == 200
        problem(key.get(f"templates/{REPLY}@1"), 403, "not-allowed")

    def test_redacted_versions_answer_gone(self, cast, caller, protected, limited):
        finish(cast, protected["number"])
        cast.publish(2, "staging")
        redaction_services.redact_version(actor=cast.actor("admin"), name=REPLY, version=1, reason="A name")
        assert limited.get(f"templates/{REPLY}@1").status_code == 410
        answer = caller("reviewer", session=True).post(f"{LABEL}/roll-back", {"version": 1, "reason": "Because"})
        assert answer.status_code == 410


def test_only_approved_protected_labels_have_the_approval_header(cast, caller, moved_freely):
    cast.publish(2)
    reader = caller("reader", session=True)
    assert reader.get(f"templates/{REPLY}@production")[HEADER] == "approved"
    for ref in ("staging", "latest", "2"):
        assert not reader.get(f"templates/{REPLY}@{ref}").has_header(HEADER)


def test_the_bundle_and_a_fetch_of_many_report_it_entry_by_entry(cast, protected, limited):
    bundle = limited.get("namespaces/support/bundle?label=staging")
    body = bundle.json()
    assert [entry["approval"] for entry in body["entries"]] == ["never_approved"]
    [many] = limited.post("fetch", {"refs": [f"{REPLY}@staging"]}).json()["results"]
    assert many["approval"] == "never_approved"
    finish(cast, protected["number"])
    after = limited.get("namespaces/support/bundle?label=staging", If_None_Match=bundle["ETag"])
    assert (after.status_code, after.json()["digest"]) == (200, body["digest"])
    assert [entry["approval"] for entry in after.json()["entries"]] == ["approved"]
    assert after["ETag"] == f'"{body["digest"]}"'


def test_templates_changes_and_moves_say_it(cast, caller, protected):
    reader = caller("reader", session=True)
    assert reader.get(f"templates/{REPLY}").json()["approval"] == {"staging": "never_approved"}
    assert reader.get("templates").json()["results"][0]["approval"] == {"staging": "never_approved"}
    change = reader.get(f"changes/{protected['number']}").json()
    assert (change["approval"], change["holds"]) == ("never_approved", 1)
    assert [blocker["code"] for blocker in change["blockers"]] == ["approvals"]
    finish(cast, protected["number"])
    history = reader.get(f"{LABEL}/history").json()["results"]
    assert [(move["before"], move["after"], move["how"], move["protected"]) for move in history] == [
        (1, 1, "published", True),
        (2, 1, "moved", False),
        (1, 2, "moved", False),
        (None, 1, "moved", False),
    ]


def test_an_emergency_is_fetched_by_its_label_only_until_it_is_approved(cast, caller, moved_freely, limited):
    rules.set_rules(actor=cast.actor("admin"), namespace="support", break_glass=True)
    cast.publish(1)
    change = cast.propose(2)
    reviewer = caller("reviewer", session=True)
    assert reviewer.post(f"changes/{change.number}/emergency", {"reason": "It burns"}).status_code == 200
    answer = limited.get(f"templates/{REPLY}@production")
    assert (answer.json()["version"], answer[HEADER]) == (2, "emergency")
    problem(limited.get(f"templates/{REPLY}@2"), 403, "not-allowed")
    decision = {"decision": "approve", "digest": change.version.digest}
    assert caller("admin", session=True).post(f"changes/{change.number}/decisions", decision).status_code == 201
    assert limited.get(f"templates/{REPLY}@production")[HEADER] == "approved"
    assert limited.get(f"templates/{REPLY}@2").status_code == 200


def test_langfuse_clients_get_the_label_with_the_mark_and_no_number(cast, client, protected):
    basic = base64.b64encode(f"pk:{cast.key('reader')}".encode()).decode()

    def ask(**query):
        return client.get(f"/api/public/v2/prompts/{REPLY}", query, headers={"Authorization": f"Basic {basic}"})

    found = ask(label="staging")
    assert (found.status_code, found[HEADER], found.json()["approval"]) == (200, "never_approved", "never_approved")
    assert ask(version=1).status_code == 403
    finish(cast, protected["number"])
    assert (ask(label="staging")[HEADER], ask(version=1).status_code) == ("approved", 200)


def test_people_and_unlimited_keys_read_all_of_it(cast, caller, protected):
    free = Caller(key=cast.key("reader", approved_only=False))
    for who in (free, caller("author"), caller("reader", session=True)):
        assert who.get(f"templates/{REPLY}@2").status_code == 200


def test_the_mark_stays_where_another_change_moves_the_label_on(cast, caller, protected, limited):
    cast.save(THIRD, base=cast.save(OTHER).version.digest)
    cast.publish(3, "staging")
    assert limited.get(f"templates/{REPLY}@staging")[HEADER] == "approved"
    problem(limited.get(f"templates/{REPLY}@1"), 403, "not-allowed")
    answer = caller("reviewer", session=True).post(f"{LABEL}/roll-back", {"version": 1, "reason": "Because"})
    problem(answer, 403, "approval-required")
