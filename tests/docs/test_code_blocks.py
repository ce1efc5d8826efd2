"""Each code block of the documentation is run, belongs to a page that is run, or states why it isn't."""

import re

import pytest

from tests.docs.pages import ROOT, all_pages, explain_block
from tests.support.markdown_blocks import read_blocks

BLOCKS = [(page, block) for page in all_pages() for block in read_blocks(page)]


@pytest.mark.parametrize(
    ("page", "block"), BLOCKS, ids=lambda value: getattr(value, "name", getattr(value, "line", ""))
)
def test_each_block_is_run_or_says_why_not(page, block):
    assert explain_block(block), f"{page.relative_to(ROOT)}:{block.line} has a {block.language or 'plain'} block"


@pytest.mark.parametrize(
    ("page", "block"),
    [(page, block) for page, block in BLOCKS if explain_block(block) == "elsewhere"],
    ids=lambda value: getattr(value, "name", getattr(value, "line", "")),
)
def test_a_test_that_a_page_names_reads_the_page(page, block):
    test = ROOT / block.comment.removeprefix("run by ")
    assert re.search(rf"\b{page.stem}\b", test.read_text(encoding="utf-8"))
