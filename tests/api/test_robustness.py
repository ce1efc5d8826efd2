"""Whatever is sent, the response is a refusal and never a server error."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from registry.changes.api import DecisionInput, ProposeInput, VersionInput, WithdrawChangeInput
from registry.templates.api import SaveInput
from registry.templates.label_api import MoveInput, RollBackInput
from registry.templates.render_api import CheckInput, RenderInput
from registry.templates.sample_api import SamplesInput
from tests.api.conftest import REPLY, Caller
from tests.support.examples import example_count

T = f"templates/{REPLY}"
ROUTES = {
    "save": ("PUT", T, SaveInput),
    "samples": ("PUT", f"{T}/-/samples", SamplesInput),
    "label": ("PUT", f"{T}/-/labels/staging", MoveInput),
    "roll-back": ("POST", f"{T}/-/labels/staging/roll-back", RollBackInput),
    "propose": ("POST", "changes", ProposeInput),
    "version": ("POST", "changes/1/version", VersionInput),
    "decide": ("POST", "changes/1/decisions", DecisionInput),
    "withdraw": ("POST", "changes/1/withdraw", WithdrawChangeInput),
    "check": ("POST", "check", CheckInput),
    "render": ("POST", "render", RenderInput),
}
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(
        [REPLY, "production", "latest", "approve", "comment", "sha256:" + "0" * 64, "{{ x }}", "---\n", "text"]
    )
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


def _bodies(kind):
    names = list(kind().fields)
    return st.fixed_dictionaries({}, optional=dict.fromkeys(names, VALUES)) | VALUES


@pytest.mark.parametrize("route", ROUTES)
def test_no_body_makes_the_server_fail(cast, caller, route):
    cast.save()
    cast.propose(1)
    method, path, kind = ROUTES[route]
    author = caller("reviewer")

    @settings(max_examples=example_count(0.1), suppress_health_check=list(HealthCheck))
    @given(_bodies(kind))
    def send(body):
        response = author.call(method, path, json.dumps(body).encode())
        assert response.status_code < 500, (body, response.content)
        assert response.status_code == 200 or "title" in response.json() or response.status_code == 201

    send()


@settings(max_examples=example_count(0.2), suppress_health_check=list(HealthCheck))
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.sampled_from(["GET", "PUT", "POST"]))
def test_no_address_makes_the_server_fail(cast, rest, method):
    caller = Caller(person=cast.people["author"])
    for path in (f"templates/{rest}", f"templates/{REPLY}@{rest}", f"{T}/-/labels/{rest}", f"changes/{rest}"):
        assert caller.call(method, path, {} if method != "GET" else None).status_code < 500


@pytest.mark.parametrize("number", ["0", "9" * 9, "9" * 19, "9" * 400])
def test_a_number_beyond_all_bounds_is_not_found(cast, caller, number):
    cast.save()
    assert caller("author").get(f"changes/{number}").status_code == 404
    assert caller("author").get(f"{T}@{number}").status_code == 404
    assert caller("author").post(f"changes/{number}/version", {"version": 1}).status_code == 404
    assert caller("author").post(f"changes/{number}/withdraw", {"reason": "No"}).status_code == 404


def test_a_version_number_beyond_the_databases_is_not_found(cast, caller):
    cast.save()
    author = caller("author")
    for number in (2**31, 2**53 - 1):
        assert author.put(f"{T}/-/labels/staging", {"version": number, "expected": None}).status_code == 404
        assert author.put(f"{T}/-/labels/staging", {"version": 1, "expected": number}).status_code == 409
        assert (
            author.post(
                "changes", {"template": REPLY, "label": "production", "version": number, "message": ""}
            ).status_code
            == 404
        )


@pytest.mark.parametrize("cursor", ["WzFd", "MQ", "IiI", "LTE", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5", "x" * 5000])
def test_a_forged_cursor_is_harmless(cast, caller, cursor):
    reader = caller("reader")
    for path in ("templates", "changes"):
        assert reader.get(f"{path}?cursor={cursor}").status_code in (200, 422)
