"""`promptuary move` and `promptuary rollback`: labels from the command line."""

from typing import Annotated, Any

import typer

from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.label_preview import tell_roll_back
from promptuary.commands.output import Finding, Json, Key, Url, UsageError, handle_errors, print_line, write_json
from promptuary.errors import NotAllowed
from promptuary.names import check_name, check_ref, split_target

__all__ = ["move", "rollback"]

Target = Annotated[
    str,
    typer.Argument(
        metavar="NAME@VERSION",
        help="Version that the label should point to, such as support/refunds/reply@3.",
        autocompletion=complete_name,
    ),
]
Label = Annotated[str, typer.Argument(metavar="LABEL", help="Unprotected label to move.")]
Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="Name of the template, such as support/refunds/reply.", autocompletion=complete_name
    ),
]
Version = Annotated[
    int,
    typer.Argument(
        metavar="VERSION", min=1, help="Earlier version of the label. For a protected label, one that was approved."
    ),
]
WhyMoved = Annotated[str, typer.Option("--reason", "-m", help="Reason, for the label's history.")]
Which = Annotated[str, typer.Option("--label", "-l", help="Label to roll back.")]
Reason = Annotated[
    str, typer.Option("--reason", "-m", help="Reason, shown to everyone concerned. Required, except with --dry-run.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Show what would happen; change nothing.")]
_NOTES = {"never_approved": ", which was never approved", "emergency": ", published in an emergency, not approved yet"}


def move(
    target: Target, label: Label, reason: WhyMoved = "", as_json: Json = False, url: Url = "", key: Key = ""
) -> None:
    """Move an unprotected label to a version. Protected labels move by `propose` and `publish`."""
    with handle_errors(as_json), Connection(url, key) as connection:
        name, ref = split_target(target, "latest")
        version = connection.resolve_version(name, ref)
        current_version = connection.get(f"templates/{name}")["labels"].get(check_ref(label))
        body = {"version": version, "expected": current_version}
        if reason:  # missing from older registries
            body["reason"] = reason
        try:
            answer = connection.call("PUT", f"templates/{name}/-/labels/{label}", body)
        except NotAllowed as error:
            if error.type != "approval-required":
                raise
            raise Finding(f"{error.detail} promptuary propose {name}@{version} --label {label}") from None
        _print_label(answer, as_json)


def rollback(
    name: Name,
    version: Version,
    reason: Reason = "",
    label: Which = "production",
    dry_run: DryRun = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Roll back a label to an earlier version of it. For reviewers."""
    with handle_errors(as_json), Connection(url, key) as connection:
        path = f"templates/{check_name(name)}/-/labels/{check_ref(label)}"
        if dry_run:
            tell_roll_back(connection.get(f"{path}/preview", version=str(version)), as_json)
            return
        if not reason.strip():
            raise UsageError("--reason is missing: everyone concerned will read why the label goes back")
        _print_label(connection.call("POST", f"{path}/roll-back", {"version": version, "reason": reason}), as_json)


def _print_label(answer: Any, as_json: bool) -> None:
    if as_json:
        write_json(answer)
    else:
        note = _NOTES.get(answer.get("approval") or "", "")
        print_line(f"{answer['label']} of {answer['template']} points to version {answer['version']}{note}")
