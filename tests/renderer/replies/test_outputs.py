"""Reading replies by a document's `output`, and the checks of it at save."""

from datetime import UTC, datetime
from typing import Any

import pytest

from promptuary import renderer
from promptuary.renderer.errors import InputError, OutputError

DOCUMENTS = [{"content": "Beer.", "id": "b"}, {"content": "Tea.", "id": "t"}]
ANSWERS = "{func: strings_to_answers, inputs: {strings: results}, outputs: [answers]}"
PER_DOCUMENT = "{documents} {query}"


def load(shapers: str, body: str = "{join(documents)} {query}", more: str = "") -> renderer.Template:
    return renderer.load(f"---\nformat: shaped\noutput:\n  shapers: {shapers}\n{more}---\n{body}")


def problems(output: str) -> list[tuple[str, int, str]]:
    problems = renderer.validate(f"---\nformat: text\noutput:\n{output}---\nhello")
    return [(problem.code, problem.line, problem.message) for problem in problems]


def test_answers_name_all_documents_without_a_reference_pattern():
    read = load(f"[{ANSWERS}]").read(["yes"], {"documents": DOCUMENTS, "query": "q"})
    assert [answer["document_ids"] for answer in read["answers"]] == [["b", "t"]]


def test_the_prompt_is_in_the_answers_meta_as_in_haystack():
    read = load(f"[{ANSWERS}]").read(["yes"], {"documents": DOCUMENTS, "query": "q"})
    assert read["answers"][0]["meta"] == {"prompt": "Beer. Tea. q"}


def test_one_reply_may_be_given_as_a_text():
    assert load(f"[{ANSWERS}]").read("yes", {"documents": DOCUMENTS})["answers"][0]["answer"] == "yes"


def test_replies_of_a_fan_out_find_their_documents():
    template = load(f"[{ANSWERS}]", PER_DOCUMENT)
    read = template.read(["a", "b", "c", "d"], {"documents": DOCUMENTS, "query": "q"})
    assert [answer["document_ids"] for answer in read["answers"]] == [["b"], ["b"], ["t"], ["t"]]


def test_the_prompts_may_be_given_as_they_were_rendered():
    template = load(f"[{ANSWERS}]", PER_DOCUMENT)
    data = {"documents": DOCUMENTS, "query": "q"}
    assert template.read(["a", "b"], data, template.render_all(data)) == template.read(["a", "b"], data)


def test_replies_are_read_even_where_data_for_the_prompt_are_missing():
    assert load(f"[{ANSWERS}]").read("yes", {"documents": DOCUMENTS})["answers"][0]["meta"] == {"prompt": None}


def test_shapers_get_the_results_of_earlier_ones():
    steps = (
        f"[{ANSWERS}, {{func: answers_to_strings, outputs: [texts]}}, {{func: join_strings, inputs: "
        f"{{strings: texts}}, outputs: [text]}}]"
    )
    assert load(steps).read(["a", "b"], {"documents": DOCUMENTS})["text"] == "a b"


def test_only_published_outputs_come_out():
    steps = (
        "[{func: rename, inputs: {value: results}, outputs: [a], publish_outputs: false}, "
        "{func: rename, inputs: {value: a}, outputs: [b], publish_outputs: [b]}, "
        "{func: rename, inputs: {value: a}, outputs: [c], publish_outputs: [x]}]"
    )
    assert load(steps).read("x", {}) == {"b": ["x"]}


def test_inputs_go_before_params_and_params_before_names():
    steps = (
        "[{func: rename, inputs: {value: gone}, params: {value: 1}, outputs: [a]}, {func: rename, "
        "inputs: {value: query}, params: {value: 1}, outputs: [b]}, {func: rename, params: {value: 2}, "
        "outputs: [c]}]"
    )
    assert load(steps).read("x", {"query": "q", "value": 3}) == {"a": 1, "b": "q", "c": 2}


