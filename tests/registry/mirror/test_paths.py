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


OF_TEMPLATES = {  # each function, its arguments after the name, and the path for support/a/reply
    "locate_archive_mark": ((), "archived/a/reply.yml"),
    "locate_bundle": ((), "versions/a/reply.yml"),
    "locate_dataset_archive_mark": ((), "archived-datasets/a/reply.yml"),
    "locate_dataset_facts": ((), "datasets/a/reply.yml"),
    "locate_former_name": ((), "former-names/a/reply.yml"),
    "locate_label": (("production",), "labels/a/reply/production.yml"),
    "locate_redaction": ((3,), "redacted/a/reply/3.yml"),
    "locate_verdict": ((40, "budget"), "verdicts/a/reply/00000040-budget.yml"),
}
OF_NAMESPACES = {  # the same for the namespace support
    "locate_attachment": (("Tone",), "evaluations/%54one.yml"),
    "locate_change_step": ((12, 40, "approve"), "changes/12/00000040-approve.yml"),
    "locate_connection": (("c1",), "connections/c1.yml"),
    "locate_freeze": ((5,), "freezes/5.yml"),
    "locate_group": (("legal",), "groups/legal/group.yml"),
    "locate_group_member": (("legal", "reader"), "groups/legal/members/reader.yml"),
    "locate_invitation": (("i1",), "invitations/i1.yml"),
    "locate_key": (("k1",), "keys/k1.yml"),
    "locate_key_addresses": (("k1",), "keys/k1.addresses.yml"),
    "locate_member": (("reader",), "members/reader.yml"),
    "locate_namespace": ((), "namespace.yml"),
    "locate_other_event": (("guest.welcomed", 7), "events/00000007-guest%2ewelcomed.yml"),
    "locate_release_step": ((2, 41, "published"), "releases/2/00000041-published.yml"),
    "locate_rules": ((), "rules.yml"),
    "locate_spending_cap": ((), "spending.yml"),
    "locate_webhook": (("w1",), "webhooks/w1.yml"),
}


@pytest.mark.parametrize(("name", "functions"), [("support/a/reply", OF_TEMPLATES), ("support", OF_NAMESPACES)])
def test_all_else_is_in_the_folder_of_the_namespace(name, functions):
    """A path that changed would make a restored mirror another one."""
    for function, (arguments, path) in functions.items():
        assert getattr(mirror_paths, function)(name, *arguments) == f".promptuary/support/{path}"


@pytest.mark.parametrize("function", [*OF_TEMPLATES, *OF_NAMESPACES])
def test_no_path_leaves_the_folder_of_the_namespace(function):
    arguments, _ = (OF_TEMPLATES | OF_NAMESPACES)[function]
    for name in ("../../up", "support/../x", "Support/x", ".."):
        with pytest.raises(Invalid):
            getattr(mirror_paths, function)(name, *arguments)


@pytest.mark.parametrize(
    ("holder", "path"),
    [({"person": "Ada", "group": None}, "people/%41da"), ({"person": None, "group": "legal"}, "groups/legal")],
)
def test_a_role_in_a_folder_is_a_file_of_its_holder(holder, path):
    found = mirror_paths.locate_folder_role("support", "a/b", **holder)
    assert found == f".promptuary/support/folder-roles/{path}/a/b.yml"


def test_an_event_of_no_namespace_is_in_the_folder_of_the_instance():
    assert mirror_paths.locate_other_event("", "x", 1) == ".promptuary/instance/events/00000001-x.yml"


@pytest.mark.parametrize(
    ("username", "file"),
    [("con", "%63on"), ("lpt1", "%6cpt1"), ("-x", "%2dx"), ("_x", "%5fx"), ("a-b_c", "a-b_c"), ("é", "%c3%a9")],
)
def test_a_name_that_some_file_system_takes_for_something_else_is_escaped(username, file):
    assert mirror_paths.locate_member("support", username) == f".promptuary/support/members/{file}.yml"


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
