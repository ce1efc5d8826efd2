"""The editor as a plain form: nothing typed is lost, nothing wrong is saved."""

import pytest

from frontend.editor import preview
from frontend.editor.actions import propose_version, save_text
from frontend.editor.state import read_posted_state
from registry.changes.models import ChangeRequest
from registry.templates import drafts
from registry.templates.models import Draft, Version
from registry.templates.save import save_version
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html

EDIT = f"/t/{REPLY}/-/edit"
NEWER = OTHER.replace("before you answer", "and stop")
FIELDS = {"document": NEWER, "message": "Stop earlier", "base": "2", "sample": "late", "data": '{"question": "Why?"}'}


@pytest.fixture
def author(reply, browser):
    return browser("author")


def post(client, do: str, **fields):
    return client.post(EDIT, {**FIELDS, **fields, "do": do})


def test_the_page_opens_on_the_latest_version_rendered_with_its_first_sample(author):
    page = read_html(author.get(EDIT))
    assert "Quote the policy before you answer." in page
    assert "Can I return boots?</span>" in page
    assert "Save as <span data-next>v3</span>" in page
    assert "against v1" in page


def long_text(characters):
    return NEWER + "# a comment\n".ljust(characters - len(NEWER) + 1, "x")[: characters - len(NEWER)]


def test_the_page_of_a_long_text_opens_before_its_preview_is_made(reply, author):
    text = long_text(preview.LONG)
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=text, base=2)
    answer = author.get(EDIT)
    page = read_html(answer)
    assert "The preview of a long text follows once the page is open." in page
    assert "Not checked yet." in page
    assert "Can I return boots?</span>" not in page
    setup = answer.context["setup"]
    assert (setup["isPending"], setup["rendered"], setup["problems"]) == (True, False, [])
    assert "question" in setup["inputs"]
    page = read_html(post(author, "preview", document=text, data='{"question": "Can I return boots?"}'))
    assert "Can I return boots?</span>" in page
    assert "Not checked yet." not in page


def test_a_text_that_is_not_long_is_rendered_for_the_page(reply, author):
    text = long_text(preview.LONG - 1)
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=text, base=2)
    answer = author.get(EDIT)
    assert answer.context["setup"]["isPending"] is False
    assert "Can I return boots?</span>" in read_html(answer)


def test_saving_makes_the_next_version_and_offers_the_proposal(author):
    page = read_html(post(author, "save"))
    assert "Saved as version 3." in page
    assert 'value="propose:production:3"' in page
    saved = Version.objects.get(number=3)
    assert (saved.document, saved.message, saved.base.number) == (NEWER, "Stop earlier", 2)


def test_crlf_line_ends_are_stored_as_lf(author):
    post(author, "save", document=NEWER.replace("\n", "\r\n"))
    assert Version.objects.get(number=3).document == NEWER


def test_a_refused_text_comes_back_whole_with_its_problems(author):
    answer = post(author, "save", document=NEWER.replace("{{ question }}", "{{ qestion }}"))
    page = read_html(answer)
    assert answer.status_code == 422
    assert "Not saved. Fix 1 error first." in page
    assert "{{ qestion }}" in page
    assert 'value="Stop earlier"' in page
    assert Version.objects.count() == 2


def test_inputs_that_are_not_json_are_shown_and_kept(author):
    answer = post(author, "preview", data='{"question": ')
    assert answer.status_code == 422
    assert "This is not JSON" in read_html(answer)
    assert "{&quot;question&quot;: " in read_html(answer)
    assert "and stop" in read_html(answer)


def test_a_preview_is_made_from_the_inputs_that_were_sent(author):
    page = read_html(post(author, "preview"))
    assert "Why?</span>" in page
    assert Version.objects.count() == 2


def test_the_difference_to_the_base_is_shown_on_request(author):
    page = read_html(post(author, "review"))
    assert '<div class="diff diff-source sheet"' in page


def test_a_save_made_meanwhile_is_named_with_the_options(reply, author):
    reply.save(OTHER.replace("You help", "Please help"), message="Ask nicely")
    answer = post(author, "save")
    assert answer.status_code == 412
    assert "You saved v3 <time" in read_html(answer)
    assert "in another tab or on another device." in read_html(answer)
    assert "Ask nicely" in read_html(answer)
    assert "and stop" in read_html(answer)
    assert Version.objects.count() == 3


def test_another_person_who_saved_meanwhile_is_named(reply, author):
    reply_of_reviewer = {"actor": reply.actor("reviewer"), "base": Version.objects.get(number=2).digest}
    save_version(name=REPLY, document=OTHER.replace("You help", "Please help"), message="", **reply_of_reviewer)
    assert "reviewer saved v3 <time" in read_html(post(author, "save"))
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=NEWER, base=2)
    assert "<b>reviewer saved v3 <time" in read_html(author.get(EDIT))


def test_a_text_can_be_saved_next_to_a_newer_version(reply, author):
    reply.save(OTHER.replace("You help", "Please help"))
    assert "Saved as version 4." in read_html(post(author, "parallel"))
    assert Version.objects.get(number=4).base.number == 2


def test_a_text_can_be_saved_on_top_of_a_newer_version_on_purpose(reply, author):
    newer = reply.save(OTHER.replace("You help", "Please help"))
    assert "Saved as version 4." in read_html(post(author, f"onto:{newer.digest}"))
    assert Version.objects.get(number=4).base.number == 3


