"""`promptuary propose`, `approve` and `publish`: a change request from the command line."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.label_preview import tell_preview, tell_ungated_losses
from promptuary.commands.output import Finding, Json, Key, Url, answering, say, write_json
from promptuary.errors import NotAllowed
from promptuary.names import split_target

__all__ = ["approve", "open_change", "propose", "propose_version", "publish", "tell_change"]

Number = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="The change request's number.")]
Target = Annotated[
    str,
    typer.Argument(
        metavar="NAME[@REF]", help="The version to propose; the latest without @REF.", autocompletion=complete_name
    ),
]
Label = Annotated[str, typer.Option("--label", "-l", help="The protected label that should point to it.")]
Message = Annotated[str, typer.Option("--message", "-m", help="Why, for the reviewers.")]
Reviewers = Annotated[list[str] | None, typer.Option("--reviewer", help="Ask this person for a review; repeatable.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would follow; store nothing.")]
At = Annotated[str, typer.Option("--at", help="Publish at this moment: ISO 8601, in UTC without an offset.")]
TakeBack = Annotated[bool, typer.Option("--take-back", help="Take your approval, or your request for edits, back.")]
Digest = Annotated[str, typer.Option("--digest", help="The digest you looked at; the request's own if none.")]


def propose(
    target: Target,
    label: Label = "production",
    message: Message = "",
    reviewer: Reviewers = None,
    dry_run: DryRun = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Open a change request, or put the version into the one that is pending."""
    with answering(as_json), Connection(url, key) as connection:
        name, ref = split_target(target, "latest")
        version = int(ref) if ref.isdigit() else connection.get(f"templates/{name}@{ref}")["version"]
        if dry_run:
            tell_preview(connection.get(f"templates/{name}/-/labels/{label}/preview", version=str(version)), as_json)
            return
        tell_change(connection, propose_version(connection, name, label, version, message, reviewer or ()), as_json)


def approve(
    number: Number,
    digest: Digest = "",
    take_back: TakeBack = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Approve a change request. The registry takes this from a person who signed in, never from a key."""
    with answering(as_json), Connection(url, key) as connection:
        seen_digest = digest or connection.get(f"changes/{number}")["digest"]
        body = {"decision": "take_back" if take_back else "approve", "digest": seen_digest}
        try:
            change = connection.call("POST", f"changes/{number}/decisions", body)
        except NotAllowed as error:
            if error.status != 403:
                raise
            raise Finding(f"{error.detail} Do it here: {connection.url}/changes/{number}") from None
        tell_change(connection, change, as_json)


def publish(number: Number, at: At = "", as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """Publish an approved change request: its label moves, now or at a moment."""
    with answering(as_json), Connection(url, key) as connection:
        if at:
            schedule = connection.call("PUT", f"changes/{number}/schedule", {"goes_live_at": at})
            tell_change(connection, schedule, as_json)
            return
        tell_change(connection, connection.call("POST", f"changes/{number}/publish", {}), as_json)


def propose_version(
    connection: Connection, name: str, label: str, version: int, message: str, reviewers: Sequence[str] = ()
) -> Any:
    """The change request for this label, opened or brought up to this version. reviewers: who is asked for a review."""
    change = open_change(connection, name, label)
    if change is None:
        body: dict[str, Any] = {"template": name, "label": label, "version": version, "message": message}
        if reviewers:  # an older registry knows no such field
            body["reviewers"] = list(reviewers)
        return connection.call("POST", "changes", body)
    if change["version"] == version:
        change = connection.get(f"changes/{change['number']}")
    else:
        change = connection.call("POST", f"changes/{change['number']}/version", {"version": version})
    for person in reviewers:
        change = connection.call("POST", f"changes/{change['number']}/reviewers", {"person": person})
    return change


def open_change(connection: Connection, name: str, label: str) -> Any:
    """The open change request for this label; None where there is none."""
    pending = connection.pages("changes", template=name, state="pending")
    # What was published in an emergency is pending too, until it is approved; its version is not to be replaced any
    # more.
    open_ones = [change for change in pending if change["state"] in ("open", "approved")]
    return next((change for change in open_ones if change["label"] == label), None)


def tell_change(connection: Connection, change: Any, as_json: bool) -> None:
    """The request as sentences, or as JSON."""
    if as_json:
        write_json(change)
        return
    where = f"{connection.url}/changes/{change['number']}"
    say(
        f"change {change['number']}: {change['template']}@{change['version']} for {change['label']} is "
        f"{change['state']}"
    )
    if change["state"] in ("open", "approved") and change.get("goes_live_at"):  # an older registry gives none
        say(f"  goes live {change['goes_live_at']}")
    if change.get("approval") == "never_approved":
        say(f"  {change['label']} serves version {change['holds']}, which was never approved.")
    for blocker in change["blockers"]:
        say(f"  {blocker['cause']} {blocker['action']}")
    for exemption in change.get("exemptions", ()):  # an older registry gives none
        person, rule, why = exemption["person"], exemption["rule"], exemption["why"]
        say(f"  The approval by {person} counts by the rule {rule}, though {person} {why}.")
    for contributor in change.get("contributors", ()) if change["blockers"] else ():
        say(f"  {contributor['person']} {contributor['why']}: their approval does not count.")
    tell_ungated_losses(change.get("ungated_losses"))
    say(f"  {where}")
