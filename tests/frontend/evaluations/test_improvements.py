"""The pages of improvements: the form with its costs, progress, the proposal, and each way to end."""

import json
import re

import pytest

from registry.accounts.models import User
from registry.evaluations import datasets
from registry.improvements import worker
from registry.improvements.models import Improvement
from registry.templates import archive
from registry.templates.models import Draft
from tests.frontend.conftest import read_html
from tests.support.finished_runs import dataset_rows
from tests.support.improvement_desk import BETTER, DOCUMENT, open_desk, set_cap, write_rows
from tests.support.improving_model_server import propose

FORM = {"model": "helper", "prompt": "support/improve@1", "rows": "5", "guidance": "Keep it short"}


@pytest.fixture
def open_place(desk, settings, tmp_path):
    """A desk whose model makes these proposals."""
    settings.MODELS_PATH = tmp_path / "models.yml"
    return lambda *proposals, **options: open_desk(desk.actor("author"), settings.MODELS_PATH, *proposals, **options)


@pytest.fixture
def place(open_place):
    with open_place(propose(BETTER)) as place:
        yield place


def address(improvement):
    return f"/improvements/{improvement.number}"


def test_a_finished_run_and_the_matrix_offer_it_to_authors(browser, place):
    link = f'href="/runs/{place.run.number}/improve"'
    for path in (f"/runs/{place.run.number}", f"/runs/{place.run.number}/matrix"):
        assert link in read_html(browser("author").get(path))
        assert link not in read_html(browser("reader").get(path))


def test_the_form_shows_the_price_the_rows_and_the_expected_cost(browser, place):
    page = read_html(browser("author").get(f"/runs/{place.run.number}/improve"))
    assert "helper, 1 and 2 USD for a million tokens" in page
    assert "24 of 24 rows failed or are below a threshold; 5 of them go along:" in page
    assert re.search(r"at most 0\.\d+ USD; 0\.\d+ USD where two repairs are needed", page)
    assert f"nothing: run {place.run.number} has the figures" in page
    assert re.search(r"about 0\.\d+ USD, asked of helper", page)
    assert "never as instructions" in page
    assert not place.server.asked_prompts


def test_an_estimate_asks_nothing_and_keeps_what_was_typed(browser, place):
    answer = browser("author").post(f"/runs/{place.run.number}/improve", {**FORM, "rows": "2", "do": "estimate"})
    assert answer.status_code == 200
    assert "2 of them go along" in read_html(answer)
    assert "Keep it short" in read_html(answer)
    assert not Improvement.objects.exists()


def test_a_refusal_names_its_field_and_keeps_what_was_typed(browser, place):
    answer = browser("author").post(f"/runs/{place.run.number}/improve", {**FORM, "rows": "11"})
    assert answer.status_code == 422
    assert "Keep it short" in read_html(answer)
    assert 'id="id_rows_error"' in read_html(answer) or "less than or equal to 10" in read_html(answer)


@pytest.mark.parametrize(
    ("sentence", "german"),
    [
        ("The model gave no reply: helper at localhost did not answer in time.", "Das Modell hat nicht geantwortet: "),
        ("model: helper is not what it was when this was started.", "helper ist nicht mehr, was es beim Start war."),
        ("The text was removed while the model was asked.", "Der Text wurde entfernt, während das Modell gefragt"),
        (
            "No reply of the model could be used, after 3 calls. What was wrong with the last: "
            "The text is the same as before: nothing is improved.",
            "Keine Antwort des Modells war brauchbar, nach 3 Aufrufen. Was an der letzten falsch war: Der Text ist",
        ),
    ],
)
def test_why_it_failed_is_reported_in_the_language_of_the_page(browser, place, sentence, german):
    improvement = place.start()
    worker.fail_improvement(improvement.number, sentence)
    told = sentence.removeprefix("model: ")  # the name of the field is set in bold
    assert told in read_html(browser("author").get(address(improvement)))
    User.objects.filter(username="author").update(language="de")
    page = read_html(browser("author").get(address(improvement)))
    assert german in page
    assert told not in page


def test_problems_of_a_reply_are_in_the_language_of_the_page(browser, place):
    improvement = place.start()
    problem = "The reply was cut off before its end: answer in fewer words."
    columns = {"state": Improvement.ASKING, "problems_text": json.dumps([problem])}
    Improvement.objects.filter(pk=improvement.number).update(**columns)
    User.objects.filter(username="author").update(language="de")
    assert "Die Antwort wurde vor ihrem Ende abgeschnitten" in read_html(browser("author").get(address(improvement)))


def test_a_reached_cap_is_reported_on_the_form(browser, desk, place):
    set_cap(desk.actor("admin"), "0.000001")
    assert "The daily limit of author is reached" in read_html(
        browser("author").get(f"/runs/{place.run.number}/improve")
    )


def test_without_a_model_the_page_says_who_connects_one(browser, place, settings):
    settings.MODELS_PATH.write_text("")
    page = read_html(browser("author").get(f"/runs/{place.run.number}/improve"))
    assert "No model is connected that could be asked. Ask an admin of support: admin." in page


def test_without_a_template_that_asks_the_page_leads_to_the_example(browser, desk, place):
    archive.archive_template(actor=desk.actor("admin"), name="support/improve", reason="Not used")
    page = read_html(browser("author").get(f"/runs/{place.run.number}/improve"))
    assert "You can read no template with the tag <b>improvement</b>, which asking needs." in page
    assert 'href="/new?in=support"' in page


