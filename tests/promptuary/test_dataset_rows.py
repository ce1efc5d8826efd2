"""Adding dataset rows with the client: a template's own call, or several together."""

import asyncio
import json

import pytest

from promptuary import AddedRows, ConfigurationError, Refused, Unavailable
from promptuary._dataset_rows import compute_rows_timeout
from promptuary._transport import Answer
from tests.promptuary.conftest import DOCUMENT, NAME

GOLD = "support/refunds/gold"
INPUTS = {"question": "Where is my parcel?"}


def last_request(world):
    request = world.registry.requests[-1]
    return request, json.loads(request.body)


def test_a_template_adds_its_call_as_a_row_that_must_fit_its_inputs(world):
    added = world.client().get(NAME).add_row(GOLD, INPUTS, "With the courier", name="reply-8213")
    request, body = last_request(world)
    assert (request.method, request.path) == ("POST", f"/api/v1/datasets/{GOLD}/-/rows")
    assert body["template"] == NAME
    assert body["rows"] == [{"id": "reply-8213", "inputs": INPUTS, "expected": "With the courier"}]
    assert (added.dataset, added.version, added.created) == (GOLD, 1, True)


def test_a_row_sent_twice_is_there_once(world):
    template = world.client().get(NAME)
    template.add_row(GOLD, INPUTS, name="a")
    assert not template.add_row(GOLD, INPUTS, name="a").created
    assert len(world.registry.rows[GOLD]) == 1


def test_a_row_needs_no_expectation_and_no_name(world):
    world.client().get(NAME).add_row(GOLD, INPUTS)
    assert world.registry.rows[GOLD] == [{"id": "", "inputs": INPUTS, "expected": None}]


def test_a_client_adds_several_rows_in_one_request(world):
    rows = [{"inputs": {"question": str(number)}, "id": str(number)} for number in range(3)]
    added = world.client().add_rows(GOLD, rows, message="From the night's calls")
    _, body = last_request(world)
    assert (body["rows"], body["message"], body["template"]) == (rows, "From the night's calls", None)
    assert isinstance(added, AddedRows)


def test_an_event_loop_awaits_the_same(world):
    asyncio.run(add_rows_on_a_loop(world))
    assert len(world.registry.rows[GOLD]) == 2


async def add_rows_on_a_loop(world):
    async with world.async_client() as client:
        added = await client.add_rows(GOLD, [{"inputs": INPUTS}], template=NAME)
        assert added.created
        template = await client.get(NAME)
        assert template.add_row(GOLD, INPUTS).created


def test_invalid_json_and_names_are_reported_before_anything_is_sent(world):
    client = world.client()
    template = client.get(NAME)
    request_count = world.request_count
    with pytest.raises(ValueError, match="rows are JSON"):
        template.add_row(GOLD, {"question": float("nan")})
    with pytest.raises(ValueError, match="rows are JSON"):
        template.add_row(GOLD, {"question": object()})
    for name in ("gold", "Support/Gold", "", "support/gold@1", "support/../x"):
        with pytest.raises(ConfigurationError, match="is not a dataset name"):
            client.add_rows(name, [{"inputs": INPUTS}])
    assert world.request_count == request_count


def test_a_template_of_no_registry_has_none_to_add_to(world):
    world.registry.down = True
    template = world.client().get(NAME, fallback=DOCUMENT)
    with pytest.raises(ConfigurationError, match="came from no registry"):
        template.add_row(GOLD, INPUTS)


def test_a_refusal_and_an_outage_are_raised(world):
    template = world.client().get(NAME)
    world.registry.down = True
    with pytest.raises(Unavailable):
        template.add_row(GOLD, INPUTS)

    def refuse(request):
        problem = {"title": "Invalid", "detail": "rows.0.inputs: question is missing.", "status": 422}
        return Answer(422, {}, json.dumps(problem).encode())

    world.registry.send = refuse
    with pytest.raises(Refused, match=r"rows\.0\.inputs: question is missing"):
        template.add_row(GOLD, {})


def test_the_call_may_take_ten_times_as_long_as_a_fetch():
    assert [compute_rows_timeout(seconds) for seconds in (0.5, 2, 10, 90)] == [5, 20, 60, 90]
