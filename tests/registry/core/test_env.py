"""Environment variables are read with their types, and a bad value is refused with the variable's name."""

import os
import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from registry.core import env


def test_an_absent_or_empty_variable_gives_the_default(monkeypatch):
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.delenv("ABSENT", raising=False)
    for name in ("EMPTY", "ABSENT"):
        assert env.read_text(name, "x") == "x"
        assert env.read_bool(name, True) is True
        assert env.read_int(name, 7, minimum=1, maximum=9) == 7
        assert env.read_list(name, ["a"]) == ["a"]


@pytest.mark.parametrize(("text", "value"), [("yes", True), ("ON", True), ("0", False), ("false", False)])
def test_a_switch_is_read_in_any_case(monkeypatch, text, value):
    monkeypatch.setenv("SWITCH", text)
    assert env.read_bool("SWITCH", not value) is value


@pytest.mark.parametrize("text", ["maybe", "2", "nope"])
def test_a_switch_that_is_neither_is_refused_by_name(monkeypatch, text):
    monkeypatch.setenv("SWITCH", text)
    with pytest.raises(ImproperlyConfigured, match="SWITCH"):
        env.read_bool("SWITCH", False)


@pytest.mark.parametrize("text", ["0", "70000", "eighty", "8.5", "-1", "٣"])
def test_a_number_out_of_range_is_refused_with_the_range(monkeypatch, text):
    monkeypatch.setenv("PORT", text)
    with pytest.raises(ImproperlyConfigured, match=r"PORT.*1 to 65535"):
        env.read_int("PORT", 8000, minimum=1, maximum=65535)


def test_a_list_drops_blanks_around_and_between_commas(monkeypatch):
    monkeypatch.setenv("HOSTS", " a.example , b.example,,")
    assert env.read_list("HOSTS", []) == ["a.example", "b.example"]


def test_a_url_of_another_scheme_is_refused_without_printing_its_password(monkeypatch):
    monkeypatch.setenv("DATABASE", "mysql://root:secret@127.0.0.1/x")
    with pytest.raises(ImproperlyConfigured, match="DATABASE") as refusal:
        env.read_url("DATABASE", "", schemes={"sqlite", "postgresql"})
    assert "secret" not in str(refusal.value)


def test_a_secret_comes_from_the_variable_then_the_file_then_a_kept_one(monkeypatch, tmp_path):
    kept = tmp_path / "home" / "secret"
    made = env.read_secret("KEY", kept)
    assert len(made) > 40
    assert env.read_secret("KEY", kept) == made
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    (tmp_path / "mounted").write_text("from a file\n")
    monkeypatch.setenv("KEY_FILE", str(tmp_path / "mounted"))
    assert env.read_secret("KEY", kept) == "from a file"
    monkeypatch.setenv("KEY", "from the variable")
    assert env.read_secret("KEY", kept) == "from the variable"


def test_a_missing_secret_file_is_refused_with_both_names(monkeypatch, tmp_path):
    monkeypatch.setenv("KEY_FILE", str(tmp_path / "absent"))
    with pytest.raises(ImproperlyConfigured, match=r"KEY_FILE.*absent"):
        env.read_secret("KEY", tmp_path / "kept")


@pytest.mark.parametrize("content", [b"", b" \n"])
def test_a_lost_secret_is_not_replaced_unasked(monkeypatch, tmp_path, content):
    kept, mounted = tmp_path / "kept", tmp_path / "mounted"
    kept.write_bytes(content)
    with pytest.raises(ImproperlyConfigured, match=r"kept is empty\. Put the secret there"):
        env.read_secret("KEY", kept)
    assert kept.read_bytes() == content
    mounted.write_bytes(content)
    monkeypatch.setenv("KEY_FILE", str(mounted))
    with pytest.raises(ImproperlyConfigured, match=r"KEY_FILE names .*mounted, which is empty"):
        env.read_secret("KEY", tmp_path / "other")
    assert env.read_optional_secret("KEY") == ""


def test_a_secret_file_that_is_not_text_is_refused_with_its_name(monkeypatch, tmp_path):
    (tmp_path / "mounted").write_bytes(b"\xff\xfe")
    monkeypatch.setenv("KEY_FILE", str(tmp_path / "mounted"))
    with pytest.raises(ImproperlyConfigured, match=r"KEY_FILE names .*mounted, which isn't text"):
        env.read_secret("KEY", tmp_path / "kept")


def test_a_choice_is_one_of_those_that_there_are(monkeypatch):
    assert env.read_choice("STEP", "off", choices=("off", "on")) == "off"
    monkeypatch.setenv("STEP", "on")
    assert env.read_choice("STEP", "off", choices=("off", "on")) == "on"
    monkeypatch.setenv("STEP", "maybe")
    with pytest.raises(ImproperlyConfigured, match="STEP is 'maybe'; it must be one of off, on"):
        env.read_choice("STEP", "off", choices=("off", "on"))


@pytest.mark.parametrize(
    ("address", "read"),
    [
        ("", ""),
        ("https://id.example.org/realm/", "https://id.example.org/realm"),
        ("http://127.0.0.1:9/", "http://127.0.0.1:9"),
    ],
)
def test_a_provider_is_reached_over_tls_or_on_this_machine(monkeypatch, address, read):
    monkeypatch.setenv("ISSUER", address)
    assert env.read_issuer("ISSUER") == read


@pytest.mark.parametrize("address", ["http://id.example.org", "id.example.org", "https://", "ftp://127.0.0.1"])
def test_another_provider_stops_the_start(monkeypatch, address):
    monkeypatch.setenv("ISSUER", address)
    with pytest.raises(ImproperlyConfigured, match="ISSUER must be an https"):
        env.read_issuer("ISSUER")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_secret_is_read_without_writing_and_one_that_cannot_be_kept_is_named(tmp_path):
    (tmp_path / "kept").write_text("kept before")
    (tmp_path / f"kept.{os.getpid()}.new").symlink_to("/dev/full")
    (tmp_path / f"new.{os.getpid()}.new").symlink_to("/dev/full")
    assert env.read_secret("KEY", tmp_path / "kept") == "kept before"
    with pytest.raises(ImproperlyConfigured, match=f"{tmp_path}/new can't be written: No space left"):
        env.read_secret("KEY", tmp_path / "new")
    assert not (tmp_path / "new").exists()
