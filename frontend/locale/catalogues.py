"""The catalogues of texts: `update` extracts the texts, `compile` writes what the server reads.

    python frontend/locale/catalogues.py update     # needs the packages of `make setup-dev`
    python frontend/locale/catalogues.py compile    # part of `make setup`

A language has three catalogues in `<language>/LC_MESSAGES/`: `django.po` with the texts of templates and Python
modules, `djangojs.po` with those of the scripts, `findings.po` with the patterns of findings, which are translated when
a page shows them. `docs/contributing/languages.md` says how a text is marked and translated.
"""

import io
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import polib

__all__ = ["DOMAINS", "FOLDER", "compile_catalogues", "find_texts", "list_catalogue_paths", "update_catalogues"]

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
DOMAINS = ("django", "djangojs", "findings")
# Their refusals are marked for gettext and also stored in English, as the reason why a planned rollout step failed.
_STORED_REFUSALS = {
    "registry/changes/blockers.py",
    "registry/changes/checks.py",
    "registry/changes/contributor_reasons.py",
    "registry/core/safe_http.py",
    "registry/namespaces/permissions.py",
}
_SKIPPED = {"node_modules", "__pycache__", "static", "management"}
_PYTHON_KEYWORDS: dict[str, Any] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}
_SCRIPT_KEYWORDS: dict[str, Any] = {"gettext": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}


def list_catalogue_paths(domain: str) -> list[Path]:
    """The catalogue files of a domain, sorted by language."""
    return sorted(FOLDER.glob(f"*/LC_MESSAGES/{domain}.po"))


def compile_catalogues() -> None:
    """Write the `.mo` file next to each `.po` file, with all texts that are translated and not fuzzy.

    `findings.mo` also contains the stored refusals, translated as in `django.po`. Each file is replaced atomically, so
    that neither a server nor a concurrent compile ever reads a partial one.
    """
    for domain in DOMAINS:
        for path in list_catalogue_paths(domain):
            written = path.with_suffix(f".{os.getpid()}.mo")
            catalogue = polib.pofile(str(path))
            if domain == "findings":
                catalogue_ids = {entry.msgid for entry in catalogue}
                catalogue.extend(it for it in _list_stored_refusals(path) if it.msgid not in catalogue_ids)
            catalogue.save_as_mofile(str(written))
            written.replace(path.with_suffix(".mo"))


def _list_stored_refusals(findings: Path) -> Iterator[polib.POEntry]:
    """The stored refusals, each plural form separately, as translated in the `django.po` next to the findings."""
    texts: dict[str, str] = {}
    for entry in polib.pofile(str(findings.with_name("django.po"))):
        if _STORED_REFUSALS.isdisjoint(place for place, _ in entry.occurrences) or not entry.translated():
            continue
        if entry.msgid_plural:
            texts |= {entry.msgid: entry.msgstr_plural[0], entry.msgid_plural: entry.msgstr_plural[1]}
        else:
            texts[entry.msgid] = entry.msgstr
    # a single word would match the value of many patterns, such as a username
    return (polib.POEntry(msgid=text, msgstr=translation) for text, translation in texts.items() if " " in text.strip())


def find_texts(domain: str) -> polib.POFile:
    """Extract the marked texts from the sources, in the order of files and lines, without translations."""
    catalogue = polib.POFile(wrapwidth=100)
    entries: dict[tuple[str | None, str], polib.POEntry] = {}
    for path, text in _read_messages(domain):
        key = (text.msgctxt, text.msgid)
        if key not in entries:
            entries[key] = text
            catalogue.append(text)
        if (path, "") not in entries[key].occurrences:
            entries[key].occurrences.append((path, ""))
        if text.msgid_plural and not entries[key].msgid_plural:
            entries[key].msgid_plural, entries[key].msgstr_plural = text.msgid_plural, {0: "", 1: ""}
    return catalogue


def update_catalogues() -> None:
    """Merge the texts of the sources into each catalogue; a translation is kept as long as its text occurs."""
    for domain in DOMAINS:
        texts = find_texts(domain)
        for path in list_catalogue_paths(domain):
            catalogue = polib.pofile(str(path), wrapwidth=100)
            catalogue.merge(texts)
            entries = {(entry.msgctxt, entry.msgid): entry for entry in catalogue}
            ordered = [entries[text.msgctxt, text.msgid] for text in texts]
            catalogue.clear()
            catalogue.extend(ordered)
            catalogue.save()
            untranslated = len(catalogue.untranslated_entries())
            sys.stdout.write(f"{path.relative_to(ROOT)}: {len(ordered)} texts, {untranslated} to translate\n")


def _read_messages(domain: str) -> Iterator[tuple[str, polib.POEntry]]:
    yield from _read_patterns() if domain == "findings" else _read_marked(domain)


def _read_patterns() -> Iterator[tuple[str, polib.POEntry]]:
    from frontend.locale.finding_sources import list_patterns  # noqa: PLC0415 -- for development only

    for place, context, pattern in list_patterns():
        yield place, polib.POEntry(msgid=pattern, msgctxt=context)


def _read_marked(domain: str) -> Iterator[tuple[str, polib.POEntry]]:
    from babel.messages.extract import extract  # noqa: PLC0415 -- for development only

    for path, method, keywords in _list_sources(domain):
        content = io.BytesIO(path.read_bytes())
        options = {"encoding": "utf-8"}
        for _, words, comments, context in extract(method, content, keywords, ["Translators:"], options):
            singular, plural = (words, "") if isinstance(words, str) else (words[0], words[1])
            entry = polib.POEntry(msgid=singular, msgid_plural=plural, msgctxt=context, comment="\n".join(comments))
            if plural:
                entry.msgstr_plural = {0: "", 1: ""}
            yield str(path.relative_to(ROOT)), entry


def _list_sources(domain: str) -> Iterator[tuple[Path, Any, dict[str, Any]]]:
    if domain == "djangojs":
        for path in _walk(ROOT / "frontend" / "src", "*.ts"):
            yield path, "javascript", _SCRIPT_KEYWORDS
        return
    for folder in ("frontend", "registry"):
        for path in _walk(ROOT / folder / "templates", "*.html", "*.txt"):
            yield path, _extract_from_template, _PYTHON_KEYWORDS
    for folder in ("frontend", "registry"):
        for path in _walk(ROOT / folder, "*.py"):
            yield path, "python", _PYTHON_KEYWORDS


def _walk(folder: Path, *patterns: str) -> Iterator[Path]:
    for path in sorted({path for pattern in patterns for path in folder.rglob(pattern)}):
        if not _SKIPPED & set(path.relative_to(folder).parts):
            yield path


def _extract_from_template(content: IO[bytes], keywords: Any, comment_tags: Any, options: Any) -> Iterable[Any]:
    """An extractor for Babel: Django's `templatize` converts a template to Python calls, one after the other."""
    from babel.messages.extract import extract_python  # noqa: PLC0415 -- for development only
    from django.utils.translation.template import templatize  # noqa: PLC0415 -- for development only

    calls = templatize(content.read().decode(), origin=None)
    # Non-calls are blanked out but keep the template's indentation, which isn't valid Python.
    lines = "\n".join(line.strip() for line in calls.splitlines())
    return extract_python(io.BytesIO(lines.encode()), keywords, comment_tags, options)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))  # needed because it is run as a script
    commands = {"compile": compile_catalogues, "update": update_catalogues}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(f"usage: {sys.argv[0]} {' | '.join(commands)}")
    commands[sys.argv[1]]()
