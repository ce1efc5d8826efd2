"""The pages of runs: start, progress, comparison, single rows, and export."""

import html
import json
import re

import pytest
from django.template import Context, Template
from django.utils import translation

from frontend.evaluations.row_comparison import find_row_judgement, list_readable_values
from frontend.evaluations.score_table import format_change, format_score
from registry.connections import queries as connection_queries
from registry.evaluations import datasets, run_worker, start_runs
from registry.evaluations.dataset_models import Dataset
from registry.evaluations.models import Run, RunRow
from registry.evaluations.run_queries import RunRowDetail
from registry.templates import queries as template_queries
from tests.frontend.conftest import DOCUMENT, REPLY, read_html
from tests.support.finished_runs import GOLD, WORSE, attach_gates, dataset_rows, save_rows, start_run
from tests.support.full_disk import fill_temporary_folder


@pytest.fixture
def gold(reply):
    save_rows(reply)
    return reply


@pytest.fixture
def two(gold):
    """Version 1, which says what is expected, and version 3, which says too much."""
    gold.save(WORSE)
    return start_run(gold, "1"), start_run(gold, "3")


def test_the_list_shows_runs_with_their_state_and_first_score(browser, gold):
    start_run(gold)
    page = read_html(browser("reader").get("/runs/"))
    assert "<b>Run 1</b>" in page
    assert "6 of 6" in page
    assert "<b>1.00</b>" in page


def test_a_run_is_offered_to_whoever_may_start_one(browser, gold):
    assert "Start a run" in read_html(browser("author").get("/runs/"))
    assert "Start a run" not in read_html(browser("reader").get("/runs/"))


def test_the_list_counts_rows_that_failed_as_not_answered(browser, gold):
    start_run(gold)
    Run.objects.update(failed=2)
    page = re.sub(r"\s+", " ", read_html(browser("reader").get("/runs/")))
    assert "4 of 6" in page
    assert "2 failed" in page


def test_the_list_is_kept_to_a_template_and_a_state(browser, gold):
    start_run(gold)
    ask = browser("reader").get
    assert "<b>Run 1</b>" in read_html(ask("/runs/", {"template": REPLY, "state": "done"}))
    assert "<b>Run 1</b>" not in read_html(ask("/runs/", {"state": "failed"}))
    assert "<b>Run 1</b>" not in read_html(ask("/runs/", {"template": "support/other"}))


def test_a_list_with_runs_under_way_asks_again(browser, gold):
    start_run(gold, finish=False)
    assert 'hx-trigger="every 4s"' in read_html(browser("reader").get("/runs/"))


def test_a_run_is_started_and_the_live_version_with_it(browser, gold):
    gold.save(WORSE)
    sent = {"template": REPLY, "ref": "3", "dataset": GOLD, "model": "echo", "metrics": ["squad_f1"], "against": "1"}
    answer = browser("author").post("/runs/new", sent)
    assert answer.headers["Location"] == "/runs/1?against=2"
    assert list(Run.objects.order_by("pk").values_list("version__number", flat=True)) == [3, 1]


def test_a_live_version_that_was_run_is_not_run_again(browser, gold):
    start_run(gold, "1")
    gold.save(WORSE)
    sent = {"template": REPLY, "ref": "3", "dataset": GOLD, "model": "echo", "metrics": ["squad_f1"], "against": "1"}
    assert browser("author").post("/runs/new", sent).headers["Location"] == "/runs/2?against=1"
    assert Run.objects.count() == 2


def test_the_rows_that_the_template_was_run_over_are_offered_first(browser, gold):
    text = '{"inputs": {"question": "How heavy?"}}\n'
    datasets.save_dataset(actor=gold.actor("author"), name="support/a-of-others", text=text)
    offered = re.compile(r'<option value="(support/[^"]+)"')
    assert (
        offered.findall(read_html(browser("author").get("/runs/new", {"template": REPLY})))[0] == "support/a-of-others"
    )
    start_run(gold)
    assert offered.findall(read_html(browser("author").get("/runs/new", {"template": REPLY})))[0] == GOLD


