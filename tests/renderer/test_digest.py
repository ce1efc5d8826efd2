"""The digest: four fields, canonical, and nothing else."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary import renderer

BUNDLE = {
    "engine": 1,
    "document": "- name: a\n  content: b\n",
    "fragments": {"x/y@1": "t", "x/z@2": "é"},
    "profile": None,
}


def test_the_digest_is_the_sha256_of_the_canonical_bundle():
    body = json.dumps(BUNDLE, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert renderer.digest(BUNDLE) == "sha256:" + hashlib.sha256(body).hexdigest()


def test_other_fields_do_not_count():
    assert renderer.digest({**BUNDLE, "name": "x", "version": 3}) == renderer.digest(BUNDLE)


@pytest.mark.parametrize("field", BUNDLE)
def test_every_field_counts(field):
    other = {"engine": 1, "document": "x", "fragments": {}, "profile": {"name": "p"}}[field]
    changed = {**BUNDLE, field: other}
    assert (renderer.digest(changed) == renderer.digest(BUNDLE)) is (field == "engine")
    with pytest.raises(renderer.DocumentError, match=field):
        renderer.digest({key: value for key, value in BUNDLE.items() if key != field})


@given(
    fragments=st.dictionaries(
        st.text("abc", max_size=3), st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    ),
    profile=st.dictionaries(
        st.text("xyz", max_size=3), st.one_of(st.integers(-5, 5), st.text("a", max_size=2), st.none())
    ),
)
def test_the_order_of_keys_does_not_count(fragments, profile):
    there = {"engine": 1, "document": "d", "fragments": fragments, "profile": profile}
    back = {
        "profile": dict(reversed(profile.items())), "fragments": dict(reversed(fragments.items())), "document": "d",
        "engine": 1,
    }  # fmt: skip
    assert renderer.digest(there) == renderer.digest(back)


def test_a_newer_engine_is_refused_by_name():
    for call in (renderer.digest, renderer.from_bundle):
        with pytest.raises(renderer.EngineError, match="engine 2"):
            call({**BUNDLE, "engine": 2})


def test_a_template_and_its_bundle_have_one_digest():
    template = renderer.load("---\nmodel: gpt-4o\n---\n- name: a\n  content: b\n")
    assert sorted(template.bundle()) == ["document", "engine", "fragments", "profile"]
    assert template.digest == renderer.digest(template.bundle())
    assert renderer.from_bundle(json.loads(json.dumps(template.bundle()))).digest == template.digest


def test_line_ends_of_the_document_count():
    texts = ["- name: a\n  content: b\n", "- name: a\r\n  content: b\r\n"]
    assert len({renderer.load(text).digest for text in texts}) == 2


def nested(depth):
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "profile", [{"a": float("nan")}, {"a": 2**60}, {"a": "\ud800"}, {"a": nested(100_000)}, {"a": object()}],
    ids=["not a number", "too large", "half a character", "too deep", "no JSON"],
)  # fmt: skip
def test_a_value_without_an_exact_json_form_has_no_digest(profile):
    with pytest.raises(renderer.DocumentError, match="cannot be written as canonical JSON") as refused:
        renderer.digest({**BUNDLE, "profile": profile})
    assert refused.value.code == "PT107"
