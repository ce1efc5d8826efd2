"""The page that merges the label's version into a concurrent request."""

import pytest

from registry.changes import rules
from registry.changes.models import ChangeRequest
from registry.templates import save as template_save
from registry.templates.models import Version
from tests.frontend.conftest import DOCUMENT, REPLY, read_html

THEIRS = DOCUMENT.replace("Use only the policy.", "Quote the policy.")
OURS = DOCUMENT.replace("Use only the policy.", "Cite the policy.")
APART = DOCUMENT.replace("Answer a refund question", "Answer any refund question")


@pytest.fixture
def beside(desk):
    """Versions 1 and 2 went live in turn; a request proposes 3, which is based on 1 like 2."""

    def run(ours, theirs=THEIRS):
        first = desk.save()
        desk.publish(1)
        desk.save(theirs)
        desk.publish(2)
        template_save.save_version(
            actor=desk.actor("author"), name=REPLY, document=ours, message="", base=first.digest, parallel=True
        )
        return desk.propose(3)

    return run


def build_shown_fields(change):
    version = Version.objects.get(template__name=REPLY, number=2)
    return {"head": change.version.digest, "held": version.digest}


def read_conflict_key(page):
    return page.split('name="way-')[1].split('"')[0]


def test_a_request_not_based_on_what_is_live_leads_to_the_merge(beside, browser):
    change = beside(APART)
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert f'href="/changes/{change.number}/merge">Merge</a>' in page


def test_a_clean_merge_is_looked_at_and_taken_with_one_press(beside, browser):
    change = beside(APART)
    page = read_html(browser("author").get(f"/changes/{change.number}/merge"))
    assert "Nothing is in conflict." in page
    assert "<ins>any</ins>" in page
    assert "Save the merge as v4</button>" in page
    answer = browser("author").post(f"/changes/{change.number}/merge", {"do": "merge", **build_shown_fields(change)})
    assert answer["Location"] == f"/changes/{change.number}"
    head = ChangeRequest.objects.get(number=change.number).version
    assert (head.number, head.base.number) == (4, 2)
    assert head.document == THEIRS.replace("Answer a refund question", "Answer any refund question")


def test_a_merge_that_breaks_a_standard_is_refused(beside, desk, browser):
    change = beside(APART)
    standards = {"banned_words": {"words": ["policy"]}}
    rules.set_rules(actor=desk.actor("admin"), namespace="support", standards=standards)
    page = read_html(browser("author").get(f"/changes/{change.number}/merge"))
    assert "is not allowed in this namespace" in page
    answer = browser("author").post(f"/changes/{change.number}/merge", {"do": "merge", **build_shown_fields(change)})
    assert answer.status_code == 422
    assert Version.objects.filter(template__name=REPLY).count() == 3


def test_a_conflict_shows_both_sides_next_to_what_they_come_from(beside, browser):
    change = beside(OURS)
    page = read_html(browser("author").get(f"/changes/{change.number}/merge"))
    assert "1 conflict</h2>" in page
    assert "Both come from <span" in page
    assert "<ins>Cite</ins>" in page
    assert "<ins>Quote</ins>" in page
    assert "Save the merge" not in page, "nothing is saved before it was looked at"


@pytest.mark.parametrize(
    ("way", "kept"),
    [("ours", ["Cite"]), ("theirs", ["Quote"]), ("both", ["Cite", "Quote"]), ("text", ["Name"])],
)
def test_a_conflict_is_decided_looked_at_and_saved(beside, browser, way, kept):
    change = beside(OURS.replace("Answer a", "Answer any"))
    client, address = browser("author"), f"/changes/{change.number}/merge"
    key = read_conflict_key(read_html(client.get(address)))
    text = "    You help {{ shop }}. Name the policy."
    answer = {f"way-{key}": way, f"text-{key}": text, **build_shown_fields(change)}
    page = read_html(client.post(address, {"do": "look", **answer}))
    assert "Result" in page
    assert "Save the merge as v4</button>" in page
    client.post(address, {"do": "merge", "message": "Both at once", **answer})
    head = ChangeRequest.objects.get(number=change.number).version
    assert head.message == "Both at once"
    assert "Answer any" in head.document
    assert [word for word in ("Cite", "Quote", "Name") if word in head.document] == kept


def test_an_open_conflict_is_named_and_nothing_is_saved(beside, browser):
    change = beside(OURS)
    client, address = browser("author"), f"/changes/{change.number}/merge"
    answer = client.post(address, {"do": "look", **build_shown_fields(change)})
    assert answer.status_code == 422
    assert "Say which of these it should be." in read_html(answer)
    assert client.post(address, {"do": "merge", **build_shown_fields(change)}).status_code == 422
    assert Version.objects.count() == 3


def test_a_text_that_is_not_a_document_is_reported_and_kept(beside, browser):
    change = beside(OURS)
    client, address = browser("author"), f"/changes/{change.number}/merge"
    key = read_conflict_key(read_html(client.get(address)))
    answer = {f"way-{key}": "text", f"text-{key}": "    You help {{ shop", **build_shown_fields(change)}
    page = read_html(client.post(address, {"do": "look", **answer}))
    assert "1 error" in page
    assert "Save the merge" not in page
    refused = client.post(address, {"do": "merge", **answer})
    assert refused.status_code == 422
    assert "You help {{ shop</textarea>" in read_html(refused), "what was typed is not lost"


def test_a_label_that_moved_meanwhile_is_shown_and_the_answers_stay(beside, browser, desk):
    change = beside(OURS)
    client, address = browser("author"), f"/changes/{change.number}/merge"
    key = read_conflict_key(read_html(client.get(address)))
    stale = {"head": change.version.digest, "held": "sha256:" + "0" * 64}
    answer = client.post(address, {"do": "merge", f"way-{key}": "text", f"text-{key}": "    Mine.", **stale})
    assert answer.status_code == 409
    page = read_html(answer)
    assert "look at the merge again" in page
    assert "Mine.</textarea>" in page
    gone = client.post(address, {"do": "look", "text-gone-1": "typed for another", **build_shown_fields(change)})
    assert "typed for another</textarea>" in read_html(gone)


def test_a_change_that_needs_no_merge_is_reported(reply, browser):
    change = reply.propose(2)
    assert "There is nothing to merge" in read_html(browser("author").get(f"/changes/{change.number}/merge"))


def test_a_reader_may_not_merge(beside, browser):
    change = beside(OURS)
    assert browser("reader").get(f"/changes/{change.number}/merge").status_code == 403
    assert browser("outsider").get(f"/changes/{change.number}/merge").status_code == 404
