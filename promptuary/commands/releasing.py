"""`promptuary release`: several templates that go live together, are withdrawn or rolled back."""

from typing import Annotated, Any

import typer

from promptuary.commands.api import Connection
from promptuary.commands.label_preview import tell_effects, tell_ungated_losses
from promptuary.commands.output import Finding, Json, Key, Url, UsageError, handle_errors, print_line, write_json
from promptuary.commands.release_preview import tell_release_roll_back
from promptuary.commands.review import At, Reviewers

__all__ = [
    "app",
    "propose_release",
    "publish_release",
    "roll_back_release",
    "show_release",
    "withdraw_release",
]

app = typer.Typer(help="Propose, publish and roll back several templates together.", no_args_is_help=True)

Names = Annotated[
    list[str],
    typer.Argument(metavar="FOLDER|NAME...", help="A namespace, a folder, or at least two templates of one namespace."),
]
Source = Annotated[
    str, typer.Option("--from", help="Label whose versions are proposed; latest for the newest versions.")
]
Target = Annotated[str, typer.Option("--to", help="Protected label to move.")]
Title = Annotated[str, typer.Option("--title", "-t", help="Title of the release, in one line.")]
DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Show what would be proposed; change nothing.")]
Namespace = Annotated[str, typer.Argument(metavar="NAMESPACE", help="Namespace of the release.")]
Reason = Annotated[str, typer.Option("--reason", "-m", help="Reason, shown to everyone concerned.")]
RollBackReason = Annotated[
    str, typer.Option("--reason", "-m", help="Reason, shown to everyone concerned. Required, except with --dry-run.")
]
DryRollBack = Annotated[bool, typer.Option("--dry-run", "-n", help="Show what would happen; change nothing.")]
Only = Annotated[
    list[str] | None,
    typer.Option("--template", help="Template to roll back. Can be repeated. Default: all templates of the release."),
]
Number = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="Number of the release.")]


@app.command("propose")
def propose_release(  # noqa: PLR0913, PLR0917  # an argument an option of the command
    names: Names,
    source: Source = "staging",
    target: Target = "production",
    title: Title = "",
    reviewer: Reviewers = None,
    at: At = "",
    dry_run: DryRun = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Open a release: propose the versions of one label for another label, for several templates."""
    with handle_errors(as_json), Connection(url, key) as connection:
        namespace = _find_namespace(names)
        places = {"folder": names[0]} if len(names) == 1 else {"templates": names}
        selection = {"label": target, "from_label": source, **places}
        if dry_run:
            _tell_plan(connection.call("POST", f"namespaces/{namespace}/releases/plan", selection), target, as_json)
            return
        body: dict[str, Any] = {**selection, "title": title or f"Promote {source} to {target}"}
        if reviewer:  # both are missing from older registries
            body["reviewers"] = reviewer
        if at:
            body["goes_live_at"] = at
        _tell_release(connection, connection.call("POST", f"namespaces/{namespace}/releases", body), as_json)


@app.command("show")
def show_release(namespace: Namespace, number: Number, as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """Show the templates of a release, and what each waits for."""
    with handle_errors(as_json), Connection(url, key) as connection:
        _tell_release(connection, connection.get(f"namespaces/{namespace}/releases/{number}"), as_json)


@app.command("publish")
def publish_release(namespace: Namespace, number: Number, as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """Publish a release: move all its labels, or none."""
    with handle_errors(as_json), Connection(url, key) as connection:
        release = connection.call("POST", f"namespaces/{namespace}/releases/{number}/publish", {})
        _tell_release(connection, release, as_json)


@app.command("withdraw")
def withdraw_release(
    namespace: Namespace, number: Number, reason: Reason, as_json: Json = False, url: Url = "", key: Key = ""
) -> None:
    """Close a release and its change requests without publishing. For its author and for reviewers."""
    with handle_errors(as_json), Connection(url, key) as connection:
        path = f"namespaces/{namespace}/releases/{number}/withdraw"
        _tell_release(connection, connection.call("POST", path, {"reason": reason}), as_json)


@app.command("rollback")
def roll_back_release(
    namespace: Namespace,
    number: Number,
    reason: RollBackReason = "",
    template: Only = None,
    dry_run: DryRollBack = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Roll back a published release: move its labels back to the versions before, all or none. For reviewers."""
    with handle_errors(as_json), Connection(url, key) as connection:
        if dry_run:
            preview = connection.get(f"namespaces/{namespace}/releases/{number}/roll-back/preview")
            tell_release_roll_back(preview, template or (), as_json)
            return
        if not reason.strip():
            raise UsageError("--reason is missing: everyone concerned will read why the labels go back")
        body = {"reason": reason, "templates": template or []}
        release = connection.call("POST", f"namespaces/{namespace}/releases/{number}/roll-back", body)
        _tell_release(connection, release, as_json)
        if not as_json:
            names = ", ".join(template or ()) or "all of its templates"
            print_line(f"  rolled back {release['label']} of {names}")


def _find_namespace(names: list[str]) -> str:
    namespaces = {name.partition("/")[0] for name in names}
    if len(namespaces) > 1:
        raise Finding(f"A release has templates of one namespace; these are of {', '.join(sorted(namespaces))}.")
    return namespaces.pop()


def _tell_plan(plan: Any, label: str, as_json: bool) -> None:
    if as_json:
        write_json(plan)
        return
    for member in plan["members"]:
        holds = f"version {member['holds']}" if member["holds"] else "nothing"
        joins = f" (change {member['change']} joins)" if member["change"] else ""
        print_line(f"{member['template']}: {label} from {holds} to version {member['version']}{joins}")
        if preview := member.get("preview"):  # missing from older registries
            tell_effects(preview)
    _tell_left_out(plan)
    print_line("Nothing was stored." if plan["members"] else "Nothing would be proposed.")


def _tell_release(connection: Connection, release: Any, as_json: bool) -> None:
    if as_json:
        write_json(release)
        return
    number = release["number"]
    print_line(f"release {number}: {release['title']} for {release['label']} is {release['state']}")
    for member in release["members"]:
        print_line(f"  {member['template']}@{member['version']} is {member['state']} (change {member['change']})")
        for blocker in member["blockers"]:
            print_line(f"    {blocker['cause']} {blocker['action']}")
    if release["state"] == "open" and release.get("goes_live_at"):  # missing from older registries
        print_line(f"  goes live {release['goes_live_at']}")
    for losses in release.get("ungated_losses", ()):
        tell_ungated_losses(losses)
    _tell_left_out(release)
    if release["ready"]:
        print_line("  Nothing blocks it: publish it.")
    print_line(f"  {connection.url}/releases/{number}")


def _tell_left_out(answer: Any) -> None:
    for template in answer.get("left_out", ()):
        print_line(f"  left out: {template['template']}. {template['reason']}")
