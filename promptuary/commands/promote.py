"""`promptuary promote`: a version of one registry as a change request in another."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.diff import compare_texts
from promptuary.commands.label_preview import tell_effects
from promptuary.commands.output import (
    Finding,
    Json,
    Key,
    Url,
    UsageError,
    handle_errors,
    print_line,
    write_json,
    write_text,
)
from promptuary.commands.review import find_open_change, propose_version, tell_change
from promptuary.errors import Gone, NotFound, Refused
from promptuary.names import check_name, split_target

__all__ = ["promote"]

Target = Annotated[
    str,
    typer.Argument(
        metavar="NAME[@REF]",
        help="Version to promote. Without @REF: the version of the label production.",
        autocompletion=complete_name,
    ),
]
To = Annotated[str, typer.Option("--to", help="Address of the other registry.")]
ToKey = Annotated[
    str, typer.Option("--to-key", envvar="PROMPTUARY_TO_KEY", help="API key for the other registry.", show_envvar=True)
]
As = Annotated[str, typer.Option("--as", help="Name of the template in the other registry. Default: the same name.")]
Label = Annotated[
    str, typer.Option("--label", "-l", help="Protected label of the other registry to move to the version.")
]
Message = Annotated[
    str, typer.Option("--message", "-m", help="Message for the reviewers of the other registry: what changes and why.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask for confirmation.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", "-n", help="Show the difference and what follows there; change nothing.")
]


@dataclass(frozen=True)
class Source:
    """The version to promote. pin: `name@number`."""

    pin: str
    digest: str
    document: str


@dataclass(frozen=True)
class Destination:
    """A template of the other registry, which may not exist yet.

    live, newest: what the label and `latest` return there; None if there is no such version. A redacted version has an
    empty document.
    """

    name: str
    label: str
    live: dict[str, Any] | None
    newest: dict[str, Any] | None


def promote(  # noqa: PLR0913, PLR0917  # an argument an option of the command
    target: Target,
    to: To,
    to_key: ToKey = "",
    other_name: As = "",
    label: Label = "production",
    message: Message = "",
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Propose a version of this registry in another registry, after showing the difference."""
    with handle_errors(as_json), Connection(url, key) as source_registry, Connection(to, to_key) as target_registry:
        if as_json and not (yes or dry_run):
            raise UsageError("--json can't ask: give --yes or --dry-run")
        name, ref = split_target(target)
        source = _read_source(source_registry, name, ref)
        with _name_registry(target_registry):
            destination = _read_destination(target_registry, check_name(other_name or name), label)
            _require_news(target_registry, source, destination)
            fault = _find_fault(target_registry, source, destination)
            if fault and not dry_run:
                raise Finding(fault)
        difference = _show(target_registry, source, destination, as_json)
        if not yes or dry_run:
            difference["preview"] = _show_effects(target_registry, source, destination, as_json)
        if dry_run:
            _end_dry_run(target_registry, difference, fault, as_json)
            return
        if not yes and not typer.confirm(f"Propose this for {label} at {target_registry.url}?", err=True):
            raise Finding("Nothing was stored.")
        with _name_registry(target_registry):
            change = _propose(target_registry, source, destination, _describe(source_registry, source, message))
        if as_json:
            write_json({**difference, "stored": True, "change": change})
        else:
            tell_change(target_registry, change, as_json=False)


def _read_source(source_registry: Connection, name: str, ref: str) -> Source:
    template = source_registry.client.get(name, ref)  # its digest is recomputed
    return Source(f"{name}@{template.version}", str(template.digest), template.document.text)


def _read_destination(target_registry: Connection, name: str, label: str) -> Destination:
    namespace = name.partition("/")[0]
    try:
        rules = target_registry.get(f"namespaces/{namespace}")["rules"]
    except NotFound:
        raise Finding(f"There is no namespace {namespace}, or this key is of another one.") from None
    if label not in rules["protected_labels"]:
        labels = ", ".join(rules["protected_labels"]) or "none"
        raise Finding(f"{label} is not protected in {namespace}, so nothing is proposed for it; protected: {labels}.")
    return Destination(name, label, _find(target_registry, name, label), _find(target_registry, name, "latest"))


def _find(target_registry: Connection, name: str, ref: str) -> dict[str, Any] | None:
    try:
        version: dict[str, Any] = target_registry.get(f"templates/{name}@{ref}")
    except Gone as error:
        facts = error.problem
        return {"version": facts.get("version"), "digest": facts.get("digest"), "document": ""}
    except NotFound:
        return None
    return version