def test_rows_that_do_not_fit_are_offered_last_with_the_reason(browser, gold):
    rows = '{"inputs": {"weight": 3}}\n' * 3
    datasets.save_dataset(actor=gold.actor("author"), name="support/a-of-others", text=rows)
    page = read_html(browser("author").get("/runs/new", {"template": REPLY}))
    assert re.findall(r'<option value="(support/[^"]+)"', page)[:2] == [GOLD, "support/a-of-others"]
    assert "support/a-of-others, 3 rows, which can&#x27;t be used: " in page
    assert f"{GOLD}, 6 rows<" in page


def test_documents_are_read_as_numbered_passages():
    documents = [{"content": "Returns go to Leeds.", "id": "a", "score": None}, {"content": "Boots cost 12 euros."}]
    assert list_readable_values({"documents": documents}) == [
        ("documents", "1. Returns go to Leeds. (id: a, score: null)\n2. Boots cost 12 euros.")
    ]
    nested = [{"content": "Returns go to Leeds.", "meta": {"page": 3}}]
    assert '"meta"' in list_readable_values({"documents": nested})[0][1]


TOGETHER = {"also_ref": ["1", "2", "", ""], "also_model": ["echo"] * 4}


def test_several_versions_are_started_in_one_act_and_shown_side_by_side(browser, gold):
    gold.save(WORSE)
    sent = {"template": REPLY, "ref": "latest", "dataset": GOLD, "model": "echo", "metrics": ["squad_f1"], **TOGETHER}
    estimate = browser("author").post("/runs/new", {**sent, "do": "estimate"})
    page = read_html(estimate)
    assert "18 rows" in page
    assert 'name="also_ref" value="2"' in page
    assert not Run.objects.exists()
    answer = browser("author").post("/runs/new", sent)
    assert answer.headers["Location"] == "/runs/1/matrix?with=2&with=3"
    assert list(Run.objects.order_by("pk").values_list("version__number", flat=True)) == [3, 1, 2]
    assert browser("reader").get(answer.headers["Location"]).status_code == 200


def test_a_column_that_cannot_run_is_reported_and_starts_none(browser, gold):
    sent = {"template": REPLY, "ref": "1", "dataset": GOLD, "model": "echo", "metrics": ["squad_f1"], **TOGETHER}
    refused = browser("author").post("/runs/new", sent)
    assert refused.status_code == 422
    assert "Two of them are the same version and model" in read_html(refused)
    unknown = browser("author").post("/runs/new", {**sent, "also_ref": ["2"], "also_model": ["huge"]})
    assert "Column 2: support has no model" in read_html(unknown)
    assert not Run.objects.exists()


def test_the_form_offers_rows_models_and_metrics(browser, gold):
    page = read_html(browser("author").get("/runs/new", {"template": REPLY}))
    for word in (GOLD, "2 samples", "echo", "Words in common", "production, v1"):
        assert word in page
    assert REPLY in read_html(browser("author").get("/runs/new"))


@pytest.mark.parametrize(("changes", "expected_text"), [({"ref": "99"}, "99"), ({"model": "gpt"}, "valid choice")])
def test_an_invalid_run_is_reported_in_the_form(browser, gold, changes, expected_text):
    sent = {"template": REPLY, "ref": "1", "dataset": GOLD, "model": "echo", "metrics": ["squad_f1"], **changes}
    answer = browser("author").post("/runs/new", sent)
    assert answer.status_code in (404, 422)
    assert expected_text in read_html(answer)


def test_readers_start_nothing(browser, gold):
    assert browser("reader").get("/runs/new", {"template": REPLY}).status_code == 403


