"""Pasted prompts of many kinds: each becomes a document without errors, or is refused with the line."""

import pytest

from promptuary import renderer
from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.reading import read_templates
from tests.renderer.interop.imports import read_one, render_text
from tests.renderer.interop.pasted_prompts import PROMPTS

REFUSED = {
    "mustache_partial": "takes in another template",
    "jinja_broken": "unexpected end of template",
    "dify": "calls a helper of its program",
    "include": "takes in another file",
    "statement in prose": "expected token",
}


@pytest.mark.parametrize("name", sorted(PROMPTS.keys() - REFUSED.keys()))
def test_a_pasted_prompt_becomes_a_document_without_errors(name):
    (template,) = read_templates("pasted", PROMPTS[name].encode())
    problems = renderer.validate(template.document, samples=template.samples)
    assert [problem for problem in problems if problem.severity == "error"] == []


@pytest.mark.parametrize("name", REFUSED)
def test_an_unsupported_prompt_is_refused_with_the_line(name):
    with pytest.raises(LossError, match=REFUSED[name]) as caught:
        read_templates("pasted", PROMPTS[name].encode())
    assert "line " in str(caught.value)


@pytest.mark.parametrize("name", PROMPTS)
def test_as_plain_text_every_prompt_is_kept_as_it_is(name):
    assert render_text(read_one("pasted", PROMPTS[name], "none")) == PROMPTS[name]
