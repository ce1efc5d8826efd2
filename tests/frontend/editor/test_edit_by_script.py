"""The requests of the editor's script: previews, drafts and saves, all as JSON."""

import re

import pytest

from promptuary.renderer.tokens import vocabularies
from registry.templates.models import Draft, SampleSet, Version
from tests.frontend.conftest import OTHER, REPLY, SAMPLES

EDIT = f"/t/{REPLY}/-/edit"
NEWER = OTHER.replace("before you answer", "and stop")


@pytest.fixture
def author(reply, browser):
    return browser("author")


def ask(client, **body):
    body = {"document": NEWER, "data": {"question": "Why?"}, "base": "2", **body}
    return client.post(f"{EDIT}/preview", body, content_type="application/json")


def test_a_look_brings_problems_preview_budget_and_inputs(author):
    body = ask(author).json()
    assert (body["problems"], body["rendered"], body["stopped"]) == ([], True, "")
    assert 'data-at="14:5"' in body["preview"]
    assert "No limit is set, so nothing is cut." in body["budget"]
    assert body["inputs"]["question"]["maxLength"] == 4000
    assert "1 line" in body["summary"]


def test_a_text_that_stops_is_named_with_its_place(author):
    body = ask(author, document=NEWER.replace("{{ question }}", "{{ question")).json()
    assert body["rendered"] is False
    assert body["stoppedAt"]["line"] == 14
    assert "PT2" in body["stopped"]
    assert body["standIn"] == "production v1"


def test_front_matter_that_cannot_be_read_leaves_the_inputs_as_they_were(author):
    assert ask(author, document=NEWER.replace("inputs:", "inputs: [")).json()["inputs"] is None


def test_a_pasted_conversation_is_answered_with_its_parts(author):
    text = "SYSTEM: Be kind.\nUSER: {question}\nASSISTANT:"
    pasted = ask(author, want="pasted", text=text).json()["pasted"]
    assert (pasted["kind"], pasted["count"]) == ("messages", 2)
    assert "{{ question }}" in pasted["body"]
    assert any("labels of the turns" in sentence for sentence in pasted["differences"])


def test_a_pasted_text_that_a_part_reads_as_it_is_gets_no_offer(author):
    assert ask(author, want="pasted", text="Be kind to {{ name }}.").json() == {"pasted": None}


def test_a_pasted_text_that_is_too_large_is_refused(author):
    assert ask(author, want="pasted", text="x" * 2_000_001).status_code == 413


def test_a_reader_can_ask_for_no_pasted_text(reply, browser):
    assert ask(browser("reader"), want="pasted", text="USER: a\nASSISTANT: b").status_code == 403


def test_values_are_escaped_in_the_preview(author):
    body = ask(author, data={"question": "<script>alert(1)</script>"}).json()
    assert "&lt;script&gt;" in body["preview"]
    assert "<script>" not in body["preview"]


def test_a_problem_carries_its_fix(author):
    body = ask(
        author, document=NEWER.replace("{{ question }}", '{{ fragment("support/refunds/reply@latest") }}')
    ).json()
    fixes = [problem["fix"] for problem in body["problems"] if problem["fix"]]
    assert fixes[0]["edits"][0]["line"] == 14


def test_the_difference_to_any_version_is_shown(author):
    body = ask(author, want="diff", against="1").json()
    assert "diff-source" in body["diff"]


@pytest.mark.parametrize("body", ["[]", "{", '{"a": 1, "a": 2}'])
def test_a_body_that_is_not_an_object_is_refused_with_a_sentence(author, body):
    answer = author.post(f"{EDIT}/preview", body, content_type="application/json")
    assert answer.status_code == 422
    assert answer.json()["error"]


def test_a_draft_is_kept_and_thrown_away(author):
    body = {"document": NEWER, "samples": {"a": {"question": "?"}}, "base": "2", "message": "Half done"}
    answer = author.put(f"{EDIT}/draft", body, content_type="application/json")
    assert answer.json()["saved_at"] > 1_600_000_000_000
    draft = Draft.objects.get()
    assert (draft.document, draft.base.number, draft.message) == (NEWER, 2, "Half done")
    assert author.delete(f"{EDIT}/draft", {}, content_type="application/json").json() == {}
    assert not Draft.objects.exists()


