"""`promptuary vendor`: the templates that an application uses as one file in its source code."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from promptuary._fetching import Fetched
from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.output import Finding, Json, Key, Url, UsageError, handle_errors, print_line, write_json
from promptuary.errors import ConfigurationError, DigestMismatch
from promptuary.lockfile import Locked, read_lock
from promptuary.names import split_target
from promptuary.renderer.errors import TokenizerError
from promptuary.renderer.tokens.vocabularies import VOCABULARIES, VocabularySource, is_always_installed, read_file
from promptuary.vendored import Vendored, write_vendored

__all__ = ["vendor"]

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME[@REF]",
        help="Templates to write. Default: all templates in the lock file.",
        autocompletion=complete_name,
    ),
]
Lock = Annotated[Path, typer.Option("--lock", help="Lock file to read.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="File to write the templates to.")]
Vocabularies = Annotated[
    bool,
    typer.Option(
        help="Also write the vocabularies that count their tokens, to promptuary.vocabularies/ next to the file."
    ),
]
Frozen = Annotated[
    bool, typer.Option("--frozen", help="Write nothing; fail if the file doesn't match the lock file. Works offline.")
]


def vendor(
    names: Names = None,
    lock: Lock = Path("promptuary.lock"),
    out: Out = Path("promptuary.templates.json"),
    vocabularies: Vocabularies = True,
    frozen: Frozen = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Write templates to one file that clients read without a network (`vendored=`)."""
    with handle_errors(as_json):
        if frozen:
            if names:
                raise UsageError("--frozen compares with the lock file; name nothing")
            locked = read_lock(lock)
            _compare(Vendored(out), locked)
            missing_vocabularies: list[str] = []
            rows = [{"name": name, "version": entry.version, "digest": entry.digest} for name, entry in locked.items()]
        else:
            entries, files, missing_vocabularies = _fetch(names, lock, url, key, vocabularies)
            write_vendored(out, entries, files)
            rows = [{key: entry[key] for key in ("name", "version", "digest")} for entry in entries]
        if as_json:
            write_json({"file": str(out), "templates": rows, "missing": missing_vocabularies})
            return
        for entry in rows:
            print_line(f"{entry['name']}  version {entry['version']}  {entry['digest']}")
        print_line(f"{out}: {len(rows)} template{'s' if len(rows) != 1 else ''}")
        for sentence in missing_vocabularies:
            print_line(sentence, "yellow")


def _fetch(
    names: list[str] | None, lock: Path, url: str, key: str, with_vocabularies: bool
) -> tuple[list[dict[str, Any]], dict[str, bytes], list[str]]:
    """Return the entries, the vocabularies by digest, and a sentence for each needed vocabulary that is left out."""
    if names:
        targets = [split_target(name) for name in names]
        refs = targets
    else:
        locked = read_lock(lock)
        targets = [(name, entry.ref) for name, entry in locked.items()]
        refs = [(name, entry.digest) for name, entry in locked.items()]
    if not targets:
        raise UsageError("nothing to bring: name a template, or lock some")
    with Connection(url, key) as connection:
        results = connection.client.fetch_many([f"{name}@{ref}" for name, ref in refs])
        files, missing_vocabularies = _collect_results(results, connection.client.vocabularies, with_vocabularies)
    entries = [_build_entry(fetched, ref) for fetched, (_, ref) in zip(results, targets, strict=True)]
    return entries, files, missing_vocabularies


def _collect_results(
    results: Sequence[Fetched], source: VocabularySource | None, with_vocabularies: bool
) -> tuple[dict[str, bytes], list[str]]:
    """Return the vocabularies that not every installation of the client has."""
    files, missing_vocabularies = {}, []
    for name in sorted({fetched.template.tokenizer().name for fetched in results}):
        if name not in VOCABULARIES or is_always_installed(name):
            continue
        digest = f"sha256:{VOCABULARIES[name].sha256}"
        try:
            if not with_vocabularies:
                raise TokenizerError("it was not asked for")
            files[digest] = read_file(name, source)
        except TokenizerError as error:
            missing_vocabularies.append(
                f"The vocabulary {name} ({digest}) counts their tokens and is not brought along. {error.message}"
            )
    return files, missing_vocabularies


def _build_entry(fetched: Fetched, ref: str) -> dict[str, Any]:
    facts = {"name": fetched.name, "ref": ref, "version": fetched.version, "digest": fetched.digest}
    return {**facts, **fetched.template.bundle()}


def _compare(vendored: Vendored, locked: Mapping[str, Locked]) -> None:
    drift = []
    for digest, file in vendored.vocabularies.items():
        try:
            if vendored.read_vocabulary(digest) is None:
                drift.append(f"the vocabulary {file} is not next to {vendored.path}")
        except DigestMismatch as error:
            drift.append(str(error))
    for name, entry in locked.items():
        try:
            if vendored.find(name, entry.digest) is None:
                drift.append(f"{name} version {entry.version} is locked and not in {vendored.path}")
        except (ConfigurationError, DigestMismatch) as error:
            drift.append(str(error))
    if drift:
        raise Finding("; ".join(drift) + ". Run promptuary vendor")
