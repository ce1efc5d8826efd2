"""Rendering on the server: a version or an unsaved document with data."""

from typing import Any

import pytest

from registry.core.errors import Invalid, NotFound, TooLarge
from registry.core.renderer_pool import seconds_of_request
from registry.templates import document_check, preview
from registry.templates.document_check import PreviewRequest
from registry.templates.models import Version


def test_a_version_renders_with_data(reader, save):
    version = save("briefly")
    rendered = preview.render_prompt(actor=reader, name="support/reply", ref="1", data={"question": "Why?"})
    assert rendered["messages"] == [{"role": "user", "content": "Answer briefly: Why?"}]
    assert (rendered["version"], rendered["digest"]) == (1, version.digest)


def test_an_unsaved_document_renders_and_is_not_stored(reader, document):
    rendered = preview.render_prompt(actor=reader, document=document(), data={"question": "Why?"}, target="text")
    assert rendered["text"] == "Answer: Why?"
    assert rendered["version"] is None
    assert not Version.objects.exists()


def test_missing_data_is_a_problem_that_names_the_input(reader, save):
    save()
    with pytest.raises(Invalid) as caught:
        preview.render_prompt(actor=reader, name="support/reply", ref="latest", data={})
    assert "question" in caught.value.message


def test_a_document_with_an_error_does_not_render(reader):
    with pytest.raises(Invalid) as caught:
        preview.render_prompt(actor=reader, document="- name: q\n  content: '{{ broken'\n", data={})
    assert caught.value.problems[0].line == 2


def test_it_is_either_a_template_or_a_document(reader):
    with pytest.raises(Invalid, match="either a template"):
        preview.render_prompt(actor=reader, data={})


def test_another_target_is_refused(reader, document):
    with pytest.raises(Invalid, match="one of messages"):
        preview.render_prompt(actor=reader, document=document(), data={}, target="html")


def test_an_outsider_renders_nothing_of_others(outsider, save):
    save()
    with pytest.raises(NotFound):
        preview.render_prompt(actor=outsider, name="support/reply", ref="1", data={"question": "?"})


def test_a_template_that_never_ends_is_stopped_and_names_its_line(reader, document):
    endless = (
        "- name: q\n  content: |\n    {% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}\n"
    )
    with pytest.raises(Invalid) as caught:
        preview.render_prompt(actor=reader, document=endless, data={})
    assert caught.value.problems[0].line == 3
    assert preview.render_prompt(actor=reader, document=document(), data={"question": "?"})["messages"]


class TestWhatAnEditorAsksAgainAndAgain:
    """While somebody types, unchanged results are cached."""

    @pytest.fixture
    def children(self):
        """One number for each child that was asked."""
        seconds: list[float] = []
        token = seconds_of_request.set(seconds)
        yield seconds
        seconds_of_request.reset(token)

    def test_a_check_with_a_preview_takes_one_child(self, reader, document, children):
        request = PreviewRequest({"question": "Why?"})
        examined = document_check.check_document(reader, document("One"), {"a": {}}, preview=request)
        rendered = preview.render_examined_document(examined=examined, data=request.data, with_placeholders=True)
        assert rendered["messages"] == [{"role": "user", "content": "Answer One: Why?"}]
        assert examined.undeclared.used == {"question"}
        assert len(children) == 1

    def test_other_data_or_another_target_are_rendered_again(self, reader, document):
        request = PreviewRequest({"question": "Why?"})
        examined = document_check.check_document(reader, document("Two"), preview=request)
        examined_document = preview.render_examined_document(examined=examined, data={}, with_placeholders=True)
        assert examined_document["placeholders"] == ["question"]
        text = preview.render_examined_document(
            examined=examined, data=request.data, target="text", with_placeholders=True
        )
        assert text["text"] == "Answer Two: Why?"
        with pytest.raises(Invalid):
            preview.render_examined_document(examined=examined, data={})

    def test_a_check_that_was_made_already_leaves_the_preview_to_a_rendering(self, reader, document, children):
        request = PreviewRequest({"question": "Why?"})
        document_check.check_document(reader, document("Three"))
        examined = document_check.check_document(reader, document("Three"), preview=request)
        assert examined.preview is None
        rendered = preview.render_examined_document(examined=examined, data=request.data, with_placeholders=True)
        assert rendered["messages"] == [{"role": "user", "content": "Answer Three: Why?"}]
        assert len(children) == 2

    def test_a_preview_that_never_ends_leaves_the_verdict(self, reader):
        endless = "- name: q\n  content: |\n    {{ a }}{% for x in range(90000) %}{{ a * 900 }}{% endfor %}\n"
        request = PreviewRequest({"a": "x" * 1000})
        examined = document_check.check_document(reader, endless, preview=request)
        with pytest.raises(Invalid) as caught:
            preview.render_examined_document(examined=examined, data=request.data, with_placeholders=True)
        assert caught.value.problems[0].line == 3
        assert examined.undeclared.used == {"a"}

    def test_a_version_that_is_compared_is_rendered_once_for_its_data(self, reader, save, children):
        save("briefly")
        children.clear()

        def compare(**data):
            return preview.render_compared_version(actor=reader, name="support/reply", number=1, data=data, index=None)

        first = compare(question="Why?")
        assert first == preview.render_prompt(actor=reader, name="support/reply", ref="1", data={"question": "Why?"})
        assert len(children) == 2
        assert compare(question="Why?") == first
        assert len(children) == 2
        assert compare(question="How?")["messages"][0]["content"] == "Answer briefly: How?"
        assert len(children) == 3

    def test_a_version_that_does_not_take_the_data_is_asked_once(self, reader, save, children):
        save("briefly")
        children.clear()
        for _ in range(2):
            compared = preview.render_compared_version(
                actor=reader, name="support/reply", number=1, data={"other": 1}, index=None
            )
            assert compared is None
        assert len(children) == 1

    def test_an_outsider_compares_nothing_of_others(self, reader, outsider, save):
        save("briefly")
        asked: dict[str, Any] = {"name": "support/reply", "number": 1, "data": {"question": "Why?"}, "index": None}
        assert preview.render_compared_version(actor=reader, **asked)
        with pytest.raises(NotFound):
            preview.render_compared_version(actor=outsider, **asked)

    def test_inputs_are_read_without_a_child(self, reader, document, children):
        read = document_check.read_document(reader, document("Four {{ tone }}"))
        assert [undeclared.name for undeclared in read.undeclared.inputs] == ["tone"]
        assert children == []

    def test_reading_refuses_what_a_check_refuses(self, reader):
        for ask in (document_check.read_document, document_check.check_document):
            with pytest.raises(TooLarge):
                ask(reader, "x" * 3_000_000)
            assert ask(reader, "---\ninputs: [\n---\n").document is None
            assert [problem.severity for problem in ask(reader, "---\ninputs: [\n---\n").problems] == ["error"]