def test_a_draft_may_hold_what_could_not_be_saved(author):
    answer = author.put(f"{EDIT}/draft", {"document": "{{ {% ---"}, content_type="application/json")
    assert answer.status_code == 200


def test_a_save_answers_with_the_version_and_what_to_do_next(author):
    body = {"document": NEWER, "message": "Stop", "base": "2", "do": "save"}
    said = author.post(EDIT, body, content_type="application/json").json()
    assert (said["saved"]["number"], said["saved"]["document"]) == (3, NEWER)
    assert "propose:production:3" in said["html"]


def test_new_samples_are_saved_with_the_text(author):
    body = {"document": NEWER, "base": "2", "do": "save", "samples": {"only": {"question": "Why?"}}}
    author.post(EDIT, body, content_type="application/json")
    assert SampleSet.objects.order_by("-number").first().samples == {"only": {"question": "Why?"}}


def test_a_sample_that_breaks_its_schema_refuses_the_save(author):
    body = {"document": NEWER, "base": "2", "do": "save", "samples": {"only": {"question": 7}}}
    answer = author.post(EDIT, body, content_type="application/json")
    assert answer.status_code == 422
    assert [problem["sample"] for problem in answer.json()["problems"] if problem["severity"] == "error"] == ["only"]
    assert Version.objects.count() == 2


def test_a_conflict_answers_412_with_the_ways_on(reply, author):
    reply.save(OTHER.replace("You help", "Please help"))
    answer = author.post(EDIT, {"document": NEWER, "base": "2", "do": "save"}, content_type="application/json")
    assert answer.status_code == 412
    assert "Save mine as a separate version" in answer.json()["html"]


def test_a_reader_is_refused_as_json(reply, browser):
    answer = ask(browser("reader"))
    assert answer.status_code == 403
    assert "need the role author" in answer.json()["error"]


def test_the_prompt_is_shown_as_one_text_on_request(author):
    assert '<pre class="as-text"' in ask(author, target="text").json()["preview"]


def test_the_text_is_tried_on_every_sample_and_the_worst_case_is_marked(author):
    samples = {"short": {"question": "Why?"}, "long": {"question": "Why? " * 90}, "broken": {}}
    table = " ".join(ask(author, want="samples", samples=samples).json()["samples"].split())
    rows = {name: table.split(f'data-choose="{name}"')[1].split("</tr>")[0] for name in samples}
    assert "worst case" in rows["long"]
    assert "worst case" not in rows["short"]
    assert "question" in rows["broken"]


@pytest.mark.parametrize(
    ("questions", "marked"), [(("Why?", "Why?"), 0), (("Why?", "So?", "Why so, and since when?"), 1)]
)
def test_the_worst_case_is_one_sample_and_none_where_all_are_alike(author, questions, marked):
    samples = {f"sample {number}": {"question": question} for number, question in enumerate(questions)}
    assert ask(author, want="samples", samples=samples).json()["samples"].count("worst case") == marked


INPUTS = """---
inputs:
  tone: { enum: [warm, formal], default: warm }
  question: { type: string }
  excerpts: { type: array, items: { type: string } }
  flags: { type: object, properties: { urgent: { type: boolean } }, default: { urgent: true } }
  limit: { type: integer, default: 3 }
---
- name: ask
  role: user
  content: "{{ tone }} {{ question }} {{ excerpts | length }} {{ flags.urgent }} {{ limit }}"
"""


