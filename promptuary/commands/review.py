"""`promptuary propose`, `approve` and `publish`: a change request from the command line."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.label_preview import tell_preview, tell_ungated_losses
from promptuary.commands.output import Finding, Json, Key, Url, UsageError, handle_errors, print_line, write_json
from promptuary.errors import NotAllowed
from promptuary.names import split_target

__all__ = [
    "approve",
    "find_open_change",
    "propose",
    "propose_version",
    "publish",
    "read_current",
    "read_steps",
    "tell_change",
    "withdraw",
]

Number = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="Number of the change request.")]
Target = Annotated[
    str,
    typer.Argument(
        metavar="NAME[@REF]", help="Version to propose. Without @REF: the latest.", autocompletion=complete_name
    ),
]
Label = Annotated[str, typer.Option("--label", "-l", help="Protected label to move to the version.")]
Message = Annotated[str, typer.Option("--message", "-m", help="Message for the reviewers: what changes and why.")]
Reviewers = Annotated[
    list[str] | None, typer.Option("--reviewer", help="Username of a person to ask for a review. Can be repeated.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Show what would happen; change nothing.")]
Gradually = Annotated[
    str,
    typer.Option(
        "--gradually",
        metavar="SHARES",
        help="Publish with a rollout to these shares of the callers first, in percent, such as 5,25.",
    ),
]
StepHours = Annotated[
    int | None,
    typer.Option("--step-hours", min=1, help="Hours until the next share. Default: you start each step yourself."),
]
AtOnce = Annotated[bool, typer.Option("--at-once", help="Move the label now, even if a rollout was planned.")]
At = Annotated[
    str,
    typer.Option("--at", help="Time to publish at, in ISO 8601, such as 2030-05-01T08:00; UTC if it has no offset."),
]
TakeBack = Annotated[bool, typer.Option("--take-back", help="Withdraw your approval or your request for edits.")]
WhyWithdrawn = Annotated[str, typer.Option("--reason", "-m", help="Reason, shown to everyone concerned.")]
SeenVersion = Annotated[
    int | None, typer.Option("--version", min=1, help="Publish only if the change request still proposes this version.")
]
Digest = Annotated[
    str, typer.Option("--digest", help="Digest of the version you reviewed. Default: the digest of the change request.")
]


def propose(  # noqa: PLR0913, PLR0917  # an argument an option of the command
    target: Target,
    label: Label = "production",
    message: Message = "",
    reviewer: Reviewers = None,
    gradually: Gradually = "",
    step_hours: StepHours = None,
    at: At = "",
    dry_run: DryRun = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Open a change request for a version, or update the open one."""
    with handle_errors(as_json), Connection(url, key) as connection:
        steps = read_steps(gradually, step_hours, "--gradually")
        name, ref = split_target(target, "latest")
        version = connection.resolve_version(name, ref)
        if dry_run:
            tell_preview(connection.get(f"templates/{name}/-/labels/{label}/preview", version=str(version)), as_json)
            return
        change = propose_version(connection, name, label, version, message, reviewer or (), steps, at)
        tell_change(connection, change, as_json)


