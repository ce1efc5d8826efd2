"""The editor's combined examination: the same results as separate calls, with a single parse."""

import jinja2.parser
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptuary import renderer
from promptuary.renderer.errors import InputError, RenderError
from promptuary.renderer.isolation.renderer import BoundedRenderer
from promptuary.renderer.validation.examination import Examination, examine_document
from promptuary.renderer.validation.placeholder_preview import render_with_placeholders
from promptuary.renderer.validation.undeclared_inputs import find_undeclared_inputs
from tests.renderer.varied_documents import FRAGMENTS, PROFILES, data, documents
from tests.support.examples import example_count

LETTER = (
    "---\ninputs:\n  question: {type: string, untrusted: true}\n  tone: {type: string, enum: [warm, cool]}\n---\n"
    "- name: rules\n  role: system\n  content: Be {{ tone }}.\n"
    "- name: question\n  content: '{{ question }} {{ fragment(\"a/text@1\") }}'\n"
)
OTHERS = {
    "shaped": "---\nformat: shaped\n---\nWrite about {topic}.\n",
    "prompter": "---\nformat: prompter\n---\nkind: chat\ninstruction: Answer {question}.\n",
    "nothing but a fault": "---\ninputs: [\n---\n- name: a\n",
    "a body that can't be parsed": "- name: a\n  content: '{{ broken'\n",
    "a fragment that is not there": "- name: a\n  content: '{{ fragment(\"a/none@1\") }}'\n",
    "an input that is not declared": "---\ninputs: {}\n---\n- name: a\n  content: '{{ b.c }}'\n",
}


def preview_alone(text, values, profile):
    """The prompts as JSON with the paths of the placeholders, or the problem that stops them."""
    try:
        template = renderer.load(text, fragments=FRAGMENTS, profile=profile)
        prompts, placeholders = render_with_placeholders(template, values)
        return [prompt.to_dict("messages") for prompt in prompts], placeholders
    except RenderError as error:
        return error.to_dict()


def preview_of(examination: Examination):
    try:
        if examination.preview.error is not None:
            raise examination.preview.error
        return [prompt.to_dict("messages") for prompt in examination.preview.prompts], examination.preview.placeholders
    except RenderError as error:
        return error.to_dict()


def assert_same(text, samples, values, profile=None):
    together = examine_document(text, values, samples, fragments=FRAGMENTS, profile=profile)
    assert together.problems == renderer.validate(text, samples, fragments=FRAGMENTS, profile=profile)
    assert together.undeclared == find_undeclared_inputs(text, FRAGMENTS)
    assert preview_of(together) == preview_alone(text, values, profile)


@settings(
    max_examples=example_count(0.4),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(documents(), data(), st.sampled_from(PROFILES))
def test_combined_findings_equal_the_separate_ones(text, values, profile):
    front = f"---\nprofile: {profile}\n" if profile else "---\n"
    assert_same(text.replace("---\n", front, 1), {"sample": values[0]}, values[1])


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_so_it_is_for_every_format_and_for_faults(text):
    assert_same(text, {}, {})
    assert_same(text, {"a": {"topic": "tea"}}, {"question": "Why?"})


def test_a_preview_takes_values_that_no_schema_allows_where_none_is_given():
    together = examine_document(LETTER, {"question": "Why?"}, fragments=FRAGMENTS)
    (prompt,) = together.preview.prompts
    assert [part.content for part in prompt.parts] == ["Be [tone].", "Why? some kept words\n"]
    assert together.preview.placeholders == ["tone"]


def test_an_untrusted_value_in_a_system_part_is_shown_by_the_preview_and_refused_by_the_prompt():
    text = LETTER.replace("{{ tone }}", "{{ question }}")
    assert_same(text, {}, {"question": "Why?"})
    together = examine_document(text, {"question": "Why?"}, fragments=FRAGMENTS)
    assert "PT408" in [problem.code for problem in together.problems]
    assert together.preview.prompts[0].parts[0].content == "Be Why?."
    with pytest.raises(InputError, match="may not use"):
        renderer.load(text, fragments=FRAGMENTS).render({"question": "Why?", "tone": "warm"})


def test_a_text_is_parsed_once(monkeypatch):
    parsed: list[str] = []
    parse = jinja2.parser.Parser.parse

    def note_parse(self):
        parsed.append(self.name)
        return parse(self)

    monkeypatch.setattr(jinja2.parser.Parser, "parse", note_parse)
    plain = LETTER.replace('{{ fragment("a/text@1") }}', "")
    for text in (plain, plain.replace("{{ tone }}", "{{ tone }} and {{ undeclared }}")):
        parsed.clear()
        examined = examine_document(text, {}, {"a": {"question": "Why?", "tone": "warm"}})
        assert examined.preview.prompts
        assert len(parsed) == 1


@pytest.fixture(scope="module")
def bounded():
    bounded = BoundedRenderer(cpu_seconds=10)
    yield bounded
    bounded.close()


class TestInAChild:
    @pytest.mark.parametrize("text", [LETTER, *OTHERS.values()], ids=["parts", *OTHERS])
    def test_the_result_equals_three_separate_calls(self, bounded, text):
        values = {"question": "Why?", "tone": 3}
        examined = bounded.examine(text, values, fragments=FRAGMENTS, samples={"a": {}}, target="text")
        assert examined.problems == bounded.validate(text, fragments=FRAGMENTS, samples={"a": {}})
        assert examined.undeclared == find_undeclared_inputs(text, FRAGMENTS)
        if examined.error is None:
            alone = bounded.render_with_placeholders(text, values, fragments=FRAGMENTS, target="text")
            assert (examined.prompts, examined.placeholders) == alone
        else:
            assert examined.prompts == []
            with pytest.raises(RenderError) as caught:
                bounded.render_with_placeholders(text, values, fragments=FRAGMENTS, target="text")
            assert examined.error.to_dict() == caught.value.to_dict()

    def test_a_text_that_no_vocabulary_takes_stops_the_preview_and_not_the_check(self, bounded):
        text = "- name: a\n  content: '{{ word }}'\n"
        examined = bounded.examine(text, {"word": "\ud800"})
        assert [problem.code for problem in examined.problems] == []
        assert examined.error is not None
        assert "surrogate" in examined.error.message