def _require_news(target_registry: Connection, source: Source, destination: Destination) -> None:
    """Raise Finding if the label points to the version already, or an open request proposes it."""
    name, label, live = destination.name, destination.label, destination.live
    if live is not None and live["digest"] == source.digest:
        raise Finding(f"{label} of {name} serves this text already, as version {live['version']}.")
    change = find_open_change(target_registry, name, label) if destination.newest is not None else None
    if change is not None and change["digest"] == source.digest:
        raise Finding(
            f"Change {change['number']} proposes this text already: {target_registry.url}/changes/{change['number']}"
        )


def _find_fault(target_registry: Connection, source: Source, destination: Destination) -> str:
    """Why the document can't be promoted: it has errors there, or would be a different prompt. Empty if it can."""
    checked = target_registry.call("POST", "check", {"document": source.document, "template": destination.name})
    errors = [problem for problem in checked["problems"] if problem["severity"] == "error"]
    if errors:
        lines = [f"line {problem['line']}: {problem['message']}" for problem in errors]
        return "The document can't be saved there. " + " ".join(lines)
    if checked.get("digest", source.digest) != source.digest:  # missing from older registries
        return (
            f"It would be another prompt there ({checked['digest']}) than {source.pin} ({source.digest}): "
            "a fragment or the profile has another content. Promote the fragments first."
        )
    return ""


def _show(target_registry: Connection, source: Source, destination: Destination, as_json: bool) -> dict[str, Any]:
    """Print what would change for users of the label there, and return it as JSON."""
    live = destination.live
    before = f"{destination.name}@{live['version']}" if live else "nothing"
    if live and not live["document"]:
        before += " (redacted)"
    text = compare_texts(str(live["document"]) if live else "", source.document, before, source.pin)
    if not as_json:
        write_text(text)
        sys.stdout.flush()
        print_line(
            f"{source.pin} ({source.digest}) for {destination.label} of {destination.name} at {target_registry.url}"
        )
    return {
        "source": {"pin": source.pin, "digest": source.digest},
        "template": destination.name,
        "label": destination.label,
        "holds": live["version"] if live else None,
        "diff": text,
    }


def _show_effects(target_registry: Connection, source: Source, destination: Destination, as_json: bool) -> Any:
    """Print what follows from saving and proposing it there, as `propose --dry-run` does, and return the registry's
    answer; None if it gives none.
    """
    path = f"templates/{destination.name}/-/labels/{destination.label}/document-preview"
    try:
        preview = target_registry.call("POST", path, {"document": source.document})
    except Refused as error:
        if not as_json:
            cause = "an older Promptuary" if error.status in (404, 405) else error.detail
            print_line(f"  What follows there is not known ({cause}).")
        return None
    if not as_json:
        print_line(f"  It would be version {preview['version']} there.")
        tell_effects(preview)
        for problem in preview["problems"]:
            print_line(f"  Line {problem['line']}: {problem['severity']} {problem['code']}: {problem['message']}")
    return preview


def _end_dry_run(target_registry: Connection, difference: dict[str, Any], fault: str, as_json: bool) -> None:
    """Say that nothing was stored. Raises Finding, or exits with 1 after JSON, if promoting it would be refused."""
    if as_json:
        write_json({**difference, "stored": False, "fault": fault})
        if fault:
            raise typer.Exit(1)
        return
    print_line("This was a dry run: nothing was stored.")
    if fault:
        raise Finding(f"{target_registry.url}: {fault}")


def _describe(source_registry: Connection, source: Source, message: str) -> str:
    """The message for history and reviewers there: the reason, and the version and registry it came from."""
    origin = f"Promoted from {source_registry.url}: {source.pin}"
    return f"{message.strip()}\n\n{origin}, {source.digest}" if message.strip() else f"{origin}\n\n{source.digest}"


def _propose(target_registry: Connection, source: Source, destination: Destination, message: str) -> Any:
    newest = destination.newest
    base = {"If-Match": f'"{newest["digest"]}"'} if newest else {}
    saved = target_registry.call(
        "PUT", f"templates/{destination.name}", {"document": source.document, "message": message}, base
    )
    if saved["digest"] != source.digest:
        raise Finding(
            f"Version {saved['version']} was saved, but is another prompt ({saved['digest']}), so it is not proposed."
        )
    try:
        return propose_version(target_registry, destination.name, destination.label, saved["version"], message)
    except Refused as error:
        raise Finding(f"Version {saved['version']} was saved, but not proposed: {error.detail}") from None


@contextmanager
def _name_registry(target_registry: Connection) -> Iterator[None]:
    """Make refusals say that they come from the other registry."""
    try:
        yield
    except Refused as error:
        kind = UsageError if error.status == 401 else Finding
        raise kind(f"{target_registry.url}: {error.detail}") from None
    except Finding as error:
        raise Finding(f"{target_registry.url}: {error}") from None
