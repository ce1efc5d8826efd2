"""Rendering on the server: a version or an unsaved document with data."""

import pytest

from registry.core.errors import Invalid, NotFound
from registry.templates import preview
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