def test_the_table_of_samples_shows_values_defaults_and_what_is_missing(author):
    samples = {
        "all": {"question": "Why? " * 20, "excerpts": ["a"], "tone": "formal", "flags": {"urgent": False}},
        "least": {"question": "Why?", "excerpts": []},
        "lacks": {"question": "<b>"},
    }
    table = " ".join(ask(author, document=INPUTS, want="samples", samples=samples).json()["samples"].split())
    heads = re.findall(r'class="sample-value">(\w+) <span class="aside">([^<]*)<', table)
    assert heads == [("question", "Text"), ("excerpts", "List of text"), ("tone", "Choice"), ("flags", "Group")]
    assert "beside them, in the values: limit" in table
    rows = [re.findall(r'sample-value is-(\w+)"><bdi>([^<]*)</bdi>', row) for row in table.split("<tr>")[2:]]
    assert rows[0][0] == ("text", "Why? Why? Why? Why? Why? Why? Why? Why? Why? Why? Why? Why?")
    assert rows[0][1:] == [("plain", "1 item"), ("word", "formal"), ("plain", "no")]
    assert "41 more" in table
    assert rows[1] == [("word", "Why?"), ("none", "none"), ("none", "warm"), ("none", "yes")]
    assert rows[2][:2] == [("word", "&lt;b&gt;"), ("missing", "missing")]
    assert "excerpts is missing" in table
    assert 'data-choose="lacks" data-field="excerpts"' in table
    assert "2 of 3 render" in table


def test_a_text_without_samples_says_what_they_are_for(author):
    table = " ".join(ask(author, want="samples", samples={}).json()["samples"].split())
    assert "Recent requests can't be added: the values" in table
    assert "No samples yet. Add one to see the prompt with real values." in table


def test_inputs_that_give_several_prompts_are_shown_one_at_a_time(author):
    shaped = "---\nformat: shaped\n---\nAnswer {query} from {documents}."
    data = {"query": "why", "documents": ["first page", "second page"]}
    body = ask(author, document=shaped, data=data, prompt="1").json()
    assert body["rendered"] is True
    assert "These inputs give 2 prompts" in body["preview"]
    assert "second page" in body["preview"]
    assert "first page" not in body["preview"]


def test_a_prompt_that_fits_and_cannot_be_counted_is_shown_with_the_reason(author):
    if vocabularies.is_installed("llama3"):
        pytest.skip("llama-models is installed here")
    body = ask(author, document="---\nmodel: llama-3.1-8b\n---\n- name: q\n  content: 'Say {{ question }}'\n").json()
    assert (body["problems"], body["stopped"]) == ([], "")
    assert "Say" in body["preview"]
    assert "which is not here" in body["budget"]
    assert "budget-head" not in body["budget"]


def test_the_pages_of_a_template_that_cannot_be_counted_open(reply, author):
    if vocabularies.is_installed("llama3"):
        pytest.skip("llama-models is installed here")
    text = "---\nmodel: llama-3.1-8b\ninputs: {q: {type: string, maxLength: 9}}\n---\n- name: q\n  content: '{{ q }}'\n"
    body = {"document": text, "base": "2", "do": "save", "samples": {"a": {"q": "Why?"}}}
    assert author.post(EDIT, body, content_type="application/json").json()["saved"]["number"] == 3
    for address in (f"/t/{REPLY}", EDIT, f"/changes/{reply.propose(3).number}"):
        page = author.get(address, follow=True)
        assert page.status_code == 200, address
        assert "None tokens" not in page.content.decode()


def _store(client, document: str, **fields):
    body = {"document": document, "base": "2", "samples": SAMPLES, **fields}
    return client.put(f"{EDIT}/draft", body, content_type="application/json")


def test_a_second_tab_shows_newer_text_and_nothing_is_overwritten(author):
    assert _store(author, NEWER, revision=0).json()["revision"] == 1
    answer = _store(author, NEWER + "# other tab", revision=0)
    assert answer.status_code == 409
    assert (answer.json()["newer"]["document"], answer.json()["newer"]["revision"]) == (NEWER, 1)
    assert Draft.objects.get().document == NEWER


def test_a_save_of_an_older_text_does_not_end_a_newer_draft(author):
    _store(author, NEWER, revision=0)
    body = {"document": NEWER + "# old", "base": "2", "samples": SAMPLES, "revision": 0, "do": "save"}
    answer = author.post(EDIT, body, content_type="application/json")
    assert answer.status_code == 409
    assert answer.json()["newer"]["document"] == NEWER
    assert Version.objects.count() == 2


