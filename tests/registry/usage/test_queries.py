"""Queries of who fetches what, as used by the pages."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.namespaces import keys, services
from registry.templates import save as template_save
from registry.templates.models import Version
from registry.usage import queries as usage_queries
from registry.usage.models import Fetch

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


@pytest.fixture
def versions() -> list[Version]:
    admin = Actor(User.objects.create(username="admin"))
    services.create_namespace(actor=admin, name="support")
    first = template_save.save_version(
        actor=admin, name="support/reply", document="- name: a\n  content: b\n", message=""
    ).version
    second = template_save.save_version(
        actor=admin, name="support/reply", document="- name: a\n  content: c\n", message="", base=first.digest
    ).version
    for name in ("chat", "mail", "shop", "tests"):
        keys.issue_key(actor=admin, namespace="support", name=name, scope="read")
    return [first, second]


def fetched(key: str, version: Version, ref: str, count: int, days_ago: int = 0, former_name: str = "") -> datetime:
    # Read for each row: a run of all tests can start before midnight and get here after it.
    last_at = datetime.now(UTC) - timedelta(days=days_ago)
    Fetch.objects.create(
        key=Key.objects.get(name=key),
        version=version,
        ref=ref,
        count=count,
        day=last_at.date(),
        last_at=last_at,
        former_name=former_name,
    )
    return last_at


def test_each_key_ref_and_version_is_listed_once_over_all_days(versions):
    last_at = fetched("chat", versions[1], "production", 5)
    fetched("chat", versions[1], "production", 7, 1)
    fetched("chat", versions[0], "production", 3, 2)
    fetched("mail", versions[0], "1", 40, 3)
    fetchers = usage_queries.list_fetchers(versions[0].template)
    assert [(one.key.name, one.ref, one.version, one.count) for one in fetchers] == [
        ("mail", "1", 1, 40),
        ("chat", "production", 2, 12),
        ("chat", "production", 1, 3),
    ]
    assert (fetchers[0].person.username, fetchers[0].is_pinned, fetchers[1].is_pinned) == ("admin", True, False)
    assert fetchers[1].last_at == last_at
    assert [one.key.name for one in usage_queries.list_fetchers(versions[1])] == ["chat"]


def test_fetches_by_former_names_are_part_of_the_service_s_one_row(versions):
    fetched("chat", versions[1], "production", 2)
    fetched("chat", versions[1], "production", 3, former_name="support/answer")
    last_at = fetched("chat", versions[1], "production", 4, former_name="support/older")
    fetched("mail", versions[1], "production", 5, former_name="support/older")
    chat, mail = usage_queries.list_fetchers(versions[0].template)
    assert (chat.count, chat.by_former, chat.is_redirected, chat.last_at) == (9, 7, False, last_at)
    assert chat.former_names == ("support/older", "support/answer")
    assert (mail.count, mail.former_names, mail.is_redirected) == (5, ("support/older",), True)


def test_days_that_are_over_do_not_count(versions):
    fetched("chat", versions[0], "production", 5, 30)
    assert usage_queries.list_fetchers(versions[0].template) == []
    (one,) = usage_queries.list_fetchers(versions[0].template, days=31)
    assert (one.version, one.count) == (1, 5)


def test_labels_and_pins_are_distinguished(versions):
    fetched("chat", versions[1], "production", 5)
    fetched("mail", versions[0], "1", 2)
    fetched("mail", versions[0], versions[0].digest, 3)
    assert usage_queries.count_by_label(versions[0].template) == {"production": 5, "": 5}


def test_every_day_has_a_figure(versions):
    fetched("chat", versions[1], "production", 5)
    fetched("chat", versions[0], "production", 2, 2)
    assert usage_queries.count_by_version_and_day(versions[0].template, days=4) == {2: [0, 0, 0, 5], 1: [0, 2, 0, 0]}


def test_each_template_has_a_figure_for_every_day_over_all_its_versions(versions, django_assert_num_queries):
    template = versions[0].template
    fetched("chat", versions[1], "production", 5)
    fetched("mail", versions[1], "production", 3)
    fetched("chat", versions[0], "1", 2, 2)
    fetched("chat", versions[0], "1", 70, 7)
    with django_assert_num_queries(2):
        assert usage_queries.count_by_template_and_day([template.pk]) == {template.pk: [0, 0, 0, 0, 2, 0, 8]}
    assert usage_queries.count_by_template_and_day([]) == {}


def test_templates_with_very_many_versions_have_the_same_figures(versions, monkeypatch, django_assert_num_queries):
    fetched("chat", versions[1], "production", 5)
    fetched("mail", versions[0], "1", 7, 1)
    templates = [versions[0].template_id]
    listed = usage_queries.count_by_template_and_day(templates)
    monkeypatch.setattr(usage_queries, "_MAX_VERSIONS", 1)
    with django_assert_num_queries(2):
        assert usage_queries.count_by_template_and_day(templates) == listed
    assert listed == {templates[0]: [0, 0, 0, 0, 0, 7, 5]}


def test_a_key_names_what_stops_when_it_is_revoked(versions):
    fetched("chat", versions[1], "production", 5)
    fetched("chat", versions[0], "production", 2, 1)
    chat = Key.objects.get(name="chat")
    assert usage_queries.find_use_of_key(chat) == usage_queries.KeyUse(7, 2, 1, [("support/reply", 7)])
    fetched("mail", versions[0], "production", 4, 2)
    assert usage_queries.describe_use_of_keys([chat]) == {chat.pk: "fetched 2 times yesterday, 1 version"}


def test_yesterdays_fetches_of_a_key_are_a_sentence(versions):
    fetched("chat", versions[1], "production", 1, 1)
    fetched("mail", versions[1], "production", 12_000, 1)
    fetched("mail", versions[0], "production", 3, 1)
    chat, mail = Key.objects.get(name="chat"), Key.objects.get(name="mail")
    assert usage_queries.describe_use_of_keys([chat, mail]) == {
        chat.pk: "fetched once yesterday, 1 version",
        mail.pk: "fetched 12.0 k times yesterday, 2 versions",
    }


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (9999, "9,999"), (54_120, "54.1 k"), (862_000, "862 k"), (999_700, "1.00 M"), (1_240_000, "1.24 M")],
)
def test_large_figures_are_shortened(count, text):
    assert usage_queries.shorten_count(count) == text