def test_a_list_of_names_gathers_their_values():
    steps = "[{func: join_lists, inputs: {lists: [one, gone, two]}, outputs: [all]}]"
    assert load(steps).read("x", {"one": [1], "two": [2]}) == {"all": [1, 2]}


def test_without_shapers_the_results_come_back():
    assert renderer.load("hello").read(["a", "b"]) == {"results": ["a", "b"]}


def test_an_output_schema_alone_reads_the_replies_by_it():
    template = renderer.load("---\nformat: text\noutput:\n  schema: {properties: {ok: {type: boolean}}}\n---\nhello")
    read = template.read('```json\n{"ok": "true"}\n```')
    assert read == {"results": [{"ok": True}]}
    assert read.notes == (
        "reply 1: took the JSON out of its code fence",
        'reply 1: read the text "true" in `ok` as true',
    )


def test_a_reply_that_does_not_fit_the_schema_is_an_output_error():
    template = renderer.load("---\nformat: text\noutput:\n  schema: {required: [ok]}\n---\nhello")
    with pytest.raises(OutputError, match="the reply lacks `ok`"):
        template.read("{}")


def test_an_unknown_reference_is_noted():
    steps = "[{func: strings_to_answers, params: {reference_pattern: '\\[(\\d+)\\]'}, outputs: [answers]}]"
    read = load(steps).read("see [7]", {"documents": DOCUMENTS, "query": "q"})
    assert read["answers"][0]["document_ids"] == []
    assert read.notes == ("answer 1 refers to 7, which is not a document it was given",)


def test_the_clock_is_given_to_the_reading():
    template = load("[{func: current_datetime, params: {format: '%Y'}, outputs: [year]}]")
    assert template.read("x", {}, clock=lambda: datetime(1999, 1, 1, tzinfo=UTC)) == {"year": "1999"}


def test_a_judges_reply_is_scored():
    template = load("[{func: trace_scores, outputs: [scores]}]")
    reply = '{"all_relevant_sentence_keys": ["0a"], "all_utilized_sentence_keys": ["0a"]}'
    assert template.read(reply, {"documents": DOCUMENTS, "query": "q"})["scores"]["relevance"] == 0.5


def test_an_error_is_at_its_shaper():
    template = load(f"[{ANSWERS}]", PER_DOCUMENT)
    with pytest.raises(OutputError, match="cannot be shared out") as caught:
        template.read(["a", "b", "c"], {"documents": DOCUMENTS, "query": "q"})
    assert caught.value.line == 4


@pytest.mark.parametrize(
    ("output", "finding"),
    [
        ("  shaper: []\n", ("PT810", 4, "`shaper` is not a part of `output`; did you mean `shapers`?")),
        ("  shapers: x\n", ("PT810", 4, "`shapers` must be a list")),
        ("  shapers: [x]\n", ("PT810", 4, "a shaper must be a mapping with `func` and `outputs`")),
        ("  shapers:\n  - {func: renam, outputs: [a]}\n",
         ("PT811", 5, "`renam` is not a shaper; did you mean `rename`?")),
        ("  shapers:\n  - func: rename\n    output: [a]\n    outputs: [a]\n",
         ("PT810", 6, "`output` is not a part of a shaper; did you mean `outputs`?")),
        ("  shapers:\n  - {func: rename}\n", ("PT810", 5, "`outputs` must be a list with the name of the result")),
        ("  shapers:\n  - {func: rename, outputs: [a], inputs: {valu: x}}\n",
         ("PT812", 5, "rename has no argument `valu`; did you mean `value`?")),
        ("  shapers:\n  - {func: rename, outputs: [a], inputs: {value: 1}}\n",
         ("PT812", 5, "`value` must name a value, or list names of values")),
        ("  shapers:\n  - {func: rename, outputs: [a], publish_outputs: no}\n",
         ("PT810", 5, "`publish_outputs` must be true, false or a list of names")),
    ],
    ids=range(9),
)  # fmt: skip
def test_problems_of_an_output_are_found_at_save(output: str, finding: Any):
    assert problems(output) == [finding]


