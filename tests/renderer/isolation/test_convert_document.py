"""Converting a document in the bounded child: the same result as without it, refusals included."""

import pytest

from promptuary.renderer.interop.writing import EXPORT_FORMATS, convert_document
from promptuary.renderer.isolation.renderer import BoundedRenderer

PLAIN = "---\ninputs:\n  q: {type: string}\n---\n- name: a\n  content: 'Hi {{ q }}'\n"
SHAPED = "---\nformat: shaped\n---\nAnswer {question}"
LOOP = "- name: a\n  content: '{% for n in names %}{{ n }}{% endfor %}'\n"
PINNED = "- name: a\n  content: '{{ fragment(\"s/policy@1\") }} {{ q }}'\n"


@pytest.fixture(scope="module")
def bounded():
    renderer = BoundedRenderer(cpu_seconds=10)
    yield renderer
    renderer.close()


@pytest.mark.parametrize("form", EXPORT_FORMATS)
@pytest.mark.parametrize("document", [PLAIN, SHAPED, LOOP, PINNED])
def test_the_child_writes_the_same(bounded, form, document):
    fragments = {"s/policy@1": "- name: p\n  content: Be kind.\n"}
    result = bounded.convert_document(form, document, "support/a", fragments)
    assert result == convert_document(form, document, "support/a", fragments)
    assert bool(result.text) != bool(result.refusal)


def test_each_form_holds_one_of_them():
    for form in EXPORT_FORMATS:
        assert any(convert_document(form, document, "a", {}).text for document in (PLAIN, SHAPED))
