"""The reliability page names existing tests."""

import re

import pytest

from tests.docs.pages import ROOT

PAGE = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("## Promises")[2].partition("\n## ")[0]
PROMISES = re.findall(r"^\| (?!promise|---)(.+?) \| (.+?) \| (.+?) \|$", TABLE, re.MULTILINE)


def test_the_page_makes_promises():
    assert PROMISES


@pytest.mark.parametrize(("promise", "named"), [row[:2] for row in PROMISES])
def test_each_promise_names_a_test_that_there_is(promise, named):
    match = re.fullmatch(r"`(tests/[\w/]+\.py)::(test_\w+)`", named)
    assert match, promise
    assert f"\ndef {match[2]}(" in (ROOT / match[1]).read_text(encoding="utf-8")
