"""Copying the database: every row in one piece, verified; refused if anything could be lost."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import psycopg
import pytest
from django.contrib.sessions.models import Session
from django.db import connections

from registry.accounts.models import Key, User
from registry.audit.verification import read_event
from registry.connections.models import Connection, Spending
from registry.database_copy import CopyRefused, DatabasesDiffer, compare_databases, copy_database
from registry.database_copy.aliases import SOURCE, TARGET, connect_both
from registry.database_copy.tables import find_unknown_tables, list_tables
from registry.journal.event import format_canonical_json
from registry.journal.models import Event
from registry.namespaces.models import Namespace
from tests.registry.database_copy.conftest import entry_of, run_sql
from tests.support import instances

pytestmark = pytest.mark.dialect

TEXTS = ["", " ", "a\r\nb\n", "\x01\x1f\x7f", "Ünïcödé 🦜 \u2028 \ufeff", "' \" \\ %s %% $1 {}", "\\N", "é" * 40]
MOMENT = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
VALUES = {"a": [1, 1.5, 1e16, -0.0, None, True], "nested": {"ü": {"z": "", "a": []}}, "big": 2**53 + 1}


def copy(lines=None):
    return {table.table: table for table in copy_database(SOURCE, TARGET, (lines if lines is not None else []).append)}


def add_person(name="author", **more):
    return User.objects.using(SOURCE).create(username=name, password="!", **more)


def add_space():
    return Namespace.objects.using(SOURCE).create(name="support", owners=VALUES, created_at=MOMENT)


def add_event(number=1, previous=None):
    facts = {"at": number, "body": {"name": "x"}, "key": None, "kind": "namespace.created", "namespace": "x"}
    event = read_event(format_canonical_json({**facts, "number": number, "person": "author", "previous": previous}))
    event.save(using=SOURCE, force_insert=True)
    return event.hash


def test_texts_of_every_kind_arrive_as_they_were(both):
    people = [add_person(f"person-{number}", first_name=text) for number, text in enumerate(TEXTS)]
    copied = copy()
    assert copied["registry_user"].rows == len(TEXTS)
    assert [row.first_name for row in User.objects.using(TARGET).order_by("id")] == TEXTS
    assert [row.pk for row in User.objects.using(TARGET).order_by("id")] == [person.pk for person in people]


def test_json_numbers_and_flags_arrive_as_they_were(both):
    person = add_person(is_active=False)
    shared = {"person": person, "created_by": person, "created_at": MOMENT}
    Key.objects.using(SOURCE).create(id="k1", namespace=add_space(), name="shop", scope="chosen", verbs=TEXTS, **shared)
    copy()
    assert Key.objects.using(TARGET).get().verbs == TEXTS
    assert Namespace.objects.using(TARGET).get().owners == json.loads(json.dumps(VALUES))
    assert User.objects.using(TARGET).get().is_active is False


def test_decimals_floats_and_days_arrive_as_they_were(both):
    person = add_person()
    space = add_space()
    prices = {"prompt_price": Decimal("0.100000"), "completion_price": Decimal("12.345678"), "per_second": 0.1 + 0.2}
    shared = {"namespace": space, "created_by": person, "created_at": MOMENT, "protocol": "openai"}
    Connection.objects.using(SOURCE).create(id="c1", name="small", **shared, **prices)
    spent = {"day": date(2024, 2, 29), "cost": Decimal("0.000001"), "calls": 1, "prompt_tokens": 2**62}
    Spending.objects.using(SOURCE).create(namespace=space, person=person, model="small", currency="USD", **spent)
    copy()
    assert prices.items() <= vars(Connection.objects.using(TARGET).get()).items()
    assert spent.items() <= vars(Spending.objects.using(TARGET).get()).items()


def test_moments_arrive_to_the_microsecond_whatever_zone_they_were_given_in(both):
    moments = [
        datetime(2026, 3, 29, 2, 30, 0, 1, tzinfo=timezone(timedelta(hours=5, minutes=45))),
        datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    ]
    people = [add_person(f"p{number}", last_login=moment) for number, moment in enumerate(moments)]
    copy()
    for person, moment in zip(people, moments, strict=True):
        assert User.objects.using(TARGET).get(pk=person.pk).last_login == moment


def test_rows_are_read_in_code_point_order_where_a_key_is_a_text(both):
    keys = ["Z", "a", "_", "0", "é", "🦜", "A"]
    for key in keys:
        Session.objects.using(SOURCE).create(
            session_key=key, session_data="x", expire_date=datetime(2030, 1, 1, tzinfo=UTC)
        )
    assert copy()["django_session"].rows == len(keys)


def test_the_shared_cache_is_copied_though_it_has_no_model(both):
    sql = "INSERT INTO promptuary_cache VALUES (%s, %s, %s)"
    run_sql(SOURCE, sql, ":1:used-code", "gASVBAAAAAAAAACIlC4=", "2030-01-01 00:00:00")
    assert copy()["promptuary_cache"].rows == 1
    assert run_sql(TARGET, "SELECT cache_key, value FROM promptuary_cache") == [
        (":1:used-code", "gASVBAAAAAAAAACIlC4=")
    ]


def test_a_table_larger_than_a_batch_is_copied_whole_and_reported(both, lines):
    rows = [User(id=number, username=f"p{number}") for number in range(1, 2_502)]
    User.objects.using(SOURCE).bulk_create(rows)
    assert copy(lines)["registry_user"].rows == 2_501
    assert "registry_user: 2,501 rows copied" in lines
    assert User.objects.using(TARGET).count() == 2_501


def test_new_rows_get_numbers_that_no_deleted_row_had(both):
    add_person("first")
    add_person("deleted").delete()
    copy()
    assert User.objects.using(TARGET).create(username="next").pk == 3


def test_every_table_that_has_a_model_is_copied(both):
    copied = copy()
    present = set(connections[TARGET].introspection.table_names())
    left_out = {name for name in present - set(copied) if not name.startswith("registry_searchentry_fts")}
    assert left_out <= {"django_migrations", "sqlite_sequence"}
    assert len(copied) == len(list_tables())


def test_only_tables_that_others_made_are_unknown(both):
    run_sql(SOURCE, "ANALYZE")
    assert find_unknown_tables(SOURCE) == []
    run_sql(SOURCE, "CREATE TABLE notes (text TEXT)")
    assert find_unknown_tables(SOURCE) == ["notes"]


def test_the_journal_is_checked_in_both(both, lines):
    add_event(2, add_event(1))
    copy(lines)
    assert compare_databases(SOURCE, TARGET, lines.append)
    assert Event.objects.using(TARGET).count() == 2


def test_a_broken_chain_stops_the_copy_and_leaves_the_target_empty(both):
    add_event(1)
    add_event(2, "sha256:of another")
    with pytest.raises(DatabasesDiffer, match="event 2 does not follow"):
        copy()
    assert not Event.objects.using(TARGET).exists()


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ("UPDATE registry_user SET first_name = 'x'", "registry_user has the same number of rows in both"),
        ("DELETE FROM registry_user", "registry_user has 1 rows in the source and 0 in the target"),
    ],
)
def test_a_comparison_finds_what_is_not_the_same(both, change, finding):
    add_person()
    copy()
    run_sql(TARGET, change)
    with pytest.raises(DatabasesDiffer, match=finding):
        compare_databases(SOURCE, TARGET, print)


def test_a_target_that_holds_rows_is_refused_and_kept(both):
    add_person()
    User.objects.using(TARGET).create(username="there")
    with pytest.raises(CopyRefused, match="not empty: registry_user hold"):
        copy()
    assert User.objects.using(TARGET).get().username == "there"


def test_a_source_that_lacks_a_migration_is_refused(both):
    run_sql(SOURCE, "DELETE FROM django_migrations WHERE name = '0053_groups'")
    with pytest.raises(CopyRefused, match=r"source lacks 1 migrations .*registry\.0053_groups"):
        copy()


def test_a_target_of_another_version_is_refused(both):
    run_sql(TARGET, "INSERT INTO django_migrations (app, name, applied) VALUES ('registry', '9999_x', '2030-01-01')")
    with pytest.raises(CopyRefused, match=r"target was migrated by another version: registry\.9999_x"):
        copy()


def test_a_target_without_tables_is_refused_with_the_command(places, tmp_path):
    empty = tmp_path / "empty.sqlite3"
    empty.touch()
    target = {**entry_of(places[0]), "NAME": str(empty)}
    expected = "no tables yet: run `manage.py serve --only migrate`"
    with connect_both(entry_of(places[0]), target), pytest.raises(CopyRefused, match=expected):
        copy()


def test_the_same_database_twice_is_refused(places):
    with pytest.raises(CopyRefused, match="same database"), connect_both(entry_of(places[0]), entry_of(places[0])):
        pass


def test_a_missing_file_is_not_created(places, tmp_path):
    missing = {**entry_of(places[0]), "NAME": str(tmp_path / "missing.sqlite3")}
    with pytest.raises(CopyRefused, match="no database"), connect_both(missing, entry_of(places[1])):
        pass
    assert not (tmp_path / "missing.sqlite3").exists()


def test_a_sqlite_source_that_another_process_has_open_is_refused(both, places):
    with closing(sqlite3.connect(places[0].home / "promptuary.sqlite3")) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("SELECT count(*) FROM registry_user").fetchone()
        with pytest.raises(CopyRefused, match="source is in use"):
            copy()


@pytest.mark.postgres
def test_a_postgresql_target_that_somebody_is_connected_to_is_refused(both, places):
    with psycopg.connect(places[1].database), pytest.raises(CopyRefused, match="target is in use: 1 other"):
        copy()


@pytest.mark.postgres
def test_a_postgresql_target_that_is_being_written_is_refused(both, places):
    with psycopg.connect(places[1].database) as other:
        other.execute("DELETE FROM registry_user")
        with pytest.raises(CopyRefused, match="target is being written"):
            copy()


@pytest.mark.postgres
def test_a_text_with_nul_is_refused_with_its_row(both):
    add_person("fine")
    bad = add_person("bad", first_name="a\0b")
    with pytest.raises(CopyRefused, match=f"row of registry_user with id {bad.pk}.*NUL"):
        copy()
    assert not User.objects.using(TARGET).exists()


@pytest.mark.postgres
def test_a_text_that_is_too_long_for_its_column_is_refused_with_its_row(both):
    add_person("fine")
    bad = add_person("bad", first_name="x" * 151)
    with pytest.raises(CopyRefused, match=f"row of registry_user with id {bad.pk}: value too long"):
        copy()


def test_a_row_that_refers_to_nothing_is_refused(both):
    run_sql(SOURCE, "PRAGMA foreign_keys=OFF")
    run_sql(SOURCE, "INSERT INTO registry_user_groups (user_id, group_id) VALUES (7, 8)")
    with pytest.raises(CopyRefused, match=r"refers to one that the source doesn't have: .*registry_user_groups"):
        copy()


@pytest.mark.postgres
def test_postgresql_is_copied_back_to_sqlite(places, tmp_path):
    back = instances.make_instance(tmp_path / "back", engine="sqlite")
    with connect_both(entry_of(places[0]), entry_of(places[1])):
        add_person("author", last_login=MOMENT, first_name=TEXTS[4])
        add_person("deleted").delete()
        first = copy()
    with connect_both(entry_of(places[1]), entry_of(back)):
        assert copy() == first
        assert User.objects.using(TARGET).create(username="next").pk == 3
