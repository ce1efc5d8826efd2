"""The history of a label in the API."""

from registry.templates import labels
from tests.api.conftest import OTHER, REPLY, problem

PATH = f"templates/{REPLY}/-/labels/production/history"


def test_the_moves_of_a_label_are_listed_newest_first(cast, caller):
    digest = cast.save().version.digest
    cast.publish(1)
    cast.save(OTHER, base=digest)
    cast.publish(2)
    labels.roll_back_label(actor=cast.actor("reviewer"), name=REPLY, label="production", version=1, reason="Rude")
    cast.move("staging", 2)
    results = caller("reader").get(PATH).json()["results"]
    assert [(one["before"], one["after"], one["how"], one["change"]) for one in results] == [
        (2, 1, "rolled_back", None),
        (1, 2, "published", 2),
        (None, 1, "published", 1),
    ]
    assert (results[0]["person"], results[0]["reason"]) == ("reviewer", "Rude")


def test_the_moves_come_page_by_page(cast, caller):
    cast.save()
    cast.publish(1)
    labels.move_label(actor=cast.actor("author"), name=REPLY, label="staging", version=1, expected=None)
    page = caller("reader").get(PATH + "?limit=1").json()
    assert (len(page["results"]), page["next"]) == (1, None)


def test_a_label_that_was_never_set_has_no_moves(cast, caller):
    cast.save()
    assert caller("reader").get(f"templates/{REPLY}/-/labels/none/history").json() == {"results": [], "next": None}
    problem(caller("reader").get("templates/support/none/-/labels/production/history"), 404, "not-found")