def test_a_run_under_way_shows_how_far_it_is_and_asks_again(browser, gold):
    start_run(gold, finish=False)
    page = read_html(browser("author").get("/runs/1"))
    assert 'hx-trigger="every 2s"' in page
    assert "Cancel the run" in page
    assert '<noscript><meta http-equiv="refresh"' in page


def test_a_run_under_way_shows_what_came_last(browser, gold):
    save_rows(gold, dataset_rows(40), gold_digest())
    started = start_run(gold, finish=False)
    run_worker.advance_run(started.pk, seconds=0)
    page = read_html(browser("author").get("/runs/1"))
    assert "Newest replies" in page
    assert "s left" in page
    assert "Boot " in page


def test_the_progress_of_a_run_that_ended_asks_for_the_whole_page(browser, gold):
    start_run(gold)
    ask = {"HX-Request": "true", "HX-Target": "progress"}
    answer = browser("author").get("/runs/1", headers=ask)
    assert answer.headers["HX-Refresh"] == "true"
    assert read_html(answer).startswith("<section")


def test_a_run_is_cancelled(browser, gold):
    start_run(gold, finish=False)
    assert browser("author").post("/runs/1", {"do": "cancel"}).status_code == 302
    assert Run.objects.get().state == "cancelled"
    assert browser("reader").post("/runs/1", {"do": "rerun"}).status_code == 403


def test_a_worse_run_is_set_against_the_live_version(browser, two):
    page = read_html(browser("reader").get("/runs/2"))
    assert "<b>Worse</b>" in page
    assert "Worst regressions" in page
    assert "6 of 6 lost" in page
    assert "added: </span>" in page


def test_a_plot_has_its_figures_in_the_same_row(browser, two):
    page = read_html(browser("reader").get("/runs/2"))
    assert page.count('class="plot-worse plot-mark"') == 2
    assert "\u22120.5 to" in page or "\u22120.50 to" in page or "to \u22120." in page


def test_a_plot_has_points_for_decimals_in_every_language(browser, two):
    german = read_html(browser("reader").get("/runs/2", headers={"accept-language": "de"}))
    drawn = "".join(re.findall(r'<svg class="plot".*?</svg>', german, re.DOTALL))
    places = re.findall(r'(?: x1?| cx| x2| d)="([^"]*)"', drawn)
    assert any("." in place for place in places)
    assert not [place for place in places if "," in place]


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [(0.975, "0.97", "0,97"), (0, "0.00", "0,00"), (12.34, "12.3", "12,3"), (None, "none", "keine")],
)
def test_a_score_is_written_alike_on_every_page(value, english, german):
    """Rounded as the findings of gates are, and with the point of the language."""
    assert format_score(value) == english
    page = Template("{% load figures %}{{ value|score }}")
    assert page.render(Context({"value": value})) == english
    with translation.override("de"):
        assert page.render(Context({"value": value})) == german


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (-0.125, "\u22120.12", "\u22120,12"),
        (0.001, "+0.001", "+0,001"),
        (0.5, "+0.50", "+0,50"),
        (0.0, "0.00", "0,00"),
        (1e-9, "0.00", "0,00"),
    ],
)
def test_a_difference_has_a_sign_unless_it_is_none(value, english, german):
    assert format_change(value) == english
    with translation.override("de"):
        assert format_change(value) == german


def test_a_run_has_the_figures_of_the_page_s_language(browser, gold, two):
    attach_gates(gold, "squad_f1 >= 0.95")
    german = read_html(browser("reader").get("/runs/2", headers={"accept-language": "de"}))
    assert "mindestens 0,95" in german


def test_another_run_can_be_chosen_or_none(browser, two):
    page = read_html(browser("reader").get("/runs/2", {"against": "0"}))
    assert "Lowest rows" in page
    assert "Worst regressions" not in page


def test_a_better_run_has_no_regressions(browser, two):
    page = read_html(browser("reader").get("/runs/1", {"against": "2"}))
    assert "<b>Better</b>" in page
    assert "No row got worse" in page


