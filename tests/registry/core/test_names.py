"""Names of templates and labels: which are accepted, and the error for the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.core import names
from registry.core.errors import Invalid
from registry.core.names import Ref


@pytest.mark.parametrize("name", ["support/reply", "a/b", "support/refunds/deep/er/reply-2", "0/9"])
def test_slugs_make_a_name(name):
    namespace, path = names.check_template(name)
    assert f"{namespace}/{path}" == name


@pytest.mark.parametrize(
    "name",
    [
        "reply",
        "support/",
        "/reply",
        "support//reply",
        "Support/reply",
        "support/re ply",
        "support/-reply",
        "support/reply-",
        "support/..",
        "support/.git",
        "support/con",
        "support/lpt1/x",
        "support/réply",
        "support/reply\n",
        "support/a_b",
        "support/" + "a" * 65,
        "a/b/c/d/e/f/g/h/i",
    ],
)
def test_anything_else_is_refused_by_the_field_name(name):
    with pytest.raises(Invalid) as caught:
        names.check_template(name)
    assert list(caught.value.fields) == ["name"]


def test_a_segment_of_64_characters_and_8_segments_are_the_most():
    assert names.check_template("/".join(["a" * 64] * 8))


@given(st.text(max_size=80))
def test_a_valid_name_never_leaves_its_folder(text):
    try:
        names.check_template(text)
    except Invalid:
        return
    assert all(part and part == part.lower() and not part.startswith((".", "-")) for part in text.split("/"))


@pytest.mark.parametrize("label", ["production", "a", "v1.2_x-y", "a" * 36])
def test_a_label_is_small_letters_digits_and_marks(label):
    assert names.check_label(label) == label


@pytest.mark.parametrize("label", ["", "1a", "Prod", "a" * 37, "a b", "a/b", "-a", "prod\n", "latest"])
def test_other_labels_are_refused(label):
    with pytest.raises(Invalid):
        names.check_label(label)


def test_latest_says_why_it_can_not_be_set():
    with pytest.raises(Invalid, match="always the highest number"):
        names.check_label("latest")


def test_a_ref_is_a_number_a_digest_or_a_label():
    digest = "sha256:" + "0" * 64
    assert names.parse_ref("3") == Ref(number=3)
    assert names.parse_ref(digest) == Ref(digest=digest)
    assert names.parse_ref("latest") == Ref(label="latest")


@pytest.mark.parametrize("ref", ["", "0", "03", "-1", "1.0", "sha256:abc", "SHA256:" + "0" * 64, "Prod", "3\n", "٣"])
def test_other_refs_are_refused(ref):
    with pytest.raises(Invalid, match="not a version number"):
        names.parse_ref(ref)


def test_an_address_without_a_version_is_refused():
    with pytest.raises(Invalid, match="names no version"):
        names.split_address("support/policy")
    assert names.split_address("support/policy@3") == ("support/policy", "3")
