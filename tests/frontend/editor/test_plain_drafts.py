"""The plain form when another device stored the draft meanwhile: no text is lost, whichever button is pressed."""

import pytest

from registry.templates import drafts
from registry.templates.models import Draft, Version
from tests.frontend.conftest import OTHER, REPLY, read_html

EDIT = f"/t/{REPLY}/-/edit"
MINE = OTHER.replace("before you answer", "and stop")
THEIRS = OTHER.replace("before you answer", "of this year")


@pytest.fixture
def author(reply, browser):
    return browser("author")


@pytest.fixture
def store(reply):
    """Stores a draft as another device of the author does."""
    return lambda document=THEIRS, **facts: drafts.save_draft(
        actor=reply.actor("author"), namespace="support", path="refunds/reply", document=document, base=2, **facts
    )


def post(client, do, document=MINE, **fields):
    return client.post(EDIT, {"document": document, "message": "", "base": "2", "revision": "0", "do": do} | fields)


def texts_aside():
    return [draft.document for draft in Draft.everything.exclude(discarded_at=None).order_by("pk")]


def test_the_page_says_which_revision_of_the_draft_it_shows(author, store):
    assert 'name="revision" value="0"' in read_html(author.get(EDIT))
    store()
    store(MINE)
    assert 'name="revision" value="2"' in read_html(author.get(EDIT))


@pytest.mark.parametrize("do", ["save", "parallel", "declare:question", "restore-draft"])
def test_a_draft_that_was_written_elsewhere_is_not_ended_unseen(author, store, do):
    store()
    answer = post(author, do, message="Stop")
    page = read_html(answer)
    assert answer.status_code == 409
    assert "This draft is newer elsewhere" in page
    assert "and stop." in page
    assert 'value="Stop"' in page
    assert Draft.objects.get().document == THEIRS
    assert Version.objects.count() == 2
    assert 'name="revision" value="0"' in page
    assert post(author, do).status_code == 409


def test_a_preview_of_an_older_page_does_not_make_the_draft_seen(author, store):
    store()
    assert 'name="revision" value="0"' in read_html(post(author, "preview"))


def test_the_same_text_is_not_a_conflict(author, store):
    store(MINE)
    assert "Saved as version 3." in read_html(post(author, "save"))
    assert (Draft.objects.count(), texts_aside()) == (0, [])


def test_a_draft_that_the_page_showed_ends_with_the_save(author, store):
    store()
    assert "Saved as version 3." in read_html(post(author, "save", revision="1"))
    assert Draft.everything.count() == 0


def test_the_typed_text_becomes_the_draft_and_the_other_one_can_be_restored(author, store):
    store()
    page = read_html(author.post(EDIT, {"document": MINE, "base": "2", "revision": "0", "do": "use-mine"}, follow=True))
    assert "Your text is the draft now." in page
    assert "and stop." in page
    assert 'name="revision" value="2"' in page
    assert texts_aside() == [THEIRS]
    assert "Saved as version 3." in read_html(post(author, "save", revision="2"))
    post(author, "restore-draft", revision="0", document=MINE)
    assert Draft.objects.get().document == THEIRS


def test_the_newer_draft_is_shown_and_the_typed_text_can_be_restored(author, store):
    store()
    page = read_html(
        author.post(EDIT, {"document": MINE, "base": "2", "revision": "0", "do": "use-newer"}, follow=True)
    )
    assert "The newer draft is shown." in page
    assert "of this year." in page
    assert texts_aside() == [MINE]
    post(author, "restore-draft", document=THEIRS, revision="1")
    assert Draft.objects.get().document == MINE


def test_a_newer_draft_that_is_gone_by_then_leaves_the_typed_text_as_the_draft(author):
    post(author, "use-newer", revision="3")
    assert Draft.objects.get().document == MINE


def test_discarding_keeps_what_is_in_the_page(author, store):
    store()
    post(author, "discard", revision="1", message="Half")
    assert [(draft.document, draft.message) for draft in Draft.everything.all()] == [(MINE, "Half")]
    assert not Draft.objects.exists()


def test_discarding_in_a_conflict_keeps_both_texts(author, store):
    store()
    page = read_html(author.post(EDIT, {"document": MINE, "base": "2", "revision": "0", "do": "discard"}, follow=True))
    assert "Your text and the newer draft are discarded." in page
    assert not Draft.objects.exists()
    assert texts_aside() == [THEIRS, MINE]
    post(author, "restore-draft", document=OTHER, revision="0")
    assert Draft.objects.get().document == MINE
    post(author, "restore-draft", revision="2")
    assert Draft.objects.get().document == THEIRS


def test_discarding_in_a_conflict_with_the_same_text_keeps_one(author, store):
    store(MINE)
    post(author, "discard")
    assert texts_aside() == [MINE]


def test_discarding_a_page_without_a_draft_keeps_what_was_typed(author):
    post(author, "discard")
    post(author, "restore-draft", document=OTHER)
    assert Draft.objects.get().document == MINE


def test_restoring_a_draft_puts_what_was_typed_in_its_place(author, store):
    store()
    post(author, "discard", document=THEIRS, revision="1")
    post(author, "restore-draft")
    assert Draft.objects.get().document == THEIRS
    assert texts_aside() == [MINE]


def test_inputs_that_are_not_json_do_not_keep_the_text_from_being_kept(author):
    post(author, "discard", data="{", sample="")
    assert texts_aside() == [MINE]


def test_a_text_that_cannot_be_stored_stays_in_the_page(author):
    answer = post(author, "discard", document="x" * 700_000)
    assert answer.status_code == 413
    assert "x" * 700_000 in answer.content.decode()


@pytest.mark.parametrize("revision", ["-1", "x", "²"])
def test_a_revision_that_is_not_a_number_ends_no_draft(author, store, revision):
    store()
    assert post(author, "save", revision=revision).status_code == 409
    assert Draft.objects.get().document == THEIRS