def test_a_row_shows_both_replies_and_what_the_model_read(browser, two):
    page = read_html(browser("reader").get("/runs/2/rows/3", {"against": "1"}))
    assert "case-3" in page
    assert "What the model read" in page
    assert "and more words than that" in page
    assert "Expected" in page
    assert browser("reader").get("/runs/2/rows/99").status_code == 404


def test_rows_that_failed_say_why(browser, gold):
    start_run(gold)
    kept = {"actual": None, "problem": {"step": "model", "kind": "ModelError", "message": "small answered 503"}}
    RunRow.objects.filter(index=2).update(is_failed=True, result=json.dumps({**kept, "faults": ["429", "503"]}))
    Run.objects.update(failed=1, model="small")
    assert "1 failed" in read_html(browser("author").get("/runs/1"))
    page = read_html(browser("author").get("/runs/1/rows", {"only": "failed"}))
    assert "small answered 503." in page
    assert "case-1" not in page
    row = read_html(browser("author").get("/runs/1/rows/2"))
    assert "2 tries failed before" in row
    Run.objects.update(model="other")
    assert "Small answered 503." in read_html(browser("author").get("/runs/1/rows", {"only": "failed"}))


def test_a_reply_that_is_cut_off_says_so_next_to_its_scores(browser, gold):
    start_run(gold)
    assert "limit of tokens" not in read_html(browser("author").get("/runs/1/rows/2"))
    row = RunRow.objects.get(run=1, index=2)
    RunRow.objects.filter(pk=row.pk).update(result=json.dumps({**json.loads(row.result), "is_cut_off": True}))
    assert "A reply ended at its limit of tokens" in read_html(browser("author").get("/runs/1/rows/2"))
    assert read_html(browser("author").get("/runs/1/matrix?row=2")).count("Cut off at its limit of tokens") == 2


def test_an_older_failure_is_shown_in_plain_words(browser, gold):
    start_run(gold)
    message = "small can't be reached: [Errno 111] Connection refused"
    problem = {"actual": None, "problem": {"step": "model", "kind": "ModelError", "message": message}}
    RunRow.objects.filter(index=2).update(is_failed=True, result=json.dumps(problem))
    Run.objects.update(failed=1, model="small", state=Run.FAILED, scores_text="{}", error=f"20 alike: {message}")
    for address in ("/runs/1", "/runs/1/rows?only=failed", "/runs/1/rows/2", "/runs/1/matrix"):
        page = html.unescape(read_html(browser("author").get(address)))
        assert "small can't be reached: nothing answers at its address" in page
        assert "Errno" not in page


def test_a_run_whose_judge_scored_no_row_is_not_shown_as_done(browser, gold):
    run = start_run(gold)
    scores = {"faithfulness": {"judgement": {"score": None, "scored": 0, "of": 6}}}
    Run.objects.update(judge=run.version, judge_model="echo", scores_text=json.dumps(scores))
    page = read_html(browser("author").get("/runs/1"))
    assert "Done, not judged" in page
    assert "Judge the rows again" in page
    assert "Done, not judged" in read_html(browser("reader").get("/runs/"))
    scores["faithfulness"]["judgement"]["scored"] = 1
    Run.objects.update(scores_text=json.dumps(scores))
    assert "not judged" not in read_html(browser("author").get("/runs/1"))


def test_the_button_of_a_run_that_ended_early_says_how_many_rows_it_asks(browser, gold):
    start_run(gold)
    client = browser("author")
    assert "rows that have no reply" not in read_html(client.get("/runs/1"))
    Run.objects.update(state=Run.FAILED, failed=2, scores_text="{}")
    assert ">Retry these 2 rows<" in read_html(client.get("/runs/1")).replace("> ", ">").replace(" <", "<")
    RunRow.objects.filter(index__gte=4).delete()
    Run.objects.update(done=4)
    assert "Ask the 4 rows that have no reply" in read_html(client.get("/runs/1"))
    client.post("/runs/1", {"do": "rerun"})
    assert Run.objects.get().state == "queued"


