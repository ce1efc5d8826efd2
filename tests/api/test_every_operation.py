"""Generated calls of every operation of the API, by every kind of caller: what comes back is what the schema declares.

The calls follow from the commit: the same commit makes the same calls. A round of torture makes 20 of each operation.
"""

import re
from typing import Any

import pytest
import requests
import schemathesis
from django.urls import resolve
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.conftest import Caller
from tests.api.test_permissions import TABLE, fill_body, world
from tests.support.commit_seed import read_commit_seed
from tests.support.examples import run_size

__all__ = ["world"]  # the fixture
pytestmark = pytest.mark.slow

CALLS = run_size(4, torture=20)  # of each operation
NOT_IN_THE_SCHEMA = {"api-schema", "api-docs", "api-unknown"}
OPERATIONS: dict[str, list[tuple[str, str]]] = {}  # by the first word of their route
for row in TABLE:
    if row[0] not in NOT_IN_THE_SCHEMA:
        OPERATIONS.setdefault(row[0].split("-")[1].removesuffix("s"), []).append(row)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@pytest.fixture
def callers(cast) -> dict[str, Caller]:
    """People of every role, keys of every scope, and an anonymous caller."""
    limits: dict[str, dict[str, Any]] = {
        "write key": {"scope": "write"},
        "key of approved versions": {"scope": "read"},
        "key of a label": {"scope": "write", "labels": ["staging"]},
        "key of two verbs": {"scope": "", "verbs": ["fetch", "check"], "approved_only": False},
    }
    people = {role: Caller(person=person) for role, person in cast.people.items()}
    return {**people, **{name: Caller(key=cast.key(**limit)) for name, limit in limits.items()}, "nobody": Caller()}


@pytest.fixture(scope="session")
def schema(django_db_setup, django_db_blocker) -> Any:
    with django_db_blocker.unblock():
        return schemathesis.openapi.from_dict(Caller().get("schema").json())


def find_operation(schema: Any, path: str, method: str) -> tuple[Any, dict[str, str]]:
    """The operation of the schema that answers this call, and what the call's address says for its parameters."""
    match = resolve("/api/v1/" + path.partition("?")[0])
    declared = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", match.route)
    return schema[declared][method], {name: str(value) for name, value in match.kwargs.items()}


def generate_calls(operation: Any, parameters: dict[str, str]) -> st.SearchStrategy[Any]:
    """Generate cases that follow the schema and cases that break it, for existing and missing objects."""
    sound = schemathesis.GenerationMode.POSITIVE
    strategies = [operation.as_strategy(sound)]
    if parameters:
        strategies.append(operation.as_strategy(sound, path_parameters=parameters))
    if operation.body or operation.query or operation.headers:
        broken = schemathesis.GenerationMode.NEGATIVE
        strategies.append(operation.as_strategy(broken, path_parameters=parameters or None))
    return st.one_of(strategies)


def make_call(caller: Caller, case: Any) -> schemathesis.Response:
    """Send the case and return the response; its writes are rolled back."""
    prepared = requests.Request(**case.as_transport_kwargs(base_url="http://testserver")).prepare()
    path = str(prepared.path_url).removeprefix("/api/v1/")
    body = prepared.body.encode() if isinstance(prepared.body, str) else prepared.body
    headers = {name.replace("-", "_"): str(value) for name, value in (case.headers or {}).items()}
    answer = caller.try_call(case.method, path, body, **headers)
    content = b"".join(answer) if answer.streaming else answer.content
    return schemathesis.Response(
        status_code=answer.status_code,
        headers={name: [value] for name, value in answer.items()},
        content=content,
        request=prepared,
        elapsed=0.0,
        verify=False,
    )


@pytest.mark.parametrize("resource", OPERATIONS)
def test_every_answer_is_one_that_the_schema_declares(schema, world, callers, resource, record_property, subtests):
    for route, method in OPERATIONS[resource]:
        with subtests.test(route=route, method=method):
            send_calls(schema, world, callers, route, method)
    record_property("calls", CALLS * len(OPERATIONS[resource]))


def send_calls(schema: Any, world: dict[str, Any], callers: dict[str, Caller], route: str, method: str) -> None:
    """Send generated calls of one operation, and the one of the table."""
    path, body, _ = TABLE[route, method]
    operation, parameters = find_operation(schema, path.format(**world), method)

    @seed(read_commit_seed())
    @settings(max_examples=CALLS, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck))
    @given(generate_calls(operation, parameters), st.sampled_from([*callers]))
    def send(case, name):
        case.validate_response(make_call(callers[name], case), checks=CHECKS)

    send()
    if body:
        sound = operation.Case(path_parameters=parameters, body=fill_body(body, world))
        for name in ("author", "reviewer", "admin"):
            sound.validate_response(make_call(callers[name], sound), checks=CHECKS)