def approve(
    number: Number,
    digest: Digest = "",
    take_back: TakeBack = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Approve a change request. Only a signed-in person can approve; a key gets the address of the page to do it."""
    with handle_errors(as_json), Connection(url, key) as connection:
        head_digest = digest or read_current(connection, f"changes/{number}", "digest") or ""
        body = {"decision": "take_back" if take_back else "approve", "digest": head_digest}
        try:
            change = connection.call("POST", f"changes/{number}/decisions", body)
        except NotAllowed as error:
            if error.status != 403:
                raise
            raise Finding(f"{error.detail} Do it here: {connection.url}/changes/{number}") from None
        tell_change(connection, change, as_json)


def publish(
    number: Number,
    at: At = "",
    at_once: AtOnce = False,
    version: SeenVersion = None,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Publish an approved change request: move its label, now or at a set time, or start its planned rollout."""
    expected = {} if version is None else {"version": version}  # missing from older registries
    with handle_errors(as_json), Connection(url, key) as connection:
        if at:
            schedule = connection.call("PUT", f"changes/{number}/schedule", {"goes_live_at": at, **expected})
            tell_change(connection, schedule, as_json)
            return
        body: dict[str, Any] = {"at_once": True, **expected} if at_once else expected
        tell_change(connection, connection.call("POST", f"changes/{number}/publish", body), as_json)


def withdraw(number: Number, reason: WhyWithdrawn, as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """Close a change request without publishing it. For its author and for reviewers."""
    with handle_errors(as_json), Connection(url, key) as connection:
        tell_change(connection, connection.call("POST", f"changes/{number}/withdraw", {"reason": reason}), as_json)


def read_current(connection: Connection, path: str, field: str) -> Any:
    """The current value of a field, sent with an action so that it is refused if somebody else was faster.

    None if the key may not read it: the registry then decides on the action itself, and its refusal is the one to show.
    """
    try:
        return connection.get(path)[field]
    except NotAllowed as error:
        if error.status != 403:
            raise
        return None


def read_steps(shares: str, hours: int | None, option: str) -> list[dict[str, Any]]:
    """Parse comma-separated shares in percent into the API's steps of a rollout; empty without shares.

    option: the name of the option, for errors.
    """
    if not shares:
        if hours is not None:
            raise UsageError(f"--step-hours needs the shares: {option} 5,25.")
        return []
    try:
        numbers = [round(float(part.strip().rstrip("%")) * 100) for part in shares.split(",")]
    except (ValueError, OverflowError):
        raise UsageError(f"{option} takes numbers between commas, such as 5,25.") from None
    return [{"share": number, "hours": hours} for number in numbers]


def propose_version(
    connection: Connection,
    name: str,
    label: str,
    version: int,
    message: str,
    reviewers: Sequence[str] = (),
    steps: Sequence[Mapping[str, Any]] = (),
    goes_live_at: str = "",
) -> Any:
    """Open the change request for this label, or move the open one to this version.

    reviewers: who is asked for a review. steps: of the rollout that publishing starts; only for a new request.
    goes_live_at: when it is published automatically once approved; empty to publish by hand.
    """
    change = find_open_change(connection, name, label)
    if change is None:
        body: dict[str, Any] = {"template": name, "label": label, "version": version, "message": message}
        if reviewers:  # missing from older registries
            body["reviewers"] = list(reviewers)
        if steps:
            body["planned_rollout"] = {"steps": list(steps)}
        if goes_live_at:
            body["goes_live_at"] = goes_live_at
        return connection.call("POST", "changes", body)
    if steps:
        raise Finding(
            f"Change {change['number']} for {label} is open already, so --gradually changes nothing. "
            f"Choose how it goes live when you publish it: {connection.url}/changes/{change['number']}"
        )
    if change["version"] == version:
        change = connection.get(f"changes/{change['number']}")
    else:
        change = connection.call("POST", f"changes/{change['number']}/version", {"version": version})
    for person in reviewers:
        change = connection.call("POST", f"changes/{change['number']}/reviewers", {"person": person})
    if goes_live_at:
        change = connection.call("PUT", f"changes/{change['number']}/schedule", {"goes_live_at": goes_live_at})
    return change


def find_open_change(connection: Connection, name: str, label: str) -> Any:
    """Return the open change request for this label, or None."""
    pending = connection.pages("changes", template=name, state="pending")
    # An emergency publication is pending too until it is approved, but its version must not be replaced.
    open_ones = [change for change in pending if change["state"] in ("open", "approved")]
    return next((change for change in open_ones if change["label"] == label), None)


def tell_change(connection: Connection, change: Any, as_json: bool) -> None:
    """Print the request as sentences, or as JSON."""
    if as_json:
        write_json(change)
        return
    print_line(
        f"change {change['number']}: {change['template']}@{change['version']} for {change['label']} is "
        f"{change['state']}"
    )
    if change["state"] in ("open", "approved") and change.get("goes_live_at"):  # missing from older registries
        print_line(f"  goes live {change['goes_live_at']}")
    if change["state"] in ("open", "approved") and change.get("planned_rollout"):
        shares = ", ".join(f"{step['share'] / 100:g} %" for step in change["planned_rollout"]["steps"])
        print_line(f"  goes live gradually: {shares}, then everybody")
    if change.get("approval") == "never_approved":
        print_line(f"  {change['label']} serves version {change['holds']}, which was never approved.")
    for blocker in change["blockers"]:
        print_line(f"  {blocker['cause']} {blocker['action']}")
    for exemption in change.get("exemptions", ()):  # missing from older registries
        person, rule, why = exemption["person"], exemption["rule"], exemption["why"]
        print_line(f"  The approval by {person} counts by the rule {rule}, though {person} {why}.")
    for contributor in change.get("contributors", ()) if change["blockers"] else ():
        print_line(f"  {contributor['person']} {contributor['why']}: their approval does not count.")
    tell_ungated_losses(change.get("ungated_losses"))
    print_line(f"  {connection.url}/changes/{change['number']}")
