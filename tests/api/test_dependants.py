"""Templates that include a fragment, in the API: listing them, and moving them to its next version."""

import pytest

from tests.api.conftest import problem

POLICY = "---\nformat: text\n---\nRefunds within {} days.\n"
PATH = "templates/support/policy/-/dependants"


@pytest.fixture
def policy(cast):
    """support/policy at versions 1 and 2; support/rules includes version 1."""
    first = cast.save(POLICY.format(14), name="support/policy").version
    cast.save(POLICY.format(30), name="support/policy", base=first.digest)
    cast.save('- name: rules\n  content: |\n    {{ fragment("support/policy@1") }}\n', name="support/rules")


def test_dependants_are_listed_with_their_references(caller, policy):
    body = caller("reader").get(PATH).json()
    assert body == {"results": [{"template": "support/rules", "references": ["support/policy@1"]}]}


def test_dependants_move_to_the_version_by_a_request_each(caller, policy):
    author = caller("author")
    done = author.post(PATH, {"version": 2}).json()["results"]
    assert done == [{"template": "support/rules", "version": 2, "change": 1, "refusal": ""}]
    assert "policy@2" in author.get("templates/support/rules@2").json()["document"]
    assert author.post(PATH, {"version": 2}).json() == {"results": []}


def test_the_result_of_a_dependant_contains_the_refusal(caller, policy, stored):
    reader, before = caller("reader", session=True), stored()
    done = reader.post(PATH, {"version": 2}).json()["results"]
    assert (done[0]["version"], done[0]["change"], stored()) == (None, None, before)
    assert done[0]["refusal"]


def test_a_missing_version_is_not_found(caller, policy):
    problem(caller("author").post(PATH, {"version": 9}), 404, "not-found")
    problem(caller("author").post(PATH, {}), 400, "bad-request")
    problem(caller("author").get("templates/support/none/-/dependants"), 404, "not-found")
