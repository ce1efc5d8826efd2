"""Origins of rendered text: each span matches the document."""

from hypothesis import assume, event, given, settings

from promptuary import renderer
from promptuary.renderer.errors import RenderError
from promptuary.renderer.origins.traced_parts import trace_parts, trace_source_lines
from tests.renderer import varied_documents as varied
from tests.renderer.origins.test_line_edits import DATA, DOCUMENT, FRAGMENTS
from tests.support.examples import example_count


def is_followed(document):
    """Whether the origins of text are traced in the document's format."""
    return document.startswith(("---\nformat: parts", "---\nformat: text"))


@settings(max_examples=example_count(0.5))
@given(document=varied.documents().filter(is_followed), values=varied.data())
def test_traces_match_the_document_and_cover_all_literal_text(document, values):
    try:
        template = renderer.load(document, fragments=varied.FRAGMENTS)
        traced = trace_parts(template, values[0])
    except RenderError:
        assume(False)
    assume(traced is not None)
    for one in traced:
        if one.stretches is None:
            event("not followed")
            continue
        event("followed")
        content = one.part.content
        is_value = [any(mark.start <= at < mark.end for mark in one.part.marks) for at in range(len(content))]
        covered = [False] * len(content)
        for stretch in one.stretches:
            covered[stretch.start : stretch.end] = [True] * (stretch.end - stretch.start)
            if stretch.reference is None and stretch.is_verbatim:
                written = document[stretch.source_start : stretch.source_end]
                assert written == content[stretch.start : stretch.end] or written.isspace()
        assert covered == [not value for value in is_value]


def test_every_style_of_the_example_is_followed():
    traced = trace_parts(renderer.load(DOCUMENT, fragments=FRAGMENTS), DATA)
    assert [one.stretches is not None for one in traced] == [True] * 6


def test_a_rendered_line_names_the_lines_of_the_document_that_made_it():
    lines = trace_source_lines(renderer.load(DOCUMENT, fragments=FRAGMENTS), DATA)
    assert lines[0][0] == [9]
    assert lines[0][1] == [10]
    assert lines[2] == [[21, 22]]
    assert lines[4] == [[]]  # a fragment's
    assert lines[5] == [[32]]


def test_parts_that_truncation_drops_do_not_shift_the_lines_of_the_others():
    document = (
        "---\ntoken_limit: 12\n---\n"
        "- name: first\n  truncation_priority: 1\n  content: "
        + "many words that are dropped because of the limit "
        * 3
        + "\n"
        "- name: second\n  content: kept words\n"
    )
    template = renderer.load(document)
    assert [part.name for part in template.render({}).parts] == ["second"]
    assert trace_source_lines(template, {}) == [[[8]]]


def test_shaped_documents_are_not_followed():
    assert trace_source_lines(renderer.load("---\nformat: shaped\n---\nQ: {query}\n"), {"query": "x"}) == []
