"""The texts of pages and messages are in plain, modern English: no archaic, inverted or riddling words."""

import re

import pytest

from frontend.locale.catalogues import DOMAINS, find_texts

STILTED = re.compile(
    r"""(?<!there\ )\b(?:is|are)\ no\ (?!longer\b)\w+      # "is no slug"; "there is no folder" is plain
      | \bno\ (?:digest|more\b(?!\ than\b)) | \bgo(?:es)?\ on\b | \banew\b | \bfor\ ever\b | \bsingly\b | \bhence\b
      | \bby\ itself\ is\b | \b(?:moves|nobody)\ by\ itself\b | \bof\ one's\ own\b | \bthe\ present\ one\b | \bshall\b
      | (?<!\{)\bwish(?:es)?\b(?!\}) | \btakes?\ (?:out|along)\b | \b(?<!side\ )stands?\b(?!\ (?:for|side)\b)
      | \bholds?\b(?!\}) | \bsmall\ letters\b | \bopen\ requests\b | \bsave\ (?:beside|on\ top)\b
      | \blast\ good\ render\b | \btime\ to\ live\b | \bgo\ their\ own\ ways\b | \bkept\ by\b | \bas\ the\ system\b""",
    re.VERBOSE | re.IGNORECASE,
)
PLAIN = {"Add the row to a dataset (where runs stand side by side)"}


@pytest.mark.parametrize("domain", DOMAINS)
def test_texts_use_no_stilted_words(domain):
    found = [
        (match[0], text)
        for entry in find_texts(domain)
        for text in (entry.msgid, entry.msgid_plural)
        for match in STILTED.finditer(text)
        if text not in PLAIN
    ]
    assert found == []


def test_allowed_texts_are_in_use():
    used = {entry.msgid for domain in DOMAINS for entry in find_texts(domain)}
    assert used >= PLAIN


@pytest.mark.parametrize("text", ["'A b' is no slug.", "You will get no more mail.", "versions are kept for ever"])
def test_stilted_words_are_found(text):
    assert STILTED.search(text)


@pytest.mark.parametrize("text", ["There is no folder {value}.", "The service is no longer run", "Everywhere: {wish}."])
def test_plain_words_pass(text):
    assert not STILTED.search(text)