def test_an_unchanged_text_leaves_no_draft(author):
    answer = _store(author, OTHER, revision=0)
    assert answer.json() == {"saved_at": None, "revision": 0}
    assert not Draft.objects.exists()


@pytest.mark.parametrize("revision", ["1", -1, True])
def test_a_revision_is_a_whole_number(author, revision):
    assert _store(author, NEWER, revision=revision).status_code == 422


def test_a_line_above_the_samples_names_what_several_of_them_lack_or_no_longer_need(author):
    samples = {
        "a": {"question": "Why?", "topic": "x"},
        "b": {"question": "How?", "excerpts": []},
        "c": {"excerpts": []},
    }
    table = " ".join(ask(author, document=INPUTS, want="samples", samples=samples).json()["samples"].split())
    assert "<b>excerpts is required.</b> 1 of 3 samples has no value for it." in table
    assert "<b>question is required.</b> 1 of 3 samples has no value for it." in table
    assert 'data-drop-value="topic"> Remove it from 1 sample' in table
    assert "<b>tone is required.</b>" not in table
    unread = ask(author, document="---\ninputs: [\n---\n", want="samples", samples=samples).json()["samples"]
    assert "data-drop-value" not in unread


def test_the_order_of_samples_is_stored_and_makes_a_draft_by_itself(author):
    samples = {"late": {"question": "Late?"}, "early": {"question": "Early?"}}
    body = {"document": NEWER, "base": "2", "message": "", "do": "save"}
    assert author.post(EDIT, {**body, "samples": samples}, content_type="application/json").status_code == 200
    assert list(SampleSet.objects.latest("number").samples) == ["late", "early"]
    turned = dict(reversed(samples.items()))
    draft = {"document": NEWER, "base": "3", "samples": turned, "message": ""}
    assert author.put(f"{EDIT}/draft", draft, content_type="application/json").json()["saved_at"]
    assert author.put(f"{EDIT}/draft", {**draft, "samples": samples}, content_type="application/json").json() == {
        "saved_at": None,
        "revision": 0,
    }
    author.post(EDIT, {**body, "base": "3", "samples": turned}, content_type="application/json")
    assert list(SampleSet.objects.latest("number").samples) == ["early", "late"]


def test_rows_of_a_file_are_offered_as_samples_and_nothing_is_stored(author):
    sets = SampleSet.objects.count()
    body = ask(author, want="rows", file="q.csv", text="id,question,tone\na,Why?,warm\n").json()
    assert body["rows"] == [{"name": "a", "values": {"question": "Why?"}}]
    assert [column["target"] for column in body["columns"]] == ["id", "inputs.question", ""]
    assert (body["targets"], body["total"]) == (["inputs.shop", "inputs.question"], 1)
    assert SampleSet.objects.count() == sets
    chosen = ask(author, want="rows", file="q.csv", text="tone\nwarm\n", columns={"tone": "inputs.question"}).json()
    assert chosen["rows"] == [{"name": "q 1", "values": {"question": "warm"}}]
    for columns in ({"tone": "inputs.none"}, {"tone": 1}, ["tone"]):
        refused = ask(author, want="rows", file="q.csv", text="tone\nwarm\n", columns=columns)
        assert (refused.status_code, "columns" in refused.json()["error"]) == (422, True)
    assert ask(author, want="rows", file="q.csv", text="question\n" + "x" * 1_100_000).status_code == 413


def test_rows_of_the_datasets_of_the_namespace_are_offered(author, browser):
    assert ask(author, want="rows").json() == {"datasets": []}
    rows = {"text": '{"id": "a", "inputs": {"question": "Why?"}}', "form": "jsonl"}
    author.put("/api/v1/datasets/support/gold", rows, content_type="application/json")
    assert ask(author, want="rows").json() == {"datasets": ["support/gold"]}
    body = ask(author, want="rows", dataset="support/gold").json()
    assert body["rows"] == [{"name": "a", "values": {"question": "Why?"}}]
    assert ask(author, want="rows", dataset="support/none").status_code == 404
    assert ask(browser("reader"), want="rows", dataset="support/gold").status_code == 403