def test_all_rows_are_listed_with_their_scores(browser, gold):
    start_run(gold)
    page = read_html(browser("reader").get("/runs/1/rows"))
    assert page.count("case-") >= 6
    assert "Words in common" in page


@pytest.mark.parametrize(
    ("form", "expected_text"), [("csv", "case-3"), ("json", "case-3"), ("jsonl", "bundle"), ("html", "<svg")]
)
def test_a_run_is_taken_away_as_a_file(browser, two, form, expected_text):
    answer = browser("reader").get(f"/runs/2/export.{form}", {"against": "1"})
    assert answer.headers["Content-Disposition"] == f'attachment; filename="run-2.{form}"'
    assert expected_text in answer.content.decode()


def test_an_export_on_a_full_disk_is_refused_with_the_reason(browser, two, monkeypatch):
    fill_temporary_folder(monkeypatch)
    reader = browser("reader")
    reader.raise_request_exception = False
    answer = reader.get("/runs/2/export.csv")
    assert answer.status_code == 503
    assert "The disk of the server is full" in read_html(answer)


def test_a_form_that_there_is_not_is_refused(browser, two):
    assert browser("reader").get("/runs/2/export.xlsx").status_code == 422


@pytest.mark.parametrize("path", ["/runs/1", "/runs/1/rows", "/runs/1/rows/0", "/runs/1/export.csv"])
def test_runs_of_others_are_not_found(browser, gold, path):
    start_run(gold)
    assert browser("outsider").get(path).status_code == 404


def gold_digest():
    return Dataset.objects.get().latest.digest


def judged(reply, **inputs):
    row = RunRow(index=0, result=json.dumps({"actual": {"reply": reply}}))
    fields = {"documents": ["The bridge opened in 1932. It is long."], "response": "It opened in 1932."}
    return RunRowDetail(0, "one", {**fields, **inputs}, None, row)


VERDICT = json.dumps(
    {
        "all_relevant_sentence_keys": ["0a"],
        "all_utilized_sentence_keys": ["0a"],
        "sentence_support_information": [
            {"response_sentence_key": "a", "supporting_sentence_keys": ["0a"], "fully_supported": True}
        ],
    }
)


def test_a_judges_reply_is_read_sentence_by_sentence():
    row_judgement = find_row_judgement(judged(VERDICT))
    assert row_judgement["response"][0]["supported_by"] == ["0a"]
    assert [sentence["relevant"] for sentence in row_judgement["documents"][0]] == [True, False]


@pytest.mark.parametrize(
    "detail", [judged("It opened in 1932."), judged(VERDICT, documents="one"), judged(VERDICT, response=None)]
)
def test_other_replies_are_not_judgements(detail):
    assert find_row_judgement(detail) is None


def test_a_run_may_be_judged_and_its_rows_show_what_the_judge_said(browser, gold):
    judge = "---\ntags: [judge]\nformat: text\ninputs: {documents: {type: array}, response: {type: string}}\n---\n"
    gold.save(judge + VERDICT, name="support/judge")
    gold.save(DOCUMENT.replace("inputs:\n", "inputs:\n  excerpts: {type: array, default: []}\n"))
    case = {"id": "one", "inputs": {"question": "Boots.", "excerpts": ["Boots come back. In a box."]}}
    save_rows(gold, json.dumps({**case, "expected": "Boots."}), gold_digest())
    page = read_html(browser("author").get("/runs/new", {"template": REPLY}))
    assert '<option value="support/judge@1">support/judge</option>' in page
    assert '<option value="excerpts" selected>' in page
    sent = {"template": REPLY, "ref": "3", "dataset": GOLD, "model": "echo", "metrics": ["squad_f1"]}
    judged_by = {"judge": "support/judge@1", "judge_model": "echo", "documents": "excerpts", "question": "question"}
    assert browser("author").post("/runs/new", {**sent, **judged_by}).headers["Location"] == "/runs/1"
    while run_worker.advance_run(1, seconds=5):
        pass
    board = read_html(browser("reader").get("/runs/1"))
    assert "Judge <a" in board
    assert "Sentences supported" in board
    row = read_html(browser("reader").get("/runs/1/rows/0"))
    assert "What the judge said" in row
    assert '<a href="#sentence-0a">0a</a>' in row
    assert "judged-used" in row


