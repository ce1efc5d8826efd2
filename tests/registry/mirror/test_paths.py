"""Paths and refs of the mirror."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.core.errors import Invalid
from registry.journal import mirror_paths
from registry.mirror.errors import MirrorError

usernames = st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
labels = st.from_regex(r"[a-z][a-z0-9._-]{0,35}", fullmatch=True)


def test_a_document_is_under_its_own_name():
    assert mirror_paths.locate_document("support/refunds/reply") == "support/refunds/reply.yml.j2"


def test_samples_are_next_to_the_document():
    assert mirror_paths.locate_samples("support/refunds/reply") == "support/refunds/reply.samples.yml"


def test_all_else_is_in_the_folder_of_the_namespace():
    assert mirror_paths.locate_label("support/reply", "production") == ".promptuary/support/labels/reply/production.yml"
    assert (
        mirror_paths.locate_change_step("support", 12, 40, "approve")
        == ".promptuary/support/changes/12/00000040-approve.yml"
    )


@pytest.mark.parametrize(
    "name", ["support", "support/../x", "support/.git", "Support/x", "support/con", "a/" * 8 + "b", "s/a\nb"]
)
def test_a_name_that_could_leave_its_folder_is_refused(name):
    with pytest.raises(Invalid):
        mirror_paths.locate_document(name)


@pytest.mark.parametrize(
    "path", ["../up", ".git/config", ".GIT/x", "a/../b", "./a", 'a"b', "a\nb", "/a", "a//b", "a/", ".promptuaryx/a"]
)
def test_the_last_net_takes_no_odd_path(path):
    with pytest.raises(MirrorError):
        mirror_paths.check_path(path)


@given(usernames)
def test_any_username_makes_a_path_that_git_and_every_file_system_take(username):
    mirror_paths.check_path(mirror_paths.locate_member("support", username))


@pytest.mark.parametrize("username", ["", "x" * 201, "\N{SNOWMAN}" * 23])
def test_a_name_that_no_file_can_have_is_refused(username):
    """23 characters of three bytes each are 207 once they are escaped."""
    with pytest.raises(MirrorError, match="can't be a file name: it is empty or too long"):
        mirror_paths.locate_member("support", username)


@given(usernames, usernames)
def test_two_usernames_never_share_a_file_whatever_the_case(one, other):
    same = mirror_paths.locate_member("support", one).lower() == mirror_paths.locate_member("support", other).lower()
    assert same == (one == other)


@given(labels)
def test_any_label_makes_a_branch_that_git_takes(label):
    ref = mirror_paths.name_branch(label)
    assert ".." not in ref
    assert not ref.endswith((".", ".lock"))


@given(labels, labels)
def test_two_labels_never_share_a_branch(one, other):
    assert (mirror_paths.name_branch(one) == mirror_paths.name_branch(other)) == (one == other)


@pytest.mark.parametrize(
    ("label", "ref"), [("production", "production"), ("a..b", "a.%2eb"), ("x.lock", "x%2elock"), ("v1.", "v1%2e")]
)
def test_a_label_that_git_would_refuse_is_spelled_out(label, ref):
    assert mirror_paths.name_branch(label) == f"refs/heads/label/{ref}"
