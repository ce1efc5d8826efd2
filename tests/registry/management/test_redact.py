"""`manage.py redact`, from the dry run to the last byte on the disk."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from registry import mirror

pytestmark = pytest.mark.dialect

SECRET = "sk-live-4711"


@pytest.fixture
def leaked(save, settings, tmp_path):
    """Version 1 holds a secret, version 2 none, and both are mirrored."""
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    save(SECRET)
    save("two")
    mirror.catch_up()


def test_a_dry_run_says_what_would_go_and_takes_nothing(leaked, author, capsys):
    call_command("redact", "support/reply@1", dry_run=True)
    said = capsys.readouterr().out
    assert "support/reply@1 would go" in said
    assert "Out of reach: backups, clones" in said
    call_command("redact", "support/reply@1", dry_run=True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["support/reply"], "names no version"),
        (["support/reply@staging"], "by its number"),
        (["support/reply@7", "--reason", "x"], "has no version 7"),
        (["support/reply@1"], "say why"),
        (["support/reply@2", "--reason", "x"], "latest of support/reply"),
    ],
)
def test_a_refused_redaction_has_a_sentence(leaked, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        call_command("redact", *arguments)


def test_afterwards_no_file_holds_the_text(transactional_db, leaked, capsys, settings):
    call_command("redact", "support/reply@1", reason="It held a key")
    assert "The mirror was written again" in capsys.readouterr().out
    assert mirror.verify() == []
    if connection.vendor == "sqlite":
        path = connection.settings_dict["NAME"]
        held = b"".join(Path(f"{path}{suffix}").read_bytes() for suffix in ("", "-wal"))
        assert f"Answer {SECRET}".encode() not in held
