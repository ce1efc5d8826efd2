"""Default roll back targets of protected labels."""

import pytest

from registry.namespaces.models import Namespace
from registry.templates import labels
from registry.templates.label_ways_back import find_ways_back
from registry.templates.models import Template

NAME = "support/reply"


@pytest.fixture
def versions(save, publish):
    """Versions 1 to 3 of support/reply, published in turn."""
    saved = [save(mark) for mark in ("one", "two", "three")]
    for version in saved:
        publish(version)
    return saved


def roll_back(actor, version):
    labels.roll_back_label(actor=actor, name=NAME, label="production", version=version, reason="Wrong answers")


def way_back(label="production"):
    template = Template.objects.get(name=NAME)
    return find_ways_back([template.pk]).get((template.pk, label))


def test_a_label_goes_back_to_what_it_held_before(versions):
    assert way_back() == 2


def test_a_first_version_has_none_nor_has_a_label_that_was_never_set(save, publish):
    publish(save("one"))
    assert way_back() is None
    assert way_back("staging") is None


def test_a_rolled_back_version_is_no_rollback_target(reviewer, versions):
    roll_back(reviewer, 2)
    assert way_back() == 1
    roll_back(reviewer, 1)
    assert way_back() is None


def test_a_version_skipped_by_a_rollback_is_no_rollback_target(reviewer, versions, save, publish):
    roll_back(reviewer, 1)
    publish(save("four"))
    assert way_back() == 1


def test_after_the_next_publication_it_goes_back_past_the_version_that_was_left(reviewer, versions, save, publish):
    roll_back(reviewer, 2)
    publish(save("four"))
    assert way_back() == 2


def test_a_version_that_comes_again_is_a_way_back_again(reviewer, versions, save, publish):
    roll_back(reviewer, 2)
    roll_back(reviewer, 3)
    assert way_back() == 2
    publish(save("four"))
    assert way_back() == 3


def test_an_earlier_version_that_is_published_again_goes_back_to_what_it_replaced(versions, save, publish):
    publish(save("one"))
    assert way_back() == 3


def test_a_version_with_the_digest_of_a_former_one_leads_back_to_what_was_before_that(reviewer, versions, save):
    save("two")
    roll_back(reviewer, 4)
    assert way_back() == 1


def test_a_version_held_without_approval_is_no_rollback_target(author, save, publish):
    publish(save("one"))
    Namespace.objects.filter(name="support").update(protected_labels=[])
    save("two")
    labels.move_label(actor=author, name=NAME, label="production", version=2, expected=1)
    Namespace.objects.filter(name="support").update(protected_labels=["production"])
    publish(save("three"))
    assert way_back() == 1


def test_a_label_that_was_taken_off_has_none(author, versions):
    Namespace.objects.filter(name="support").update(protected_labels=[])
    labels.remove_label(actor=author, name=NAME, label="production", expected=3)
    assert way_back() is None


def test_many_templates_cost_two_queries(versions, save, publish, django_assert_num_queries):
    for mark in ("one", "two"):
        publish(save(mark, name="support/other"))
    ids = dict(Template.objects.values_list("name", "pk"))
    with django_assert_num_queries(2):
        ways_back = find_ways_back(ids.values())
    assert ways_back == {(ids[NAME], "production"): 2, (ids["support/other"], "production"): 1}