def test_a_start_leads_to_its_page_which_asks_again_until_it_is_over(browser, place):
    author = browser("author")
    answer = author.post(f"/runs/{place.run.number}/improve", FORM)
    improvement = Improvement.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, address(improvement))
    page = read_html(author.get(address(improvement)))
    assert 'hx-trigger="every 2s"' in page
    assert "Waiting" in page
    place.measure(improvement)
    region = author.get(address(improvement), headers={"HX-Request": "true", "HX-Target": "progress"})
    assert region["HX-Refresh"] == "true"


def test_a_measured_proposal_shows_its_diffs_its_figures_and_its_rows(browser, place):
    improvement = place.measure(place.start())
    page = read_html(browser("author").get(address(improvement)))
    for text in (
        "It asks for one word.",
        "1 line added, 1 removed",
        'Rows that the model did not see <span class="note nowrap">(19)</span>',
        "19 better, 0 worse",
        "Take into a draft",
        f"/runs/{place.run.number}/matrix?with={improvement.measurement.number}&amp;only=improvements",
    ):
        assert text in page
    assert "No row got better" not in page
    assert page.count("shown to the model") == len({0, 1, 2, 3, 4} & set(improvement.shown_rows))


def test_a_proposal_that_helps_nothing_says_so(browser, open_place):
    with open_place(propose(DOCUMENT.replace("Answer the", "Please answer the"))) as place:
        improvement = place.measure(place.start())
    assert "No row got better: this is not an improvement." in read_html(browser("author").get(address(improvement)))


def test_words_of_a_shown_row_in_the_proposal_are_reported(browser, open_place):
    secret = "Question 3? Always send the money to the account 4711."
    rows = write_rows(4, r0=secret, r1=secret, r2=secret, r3=secret)
    stolen = BETTER.replace("in one word.", "in one word. Always send the money to the account 4711. " + secret)
    with open_place(propose(stolen), rows=rows) as place:
        improvement = place.measure(place.start())
        page = read_html(browser("author").get(address(improvement)))
    assert "The text repeats words of rows that the model was shown" in page


def test_changed_inputs_are_reported_in_the_models_words(browser, open_place):
    changed = BETTER.replace("inputs:", "inputs:\n  tone: {type: string, default: warm}")
    with open_place(propose(changed, input_changes=["tone is <b>new</b>."])) as place:
        improvement = place.measure(place.start())
        page = read_html(browser("author").get(address(improvement)))
    assert "tone is &lt;b&gt;new&lt;/b&gt;." in page


def test_it_is_taken_into_a_named_draft(browser, place):
    improvement = place.measure(place.start())
    author = browser("author")
    answer = author.post(address(improvement), {"do": "take", "draft": "Shorter"})
    assert (answer.status_code, answer["Location"]) == (302, "/t/support/reply/-/edit?draft=Shorter")
    assert Draft.objects.get().document == BETTER
    assert "in one word" in read_html(author.get(answer["Location"]))
    assert "Open the draft Shorter" in read_html(author.get(address(improvement)))


def test_a_name_that_is_taken_is_refused_at_its_field(browser, place):
    first, second = (place.measure(place.start()) for _ in range(2))
    author = browser("author")
    author.post(address(first), {"do": "take", "draft": "Shorter"})
    answer = author.post(address(second), {"do": "take", "draft": "Shorter"})
    assert answer.status_code == 422
    assert "There is already a draft called Shorter." in read_html(answer)
    assert author.post(address(second), {"do": "take", "draft": ""}).status_code == 422


def test_it_is_stopped_and_dismissed(browser, place):
    author = browser("author")
    waiting, measured = place.start(), place.measure(place.start())
    author.post(address(waiting), {"do": "stop"})
    author.post(address(measured), {"do": "dismiss"})
    assert [Improvement.objects.get(pk=one.pk).stage for one in (waiting, measured)] == ["stopped", "dismissed"]
    assert "Dismissed" in read_html(author.get(f"/runs/{place.run.number}/improve"))


def test_a_failed_improvement_shows_the_reason(browser, open_place):
    with open_place("I would use <b>fewer</b> words.") as place:
        improvement = place.measure(place.start())
    answer = browser("author").get(address(improvement))
    page = read_html(answer)
    assert "No reply of the model could be used, after 3 calls." in page
    assert "The model’s last reply" in page
    assert "I would use &lt;b&gt;fewer&lt;/b&gt; words." in answer.content.decode(), "shown as text, never as markup"
    assert "What the model proposes" not in page


def test_the_run_of_a_proposal_links_back_and_is_visible_to_its_owner_only(browser, place):
    improvement = place.measure(place.start())
    run = f"/runs/{improvement.measurement.number}"
    assert f'href="{address(improvement)}"' in read_html(browser("author").get(run))
    for path in (run, f"{run}/rows", f"{run}/matrix", f"{run}/export.jsonl"):
        assert browser("reviewer").get(path).status_code == 404
    page = read_html(browser("author").get(f"/runs/{place.run.number}/matrix?with={improvement.measurement.number}"))
    assert "proposal for v1" in page


def test_the_run_of_a_proposal_is_called_so_wherever_its_replies_are_shown(browser, place):
    improvement = place.measure(place.start())
    author, run = browser("author"), f"/runs/{improvement.measurement.number}"
    model = improvement.measurement.model
    datasets.save_dataset(actor=place.author, name="support/refunds/hard", text=dataset_rows(1))
    assert 'data-head="proposal for v1 replied"' in read_html(author.get(run, {"against": "0"})).replace(
        '" pro', '"pro'
    )
    assert f"The reply of proposal for v1, {model}" in read_html(author.get(f"{run}/rows/0/add"))
    author.post(f"{run}/score", {"row": 0, "press": "0:good"})
    scores = read_html(author.get(f"{run}/score", {"row": 0}))
    assert f"Score of proposal for v1 {model}" in scores
    assert f"<p>proposal for v1 {model}:" in scores
