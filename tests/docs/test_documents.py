"""The documents on the reference pages document.md and truncation.md have no problems."""

import pytest

from promptuary import renderer
from tests.docs.pages import ROOT
from tests.support.markdown_blocks import read_blocks

PAGES = ("docs/reference/document.md", "docs/reference/truncation.md")
DOCUMENTS = [block.text for page in PAGES for block in read_blocks(ROOT / page) if block.language == "yaml+jinja"]


@pytest.mark.parametrize("text", DOCUMENTS, ids=range(len(DOCUMENTS)))
def test_a_document_of_a_reference_page_has_no_error_and_no_warning(text):
    assert [problem for problem in renderer.validate(text) if problem.severity != "note"] == []