def test_a_run_whose_rows_all_failed_is_not_shown_as_done(browser, gold):
    """A change request's run starts without a look at its rows, and its rows may all fail."""
    actor = gold.actor("author")
    text = '{"inputs": {"other": 1}}\n{"inputs": {"other": 2}}\n'
    version = datasets.save_dataset(actor=actor, name="support/odd", text=text).version
    template = template_queries.get_template(actor, REPLY)
    source = start_runs.RowSource(version.digest, version.rows(), dataset_version=version)
    endpoint = connection_queries.find_endpoint("echo", "support")
    run = start_runs.create_run(template, template.latest, source, endpoint, [], actor.person)
    while run_worker.advance_run(run.pk, seconds=5):
        pass
    page = read_html(browser("reader").get(f"/runs/{run.pk}"))
    assert "Failed</b>" in page
    assert "2 failed" in page
    listed = read_html(browser("reader").get("/runs/")).partition("<tbody")[2]
    assert '<span class="bad">' in listed
    assert "Done" not in listed


def test_a_run_whose_rows_lack_an_input_is_refused_in_the_form(browser, gold):
    text = '{"id": "odd", "inputs": {"other": 1}}\n'
    datasets.save_dataset(actor=gold.actor("author"), name="support/odd", text=text)
    sent = {"template": REPLY, "ref": "1", "dataset": "support/odd", "model": "echo", "metrics": []}
    answer = browser("author").post("/runs/new", sent)
    assert answer.status_code == 422
    assert "No row of support/odd fits v1. In row 1 (odd) at `question`" in read_html(answer)
    assert not Run.objects.exists()


def test_the_form_tells_the_expected_cost_and_starts_nothing(browser, gold):
    sent = {"template": REPLY, "ref": "1", "dataset": GOLD, "model": "echo", "metrics": [], "do": "estimate"}
    answer = browser("author").post("/runs/new", sent)
    assert answer.status_code == 200
    assert "Cost not known" in read_html(answer)
    assert "6 rows" in read_html(answer).partition('id="estimate"')[2]
    assert not Run.objects.exists()


def test_a_finished_run_leads_to_proposing_its_version_and_to_thresholds(browser, gold):
    gold.save(WORSE)
    run = start_run(gold, "3")
    page = read_html(browser("author").get(f"/runs/{run.number}"))
    assert f'href="/t/{REPLY}/-/propose?label=production&amp;version=3"' in page
    assert "Set thresholds" not in page
    page = read_html(browser("admin").get(f"/runs/{run.number}"))
    query = "pattern=refunds%2Freply&amp;dataset=support%2Frefunds%2Fgold&amp;model=echo"
    assert f'href="/n/support/evaluations?{query}#evaluation-head"' in page
    page = read_html(browser("reader").get(f"/runs/{run.number}"))
    assert "/-/propose" not in page
    assert "Set thresholds" not in page


def test_live_and_unmeasured_versions_are_not_offered_for_a_proposal(browser, gold):
    gold.save(WORSE)
    live, waiting = start_run(gold, "1"), start_run(gold, "3", finish=False)
    assert "/-/propose" not in read_html(browser("author").get(f"/runs/{live.number}"))
    assert "/-/propose" not in read_html(browser("author").get(f"/runs/{waiting.number}"))
