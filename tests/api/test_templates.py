"""GET /api/v1/templates and /api/v1/templates/<name>."""

import pytest

from tests.api.conftest import DOCUMENT, OTHER, REPLY, problem


def test_a_template_has_its_labels_and_its_latest_version(cast, caller):
    first = cast.save().version
    cast.publish(1)
    latest = cast.save(OTHER, base=first.digest).version
    assert caller("reader").get(f"templates/{REPLY}").json() == {
        "name": REPLY,
        "description": "Answer a question well",
        "tags": ["support"],
        "format": "parts",
        "labels": {"production": 1},
        "approval": {"production": "approved"},
        "latest": {"version": 2, "digest": latest.digest},
        "archived_at": None,
    }


def test_an_unknown_template_and_one_of_strangers_look_the_same(cast, caller):
    cast.save(name="demo/secret")
    outsider = caller("outsider")
    unknown = problem(outsider.get("templates/demo/unknown"), 404, "not-found")
    hidden = problem(outsider.get("templates/demo/secret"), 404, "not-found")
    assert unknown["detail"].replace("unknown", "secret") == hidden["detail"]


def test_the_listing_goes_by_name_and_in_pages(cast, caller):
    for name in ("b", "a", "c"):
        cast.save(name=f"support/{name}")
    reader = caller("reader")
    first = reader.get("templates?limit=2")
    page = first.json()
    assert [item["name"] for item in page["results"]] == ["support/a", "support/b"]
    assert f"cursor={page['next']}" in first["Link"]
    next_page = reader.get(f"templates?limit=2&cursor={page['next']}").json()
    assert ([item["name"] for item in next_page["results"]], next_page["next"]) == (["support/c"], None)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("search=well", ["support/other"]),
        ("search=WELL", ["support/other"]),
        ("namespace=support", ["support/other", "support/refunds/one"]),
        ("namespace=demo", []),
        ("folder=support/refunds", ["support/refunds/one"]),
        ("tag=support", ["support/other", "support/refunds/one"]),
        ("tag=nothing", []),
        ("label=production", ["support/refunds/one"]),
        ("search=%00", ["support/other", "support/refunds/one"]),
    ],
)
def test_the_listing_is_filtered(cast, caller, query, names):
    cast.save(name="support/refunds/one")
    cast.publish(1, name="support/refunds/one")
    cast.save(OTHER, name="support/other")
    response = caller("reader").get(f"templates?{query}")
    if "%00" in query:
        problem(response, 400, "bad-request")
    else:
        assert [item["name"] for item in response.json()["results"]] == names


@pytest.mark.parametrize(
    ("query", "field"), [("serach=x", "serach"), ("limit=many", "limit"), ("tag=a&tag=b", "tag"), ("limit=-1", "limit")]
)
def test_a_wrong_parameter_is_named(cast, caller, query, field):
    assert field in problem(caller("reader").get(f"templates?{query}"), 400, "bad-request")["fields"]


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "cursor=nonsense", "cursor=eyJhIjoxfQ"])
def test_a_limit_or_cursor_out_of_bounds_is_refused(cast, caller, query):
    problem(caller("reader").get(f"templates?{query}"), 422, "invalid")


def test_listing_many_templates_takes_few_queries(cast, caller, django_assert_max_num_queries):
    for number in range(5):
        cast.save(DOCUMENT, name=f"support/t{number}")
    reader = caller("reader")
    with django_assert_max_num_queries(9):
        reader.get("templates")