def test_a_saved_version_is_proposed_from_the_same_page(author):
    post(author, "save")
    page = read_html(post(author, "propose:production:3", base="3"))
    assert "proposes v3 for production." in page
    assert ChangeRequest.objects.get(version__number=3).message == "Stop earlier"


def test_a_label_that_is_not_protected_is_not_proposed_for(author):
    post(author, "save")
    answer = post(author, "propose:staging:3", base="3")
    assert answer.status_code == 422
    assert "Not done." in read_html(answer)


def test_a_document_that_is_too_large_is_answered_as_the_api_answers_it(author):
    document = NEWER + "x" * 300_000
    headers = {"If-Match": Version.objects.get(number=2).digest}
    body = {"document": document, "message": ""}
    from_api = author.put(f"/api/v1/templates/{REPLY}", body, content_type="application/json", headers=headers)
    by_script = author.post(EDIT, {"document": document, "base": "2", "do": "save"}, content_type="application/json")
    answer = post(author, "save", document=document)
    assert (from_api.status_code, by_script.status_code, answer.status_code) == (413, 413, 413)
    assert "Not done." in by_script.json()["html"]
    assert "x" * 300_000 in answer.content.decode()


def test_a_proposal_of_what_the_label_holds_is_answered_as_the_api_answers_it(author):
    body = {"template": REPLY, "label": "production", "version": 1, "message": "Again"}
    from_api = author.post("/api/v1/changes", body, content_type="application/json")
    answer = post(author, "propose:production:1")
    assert (answer.status_code, from_api.status_code) == (422, 422)
    assert "Not done." in read_html(answer)


def test_a_second_proposal_of_the_same_version_is_a_conflict(author):
    post(author, "propose:production:2")
    assert post(author, "propose:production:2").status_code == 409


def test_a_person_who_lost_the_role_is_refused(reply):
    state = read_posted_state(reply.actor("author"), REPLY, FIELDS)
    assert save_text(reply.actor("reader"), state).status == 403
    assert propose_version(reply.actor("reader"), state, "production", 2).status == 403


def test_a_person_who_left_the_namespace_gets_404(reply):
    state = read_posted_state(reply.actor("author"), REPLY, FIELDS)
    assert save_text(reply.actor("outsider"), state).status == 404


@pytest.mark.parametrize("do", ["propose:production:x", "propose:production:99999999999", "propose:"])
def test_an_invalid_number_is_refused_with_a_sentence(author, do):
    answer = post(author, do)
    assert answer.status_code == 422
    assert "is not a version number" in read_html(answer)


def test_a_draft_is_found_again_with_its_age_and_base(reply, author):
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=NEWER, base=1)
    page = read_html(author.get(EDIT))
    assert "and stop" in page
    assert "saved <time" in page
    assert 'name="base" value="1"' in page


def test_a_draft_that_does_not_render_is_stood_in_for_by_production(reply, author):
    broken = NEWER.replace("{{ question }}", "{{ question")
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=broken, base=2)
    page = read_html(author.get(EDIT))
    assert "Use only the policy.</div>" in page or "Use only the policy." in page
    assert '"standIn": "production v1"' in page


def test_a_draft_is_its_owners_alone(reply, browser):
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=NEWER, base=2)
    assert "and stop" not in read_html(browser("reviewer").get(EDIT))


def test_a_discarded_draft_gives_the_latest_version_back(reply, author):
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=NEWER, base=2)
    assert author.post(EDIT, {"do": "discard"}).url == EDIT
    assert not Draft.objects.exists()


def test_a_discarded_draft_is_offered_and_comes_back_with_one_click(reply, author):
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=NEWER, base=2)
    author.post(EDIT, {"do": "discard"})
    page = read_html(author.get(EDIT))
    assert "Restore the draft you discarded <time" in page
    author.post(EDIT, {"do": "restore-draft"})
    assert Draft.objects.get().document == NEWER
    assert "and stop." in read_html(author.get(EDIT))


def test_a_template_that_does_not_exist_yet_starts_from_a_text_that_renders(desk, browser):
    page = read_html(browser("author").get("/t/support/new/thing/-/edit"))
    assert "no version yet" in page
    assert "What is a promptuary?</span>" in page


def test_the_first_save_makes_the_template_with_its_samples(desk, browser):
    client = browser("author")
    answer = client.post(
        "/t/support/new/thing/-/edit", {"document": DOCUMENT, "message": "First", "base": "", "do": "save"}
    )
    assert "Saved as version 1." in read_html(answer)
    assert Version.objects.get(template__name="support/new/thing").document == DOCUMENT


@pytest.mark.parametrize(("role", "status"), [("reader", 403), ("outsider", 404)])
def test_readers_and_outsiders_are_refused(reply, browser, role, status):
    assert browser(role).get(EDIT).status_code == status
    assert browser(role).post(EDIT, {"do": "save", "document": NEWER, "base": "2"}).status_code == status
    assert Version.objects.count() == 2


def test_a_stranger_is_sent_to_the_login(reply, client):
    assert client.get(EDIT).url == f"/login?next={EDIT}"


def test_a_draft_behind_a_newer_version_says_who_saved_it(reply, author):
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=NEWER, base=1)
    page = read_html(author.get(EDIT))
    assert "<b>You saved v2 <time" in page
    assert "after you began this draft from v1." in page
