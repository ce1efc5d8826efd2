"""Typed readers of environment variables. An invalid value aborts the start with a message that names the variable."""

# no texts here: operators read it

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

__all__ = [
    "read_bool",
    "read_choice",
    "read_int",
    "read_issuer",
    "read_list",
    "read_optional_secret",
    "read_path",
    "read_secret",
    "read_text",
    "read_url",
]

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


def read_text(name: str, default: str) -> str:
    """The variable's value, or the default if it is unset or empty."""
    return os.environ.get(name) or default


def read_bool(name: str, default: bool) -> bool:
    """One of 1 true yes on, 0 false no off, in any case."""
    value = os.environ.get(name, "").strip().lower()
    if not value:
        return default
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} is {value!r}; it must be true or false.")


def read_choice(name: str, default: str, *, choices: Sequence[str]) -> str:
    """One of the choices, spelled exactly."""
    value = os.environ.get(name, "").strip() or default
    if value not in choices:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(choices)}.")
    return value


def read_issuer(name: str) -> str:
    """The address of an OpenID provider, empty if unset; plain http is allowed on localhost only."""
    value = os.environ.get(name, "").strip().rstrip("/")
    parts = urlsplit(value)
    local = parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost", "::1")
    if value and not (parts.hostname and (parts.scheme == "https" or local)):
        raise ImproperlyConfigured(f"{name} must be an https:// address: what comes from there decides who signs in.")
    return value


def read_int(name: str, default: int, *, minimum: int, maximum: int) -> int:
    """A whole number from `minimum` to `maximum`."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if not value.isascii() or not value.lstrip("-").isdigit() or not minimum <= int(value) <= maximum:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a whole number from {minimum} to {maximum}.")
    return int(value)


def read_list(name: str, default: list[str]) -> list[str]:
    """Comma-separated items, stripped of surrounding spaces."""
    value = os.environ.get(name, "").strip()
    return [item.strip() for item in value.split(",") if item.strip()] if value else default


def read_path(name: str, default: Path) -> Path:
    """An absolute path; relative ones are resolved against the working directory."""
    return Path(os.environ.get(name) or default).expanduser().absolute()


def read_url(name: str, default: str, *, schemes: set[str]) -> str:
    """A URL of one of the schemes, without a trailing slash; NAME_FILE may name a file that contains it instead."""
    value = os.environ.get(name) or _read_file(name) or default
    if urlsplit(value).scheme not in schemes:
        raise ImproperlyConfigured(f"{name} must be a URL that starts with one of {', '.join(sorted(schemes))}.")
    return value.rstrip("/")


def read_secret(name: str, kept_in: Path) -> str:
    """The secret from NAME, else from the file that NAME_FILE names, else one generated once and kept in a file of mode
    600.
    """
    if value := os.environ.get(name):
        return value
    if secret := _read_file(name):
        return secret
    if file := os.environ.get(f"{name}_FILE"):
        raise ImproperlyConfigured(f"{name}_FILE names {file}, which is empty.")
    return _keep_secret(kept_in)


def _read_file(name: str) -> str:
    """The content of the file that NAME_FILE names, or empty if the variable is not set."""
    file = os.environ.get(f"{name}_FILE")
    if not file:
        return ""
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE names {file}, which can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ImproperlyConfigured(f"{name}_FILE names {file}, which isn't text.") from error


def read_optional_secret(name: str) -> str:
    """The secret from NAME, else from the file that NAME_FILE names, else an empty string."""
    return os.environ.get(name) or _read_file(name)


def _keep_secret(path: Path) -> str:
    if not path.exists():  # a process that finds the secret writes nothing, so it also starts on a full disk
        _generate_secret(path)
    content = path.read_text(encoding="utf-8", errors="replace").strip()
    if not content:  # a new one can't decrypt what the lost one sealed, so it isn't generated silently
        raise ImproperlyConfigured(
            f"{path} is empty. Put the secret there that you kept with your backup, or remove the file: then a new one "
            "is made, and what the old one sealed can't be read any more."
        )
    return content


def _generate_secret(path: Path) -> None:
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(48), encoding="ascii")
        os.link(fresh, path)  # fails if another process created it first; that secret is then used
    except FileExistsError:
        pass
    except OSError as error:
        raise ImproperlyConfigured(f"{path} can't be written: {error.strerror}.") from error
    finally:
        fresh.unlink(missing_ok=True)