def test_a_sound_output_has_no_problems():
    assert problems("  schema: {type: object}\n  shapers:\n  - {func: json, outputs: [value]}\n") == []


def test_render_refuses_several_prompts_and_render_all_gives_them():
    template = load(f"[{ANSWERS}]", PER_DOCUMENT)
    data = {"documents": DOCUMENTS, "query": "q"}
    assert [prompt.text for prompt in template.render_all(data)] == ["Beer. q", "Tea. q"]
    with pytest.raises(InputError, match="2 prompts"):
        template.render(data)


def test_another_body_keeps_inputs_and_shapers_and_loses_the_stamp():
    template = load(f"[{ANSWERS}]", more="inputs: {query: {type: string, default: why?}, documents: {type: array}}\n")
    prompt = template.render({"documents": DOCUMENTS}, prompt="Only {query}")
    assert (prompt.text, prompt.stamp.overridden, prompt.stamp.digest) == ("Only why?", True, None)


@pytest.mark.parametrize(
    ("step", "data", "value"),
    [
        ("{func: join_strings, outputs: [o]}", {"strings": ["first", "third"]}, "first third"),
        ("{func: strings_to_answers, outputs: [o]}", {"strings": ["of the data"]}, "of the data"),
        ("{func: strings_to_documents, outputs: [o]}", {"strings": ["a"]}, "a"),
        ("{func: json, outputs: [o]}", {"strings": ["[1, 2]"]}, [[1, 2]]),
        ("{func: rename, inputs: {value: reply}, outputs: [o]}", {"reply": "of the data"}, "of the data"),
        ("{func: rename, inputs: {value: replies}, outputs: [o]}", {"replies": "of the data"}, "of the data"),
        ("{func: format_string, outputs: [o]}", {"string": "of the data"}, "of the data"),
        ("{func: join_strings, inputs: {strings: results}, outputs: [o]}", {"strings": ["x"]}, "of the model"),
        ("{func: join_strings, outputs: [o]}", {}, "of the model"),
        ("{func: rename, inputs: {value: reply}, outputs: [o]}", {}, "of the model"),
    ],
)
def test_data_named_like_an_argument_are_what_a_shaper_takes(step, data, value):
    read = load(f"[{step}]").read("of the model", data)
    found = read["o"][0] if isinstance(read["o"], list) and isinstance(read["o"][0], dict) else read["o"]
    assert (found.get("answer", found.get("content")) if isinstance(found, dict) else found) == value
    assert read.notes == ()


def test_the_judges_reply_is_read_from_what_the_data_call_reply():
    reply = '{"all_relevant_sentence_keys": ["0a"]}'
    data = {"documents": DOCUMENTS, "reply": reply}
    taken = load("[{func: trace_scores, outputs: [o]}]").read("{}", data)["o"]
    assert taken == load("[{func: trace_scores, outputs: [o]}]").read(reply, {"documents": DOCUMENTS})["o"]


@pytest.mark.parametrize(
    ("name", "what"), [("results", "the model's replies"), ("prompts", "the prompts that were sent")]
)
def test_data_that_give_way_to_the_replies_are_reported(name, what):
    step = f"[{{func: rename, inputs: {{value: {name}}}, outputs: [o]}}]"
    read = load(step, "{query}").read("yes", {"query": "q", name: ["of the data"]})
    assert read["o"] == {"results": ["yes"], "prompts": ["q"]}[name]
    assert [note for note in read.notes if f"`{name}`" in note and what in note] == list(read.notes) != []
    text = f"---\nformat: shaped\ninputs:\n  {name}: {{type: array}}\noutput:\n  shapers: {step}\n---\n{{join({name})}}"
    problems = [(problem.code, problem.severity, problem.line) for problem in renderer.validate(text)]
    assert problems == [("PT813", "warning", 4)]
    without = text.replace(f"output:\n  shapers: {step}\n", "")
    assert "PT813" not in [problem.code for problem in renderer.validate(without)]
