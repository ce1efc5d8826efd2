"""Stories that once had a different result than the model; each ends with a restore from the mirror."""

import pytest

pytestmark = [pytest.mark.dialect, pytest.mark.django_db]

NAME = "support/reply"
PRODUCTION, BOTH = frozenset({"production"}), frozenset({"production", "staging"})
STORIES = {
    "who puts a version into an earlier request contributes to the later one that contains it": (
        ("save", "author", NAME, "b", 1, False),
        ("set_rules", "admin", BOTH, 1, False, True),
        ("propose", "author", NAME, "production", 1),
        ("propose", "author", NAME, "staging", 2),
        ("decide", "reviewer", 2, "approve", 2),
        ("set_head", "reviewer", 1, 2),
        ("publish", "author", 2),
    ),
    "who opens an earlier request again contributes to the later one that contains its version": (
        ("save", "author", NAME, "b", 1, False),
        ("set_rules", "admin", BOTH, 1, False, True),
        ("propose", "author", NAME, "production", 2),
        ("withdraw", "author", 1),
        ("propose", "author", NAME, "staging", 2),
        ("decide", "reviewer", 2, "approve", 2),
        ("reopen", "reviewer", 1),
        ("publish", "author", 2),
    ),
    "an approval that is taken back is needed again, and counts anew when it is given again": (
        ("save", "author", NAME, "b", 1, False),
        ("propose", "author", NAME, "production", 2),
        ("decide", "reviewer", 1, "approve", 2),
        ("take_back", "reviewer", 1, 2),
        ("publish", "author", 1),
        ("decide", "reviewer", 1, "approve", 2),
        ("publish", "author", 1),
        ("take_back", "reviewer", 1, 2),
    ),
    "an objection that is taken back blocks no longer, and an approval before it does not count again": (
        ("save", "author", NAME, "b", 1, False),
        ("propose", "author", NAME, "production", 2),
        ("decide", "reviewer", 1, "approve", 2),
        ("decide", "reviewer", 1, "request_changes", 2),
        ("take_back", "reviewer", 1, 2),
        ("publish", "author", 1),
    ),
    "who saves the text of a request again contributes to it": (
        ("save", "author", NAME, "b", 1, False),
        ("propose", "author", NAME, "production", 2),
        ("decide", "reviewer", 1, "approve", 2),
        ("save", "reviewer", NAME, "c", 2, False),
        ("save", "reviewer", NAME, "b", 3, False),
        ("publish", "author", 1),
    ),
    "an emergency that is approved later is what other requests are measured from": (
        ("save", "reviewer", NAME, "b", 1, False),
        ("propose", "author", NAME, "production", 2),
        ("publish_in_emergency", "admin", 1),
        ("save", "author", NAME, "c", 2, False),
        ("propose", "author", NAME, "production", 3),
        ("set_rules", "admin", PRODUCTION, 1, True, True),
        ("decide", "reviewer", 2, "approve", 3),
        ("set_rules", "admin", PRODUCTION, 1, False, True),
        ("decide", "admin", 1, "approve", 2),
        ("publish", "author", 2),
    ),
    "a request whose version was redacted is not opened again": (
        ("save", "author", NAME, "b", 1, False),
        ("propose", "author", NAME, "production", 2),
        ("withdraw", "author", 1),
        ("redact", "admin", NAME, 2, True, True),
        ("reopen", "author", 1),
    ),
    "a redacted version is neither approved nor published": (
        ("save", "author", NAME, "b", 1, False),
        ("propose", "author", NAME, "production", 2),
        ("redact", "admin", NAME, 2, True, True),
        ("decide", "reviewer", 1, "approve", 2),
        ("decide", "reviewer", 1, "request_changes", 2),
        ("publish", "author", 1),
        ("withdraw", "author", 1),
    ),
    "an emergency whose version was redacted is closed": (
        ("propose", "author", NAME, "production", 1),
        ("decide", "reviewer", 1, "approve", 1),
        ("publish", "author", 1),
        ("set_rules", "admin", PRODUCTION, 1, False, True),
        ("save", "author", NAME, "b", 1, False),
        ("propose", "author", NAME, "production", 2),
        ("publish_in_emergency", "reviewer", 2),
        ("roll_back", "admin", NAME, "production", 1),
        ("redact", "admin", NAME, 2, True, True),
        ("close_emergency", "admin", 2),
    ),
    "a redacted version is not rolled out": (
        ("propose", "author", NAME, "production", 1),
        ("decide", "reviewer", 1, "approve", 1),
        ("publish", "author", 1),
        ("save", "author", NAME, "b", 1, False),
        ("propose", "author", NAME, "production", 2),
        ("decide", "reviewer", 2, "approve", 2),
        ("redact", "admin", NAME, 2, True, True),
        ("start_rollout", "author", 2),
    ),
    "a change that is rolled out does not join a release": (
        ("propose", "author", NAME, "production", 1),
        ("decide", "reviewer", 1, "approve", 1),
        ("publish", "author", 1),
        ("save", "author", NAME, "b", 1, False),
        ("propose", "author", NAME, "production", 2),
        ("decide", "reviewer", 2, "approve", 2),
        ("start_rollout", "author", 2),
        ("propose_release", "author", "production", {NAME: 2}),
        ("stop_rollout", "author", 1),
        ("propose_release", "author", "production", {NAME: 2}),
    ),
    "a release leaves out a template whose label is in a rollout": (
        ("propose", "author", NAME, "production", 1),
        ("decide", "reviewer", 1, "approve", 1),
        ("publish", "author", 1),
        ("save", "author", NAME, "b", 1, False),
        ("propose", "author", NAME, "production", 2),
        ("decide", "reviewer", 2, "approve", 2),
        ("start_rollout", "author", 2),
        ("save", "author", NAME, "c", 2, False),
        ("propose_release", "author", "production", {NAME: 3, "support/policy": 1}),
    ),
}


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_story_ends_as_the_model_says(machine, story):
    life = machine()
    try:
        for act, *arguments in story:
            life.act(act, *arguments)
    finally:
        life.teardown()
