"""manage.py createnamespace: the first namespace and its admin."""

import pytest
from django.core.management import CommandError, call_command

from registry.accounts.models import User
from registry.namespaces.models import Membership, Namespace

pytestmark = pytest.mark.django_db


def test_a_namespace_is_made_with_its_admin_and_protected_labels(capsys):
    User.objects.create_user("admin")
    call_command("createnamespace", "support", "--admin", "admin", "--protect", "production", "--approvals", "2")
    made = Namespace.objects.get(name="support")
    assert (made.protected_labels, made.approvals) == (["production"], 2)
    assert Membership.objects.get(namespace=made).role == "admin"


@pytest.mark.parametrize(
    ("options", "required"),
    [
        ([], ["problems", "samples", "budget", "contract"]),
        (["--no-checks"], []),
        (["--check", "budget", "--check", "samples"], ["budget", "samples"]),
    ],
)
def test_the_usual_checks_are_required_by_default(capsys, options, required):
    User.objects.create_user("admin")
    call_command("createnamespace", "support", "--admin", "admin", "--protect", "production", *options)
    assert Namespace.objects.get(name="support").required_checks == required
    assert f"Checks that must pass: {', '.join(required) or 'none'}." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "expected_text"), [(["--check", "luck"], "luck"), (["--check", "budget", "--no-checks"], "contradict")]
)
def test_checks_that_make_no_sense_are_refused(options, expected_text):
    User.objects.create_user("admin")
    with pytest.raises(CommandError, match=expected_text):
        call_command("createnamespace", "support", "--admin", "admin", *options)
    assert not Namespace.objects.exists()


def test_an_admin_who_is_not_there_leaves_no_namespace_behind():
    with pytest.raises(CommandError, match="nobody"):
        call_command("createnamespace", "support", "--admin", "nobody")
    assert not Namespace.objects.exists()


def test_a_bad_name_is_refused_with_the_rule():
    User.objects.create_user("admin")
    with pytest.raises(CommandError, match="Not A Name"):
        call_command("createnamespace", "Not A Name", "--admin", "admin")
