"""Keys in the API, and the effect of their limits on fetches."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest

from registry.accounts.models import Key
from registry.journal import log
from registry.namespaces import keys
from registry.serving.fetcher import get_fetcher
from registry.usage import recorder
from tests.api.conftest import OTHER, REPLY, Caller, problem

T = f"templates/{REPLY}"
ISSUE = {"name": "bot", "person": "author"}


@pytest.fixture
def admin(cast) -> Caller:
    return Caller(person=cast.people["admin"])


@pytest.fixture
def staged(cast):
    """Version 1 on staging, version 2 on none."""
    first = cast.save(name="demo/answer")
    cast.save(OTHER, name="demo/answer", base=first.version.digest)
    cast.move("staging", 1, name="demo/answer")


def test_a_key_is_issued_with_verbs_and_labels_and_shown_once(admin, cast):
    arguments = {**ISSUE, "verbs": ["move", "fetch"], "labels": ["staging"], "expires_at": "2099-01-01T00:00:00Z"}
    response = admin.post("namespaces/support/keys", arguments)
    issued = response.json()
    assert (response.status_code, response["Cache-Control"]) == (201, "no-store")
    assert (issued["scope"], issued["verbs"], issued["labels"]) == ("chosen", ["fetch", "move"], ["staging"])
    assert issued["expires_at"] == "2099-01-01T00:00:00.000000Z"
    listed = admin.get("namespaces/support/keys").json()["results"]
    assert listed == [{name: value for name, value in issued.items() if name != "secret"}]


def test_a_named_scope_is_listed_with_its_verbs(admin, cast):
    issued = admin.post("namespaces/support/keys", {**ISSUE, "scope": "read"}).json()
    assert (issued["scope"], issued["verbs"]) == ("read", ["read", "check", "fetch"])


def test_a_default_key_only_fetches_and_expires_after_ninety_days(admin, cast):
    issued = admin.post("namespaces/support/keys", ISSUE).json()
    assert issued["verbs"] == ["fetch"]
    left = datetime.fromisoformat(issued["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=89) < left <= timedelta(days=90)


def test_a_key_with_null_as_its_expiry_never_expires(admin, cast):
    assert admin.post("namespaces/support/keys", {**ISSUE, "expires_at": None}).json()["expires_at"] is None


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"verbs": ["approve"]}, "verbs"),
        ({"scope": "admin"}, "scope"),
        ({"scope": "read", "person": "outsider"}, "person"),
        ({"scope": "read", "labels": ["latest"]}, "labels"),
        ({"scope": "read", "expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
        ({"scope": "read", "expires_at": "2568-07-25T14:39:35Z"}, "expires_at"),
    ],
)
def test_an_invalid_value_is_refused_at_its_field(admin, cast, facts, field):
    body = problem(admin.post("namespaces/support/keys", {**ISSUE, **facts}), 422, "invalid")
    assert list(body["fields"]) == [field]


@pytest.mark.parametrize("facts", [{"expires_at": 5}, {"expires_at": "soon"}, {"verbs": "fetch"}, {"secret": "x"}])
def test_a_value_of_another_type_is_a_bad_request(admin, cast, facts):
    problem(admin.post("namespaces/support/keys", {**ISSUE, "scope": "read", **facts}), 400, "bad-request")


def test_a_rotated_key_holds_immediately_and_the_old_one_until_the_chosen_time(admin, cast):
    cast.save()
    old = admin.post("namespaces/support/keys", {**ISSUE, "scope": "write"}).json()
    until = (log.now() + timedelta(hours=1)).isoformat()
    response = admin.post(f"keys/{old['id']}/rotate", {"keep_until": until})
    new = response.json()
    assert (response.status_code, new["replaces"]) == (201, old["id"])
    for key in (old, new):
        assert Caller(key=key["secret"]).get(f"{T}@1").status_code == 200
    problem(admin.post(f"keys/{old['id']}/rotate", {}), 409, "conflict")


def test_a_key_revoked_over_the_api_opens_nothing(admin, cast):
    cast.save()
    issued = admin.post("namespaces/support/keys", {**ISSUE, "scope": "write"}).json()
    assert admin.call("DELETE", f"keys/{issued['id']}").json()["revoked_at"]
    assert Caller(key=issued["secret"]).get(f"{T}@1").status_code == 401


def test_revoking_over_the_api_takes_a_reason_and_a_time(admin, cast):
    issued = admin.post("namespaces/support/keys", {**ISSUE, "scope": "write"}).json()
    path, until = f"keys/{issued['id']}", (log.now() + timedelta(hours=1)).isoformat()
    for query in ("keep_until=soon", "why=lost", "reason=a&reason=b"):
        problem(admin.call("DELETE", f"{path}?{query}"), 400, "bad-request")
    problem(admin.call("DELETE", f"{path}?keep_until=2568-07-25T14:39:35Z"), 422, "invalid")
    revoked = admin.call("DELETE", f"{path}?{urlencode({'reason': 'Lost', 'keep_until': until})}").json()
    assert (revoked["revoked_at"], revoked["expires_at"][:19]) == (None, until[:19])
    (event,) = admin.get("namespaces/support/events?kind=key.revoked").json()["results"]
    assert event["body"]["reason"] == "Lost"


def test_a_revocation_set_for_later_is_cancelled_over_the_api(admin, cast):
    issued = admin.post("namespaces/support/keys", ISSUE).json()
    path, until = f"keys/{issued['id']}", (log.now() + timedelta(hours=1)).isoformat()
    problem(admin.post(f"{path}/keep"), 409, "conflict")
    assert admin.call("DELETE", f"{path}?{urlencode({'keep_until': until})}").json()["expires_at"][:19] == until[:19]
    body = admin.post(f"{path}/keep").json()
    assert (body["revoked_at"], body["expires_at"]) == (None, issued["expires_at"])
    problem(admin.post(f"{path}/keep"), 409, "conflict")


def test_the_api_reports_the_usage_of_a_key(admin, cast):
    cast.save()
    issued = admin.post("namespaces/support/keys", {**ISSUE, "scope": "write"}).json()
    for _ in range(3):
        assert Caller(key=issued["secret"]).get(f"{T}@1").status_code == 200
    assert recorder.flush_counts()
    use = admin.get(f"keys/{issued['id']}/use").json()
    assert (use["fetches"], use["fetches_per_day"], use["fetches_yesterday"]) == (3, 1, 0)
    assert use["templates"] == [{"template": T.removeprefix("templates/"), "fetches": 3}]
    assert (use["name"], use["person"]) == (issued["name"], issued["person"])


def test_a_fetch_takes_the_verb_fetch(cast):
    cast.save()
    caller = Caller(key=cast.key(scope="", verbs=["read", "save"]))
    assert caller.get(T).status_code == 200
    body = problem(caller.get(f"{T}@1"), 403, "not-allowed")
    assert "the verb fetch. Ask an admin of support: admin." in body["detail"]


def test_a_key_limited_to_a_label_fetches_its_version_by_any_ref(cast, staged):
    caller = Caller(key=cast.key(namespace="demo", labels=["staging"]))
    digest = caller.get("templates/demo/answer@staging").json()["digest"]
    assert [caller.get(f"templates/demo/answer@{ref}").status_code for ref in ("1", digest)] == [200, 200]
    for ref in ("2", "latest"):
        body = problem(caller.get(f"templates/demo/answer@{ref}"), 403, "not-allowed")
        assert body["labels"] == ["staging"]


def test_a_fetch_follows_the_label_that_its_key_is_limited_to(cast, staged):
    caller = Caller(key=cast.key(namespace="demo", labels=["staging"]))
    assert caller.get("templates/demo/answer@1").status_code == 200
    cast.move("staging", 2, expected=1, name="demo/answer")
    assert caller.get("templates/demo/answer@1").status_code == 403
    assert caller.get("templates/demo/answer@2").status_code == 200


def test_a_rotation_takes_effect_in_a_warm_process_within_a_second(cast):
    cast.save()
    key = cast.key(scope="write")
    assert get_fetcher().answer(f"Bearer {key}", f"{REPLY}@1").status == 200
    keys.rotate_key(actor=cast.actor("admin"), key_id=key.split("_")[1])
    get_fetcher().follower.mark_due()  # as the journal's subscriber does; other processes poll every 0.4 s
    assert get_fetcher().answer(f"Bearer {key}", f"{REPLY}@1").status == 401


def test_the_last_use_is_written_by_no_read(cast):
    cast.save()
    key = cast.key(scope="write")
    assert Caller(key=key).get(f"{T}@1").status_code == 200
    assert Key.objects.get(id=key.split("_")[1]).last_used_at is None


def test_an_admin_of_another_namespace_finds_no_key(cast):
    key = cast.key(scope="read").split("_")[1]
    stranger = Caller(person=cast.people["outsider"])
    problem(stranger.call("DELETE", f"keys/{key}"), 404, "not-found")
    problem(stranger.post(f"keys/{key}/rotate", {}), 404, "not-found")


def test_a_person_lists_the_keys_that_act_for_them_and_revokes_one(cast):
    secret = cast.key("author", "write", labels=["staging"])
    caller = Caller(person=cast.people["author"])
    (listed,) = caller.get("keys").json()["results"]
    assert (listed["namespace"], listed["created_by"], listed["person"]) == ("support", "admin", "author")
    assert listed["may"].endswith("and run evaluations, only what staging serves")
    assert Caller(person=cast.people["reader"]).get("keys").json() == {"results": []}
    problem(Caller(person=cast.people["reviewer"]).call("DELETE", f"keys/{listed['id']}"), 403, "not-allowed")
    assert caller.call("DELETE", f"keys/{listed['id']}").json()["revoked_at"]
    assert Caller(key=secret).get("templates").status_code == 401


def test_a_key_lists_and_revokes_none_not_even_itself(cast):
    caller = Caller(key=cast.key("author", "write"))
    details = problem(caller.get("keys"), 403, "not-allowed")
    problem(caller.call("DELETE", f"keys/{details['key']}"), 403, "not-allowed")
