"""GET …/-/versions."""

from tests.api.conftest import DOCUMENT, OTHER, REPLY, problem


def test_the_history_goes_backwards_with_author_base_and_labels(cast, caller):
    first = cast.save().version
    second = cast.save(OTHER, base=first.digest, role="reviewer").version
    cast.publish(1)
    rows = caller("reader").get(f"templates/{REPLY}/-/versions").json()["results"]
    assert [(row["version"], row["base"], row["author"], row["labels"]) for row in rows] == [
        (2, 1, "reviewer", []),
        (1, None, "author", ["production"]),
    ]
    assert [row["digest"] for row in rows] == [second.digest, first.digest]
    assert all(row["commit"] is None and row["created_at"].endswith("Z") for row in rows)


def test_the_history_comes_in_pages(cast, caller):
    base = None
    for number in range(5):
        base = cast.save(DOCUMENT.replace("Answer", f"Answer {number}"), base=base).version.digest
    reader, path = caller("reader"), f"templates/{REPLY}/-/versions?limit=2"
    numbers, cursor = [], ""
    while cursor is not None:
        page = reader.get(path + (f"&cursor={cursor}" if cursor else "")).json()
        numbers.append([row["version"] for row in page["results"]])
        cursor = page["next"]
    assert numbers == [[5, 4], [3, 2], [1]]


def test_the_history_of_an_unknown_template_is_not_found(caller):
    problem(caller("reader").get("templates/support/unknown/-/versions"), 404, "not-found")
