"""Haystack's prompts are imported as shaped documents, and exported unchanged."""

import json
from pathlib import Path

import pytest
import yaml

from promptuary import renderer
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.interop import haystack, shaped_text
from promptuary.renderer.interop.imported import LossError

ORACLE = Path(__file__).parents[2] / "oracles/haystack.json"
TEXT = (
    "Cite as Document[number].\n"
    "{join(documents, delimiter=new_line, pattern=new_line+'Document[$idx]: $content', "
    "str_replace={new_line: ' ', '[': '(', ']': ')'})}\nQuestion: {query}; Answer: \n"
)
FILE = {
    "name": "deepset/question-answering",
    "text": TEXT,
    "description": "Answers with references",
    "tags": ["question-answering"],
    "meta": {"authors": ["José"]},
    "version": "0.1.0",
}
PARSER = {"type": "AnswerParser", "params": {"reference_pattern": r"Document\[(\d+)\]"}}
DATA = {"query": "Who?", "documents": [{"content": "Beer [1]\nis old"}, {"content": "Tea"}]}


def imported(value):
    (template,) = haystack.read_haystack_prompts(value, "file")
    return template


def exported(text):
    written, lost = haystack.to_haystack_file(parse_document(text), "support/answer")
    assert lost == []
    return yaml.load(written, Loader=yaml.SafeLoader)  # noqa: TID251  # as Haystack reads it


def test_a_prompt_file_becomes_a_shaped_document():
    template = imported(FILE)
    document = parse_document(template.document)
    assert template.name == "deepset/question-answering"
    assert (document.format, document.description, document.tags) == (
        "shaped",
        FILE["description"],
        ("question-answering",),
    )
    assert renderer.load(template.document).render(DATA).text == (
        "Cite as Document[number].\n\nDocument[1]: Beer (1) is old\n\nDocument[2]: Tea\nQuestion: Who?; Answer: \n"
    )
    assert list(map(str, template.differences)) == ["arguments go by position now"]


def test_nothing_of_the_file_is_lost_on_the_way_back():
    back = exported(imported(FILE).document)
    assert {**back, "text": ""} == {**FILE, "text": ""}
    assert imported(back).document == exported_twice(back)


def exported_twice(value):
    return imported(exported(imported(value).document)).document


def test_a_pipelines_template_keeps_its_output_parser():
    component = {"name": "Asker", "type": "PromptTemplate", "params": {"prompt": "Hi {query}", "output_parser": PARSER}}
    template = imported({"components": [component, {"name": "Node", "type": "PromptNode"}]})
    assert template.name == "asker"
    assert renderer.load(template.document).read("Tea Document[2]", DATA)["answers"][0]["document_ids"]
    assert exported(template.document) == component


def test_any_one_shaper_is_kept():
    params = {
        "func": "join_strings",
        "inputs": {"strings": "results"},
        "params": {"delimiter": "; "},
        "outputs": ["all"],
    }
    component = {
        "name": "x",
        "type": "PromptTemplate",
        "params": {"prompt": "Hi {query}", "output_parser": {"type": "Shaper", "params": params}},
    }
    assert exported(imported(component).document) == component


def test_variables_with_a_dollar_are_rewritten_and_said_so():
    template = imported({"name": "old", "text": "Ask $query of $documents"})
    assert parse_document(template.document).body == "Ask {query} of {documents}"
    assert list(map(str, template.differences)) == ["variables written $name are written {name} now"]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"name": "x", "text": "{query.upper()}"}, "a value is shown whole"),
        ({"name": "x", "text": "{current_datetime()}"}, "current_datetime"),
        ({"name": "x", "text": "{query", "tags": []}, "never closed"),
        ({"name": "x", "text": 3}, "texts"),
        ({"name": "x", "text": "Hi", "engine": 1}, "no place for engine"),
        ({"name": "!!", "text": "Hi"}, "--name"),
        ({"type": "PromptTemplate", "params": {"prompt": "deepset/summarization"}}, "kept elsewhere"),
        ({"type": "PromptTemplate", "params": {"prompt": "Hi you", "output_parser": {"type": "Mine"}}}, "Mine"),
        ({"type": "PromptTemplate"}, "params"),
        ({"components": []}, "no component"),
        ({"text": "no name"}, "name"),
    ],
)
def test_an_unsupported_import_is_refused_with_the_reason(value, why):
    with pytest.raises(LossError, match=why):
        list(haystack.read_haystack_prompts(value, "file"))


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ('Say "hi" to {query}', "Say {double_quote}hi{double_quote} to {query}"),
        (r"a\nb \d \\ \x41 {{x}}", r"a\nb \\d \\ \\x41 {{x}}"),
        (r"{join(documents, '\n\t', '$content')}", "{join(documents, new_line+tab, '$content')}"),
        ("{join(documents, '', 'a\"b')}", "{join(documents, '', 'a'+double_quote+'b')}"),
        (r"{join(documents, ' ', '$content', {'\n': ' '})}", "{join(documents, ' ', '$content', {new_line: ' '})}"),
    ],
)
def test_a_body_is_written_as_haystack_reads_it(body, written):
    assert shaped_text.convert_to_haystack(body) == written
    data = {"query": "q", "documents": [{"content": "a\nb"}, {"content": "c"}]}
    again = renderer.load(imported({"name": "x", "text": written}).document)
    assert again.render(data).text == renderer.load(f"---\nformat: shaped\n---\n{body}").render(data).text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\nformat: text\n---\nHi", "format is text"),
        ("---\nformat: shaped\n---\n{document_sentences(documents)}", "document_sentences"),
        ("---\nformat: shaped\n---\n{to_list(query)}", "to_list"),
        ('---\nformat: shaped\n---\n{join(documents, "it\'s")}', "cannot write"),
        ("---\nformat: shaped\noutput:\n  shapers: [{func: json, outputs: [a]}]\n---\nHi", "json"),
    ],
)
def test_an_unsupported_export_is_refused(text, why):
    with pytest.raises(LossError, match=why):
        haystack.to_haystack_file(parse_document(text), "x")


def test_lost_front_matter_is_named():
    text = "---\nformat: shaped\nmodel: gpt-4o\ninputs:\n  query: {type: string}\n---\nHi {query}"
    assert haystack.to_haystack_file(parse_document(text), "x")[1] == ["model", "inputs (query)"]


@pytest.mark.skipif(not ORACLE.exists(), reason="the recorded results are not here")
def test_recorded_templates_come_in_or_are_refused_and_never_otherwise():
    """What comes in and goes out again renders to the same, on the data that the real library was given."""
    carried = 0
    for case in json.loads(ORACLE.read_text())["prompts"]:
        try:
            template = imported({"name": "x", "text": case["template"]})
            back = exported(template.document)["text"]
            expected = renderer.load(template.document).render_all(case["data"])
        except (LossError, renderer.RenderError):
            continue
        again = renderer.load(imported({"name": "x", "text": back}).document).render_all(case["data"])
        assert [prompt.text for prompt in again] == [prompt.text for prompt in expected]
        carried += 1
    assert carried >= 20
