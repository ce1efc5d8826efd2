"""`promptuary rollout start`, `show`, `step`, `pause`, `resume`, `stop` and `finish`: a gradual publication."""

from typing import Annotated, Any

import typer

from promptuary.commands.api import Connection
from promptuary.commands.label_preview import tell_preview
from promptuary.commands.output import Json, Key, Url, UsageError, handle_errors, print_line, write_json
from promptuary.commands.review import StepHours, read_current, read_steps

__all__ = [
    "app",
    "finish_rollout",
    "pause_rollout",
    "resume_rollout",
    "show_rollout",
    "start_rollout",
    "step_rollout",
    "stop_rollout",
]

app = typer.Typer(help="Start, follow and stop rollouts of approved change requests.", no_args_is_help=True)

Change = Annotated[int, typer.Argument(metavar="CHANGE", min=1, help="Number of an approved change request.")]
Number = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="Number of the rollout.")]
Shares = Annotated[
    str,
    typer.Option(
        "--shares",
        metavar="SHARES",
        help="Shares of the callers that get the version, step by step, in percent, such as 5,25.",
    ),
]
Metric = Annotated[
    str,
    typer.Option(
        "--metric",
        help="Score to watch, such as helpful. The rollout stops if the new version scores too low; see --below.",
    ),
]
Below = Annotated[
    float | None,
    typer.Option("--below", help="Lowest score that is good enough. Default: the score of the stable version."),
]
WhyPaused = Annotated[str, typer.Option("--reason", "-m", help="Reason, shown to everyone concerned. Optional.")]
WhyStopped = Annotated[
    str, typer.Option("--reason", "-m", help="Reason, shown to everyone concerned. Required, except with --dry-run.")
]
StartDryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Show what would happen; change nothing.")]
StopDryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Show what would happen; change nothing.")]


@app.command("start")
def start_rollout(  # noqa: PLR0913, PLR0917  # an argument an option of the command
    change: Change,
    shares: Shares = "5,25",
    step_hours: StepHours = None,
    metric: Metric = "",
    below: Below = None,
    dry_run: StartDryRun = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Publish an approved change request to a first share of the callers; the last step serves everybody."""
    with handle_errors(as_json), Connection(url, key) as connection:
        body: dict[str, Any] = {"change": change, "steps": read_steps(shares, step_hours, "--shares")}
        if metric:
            limit = {"worse_than_stable": True} if below is None else {"below": below}
            body["stop_rule"] = {"metric": metric, **limit}
        elif below is not None:
            raise UsageError("--below needs the score that it limits: --metric helpful.")
        if dry_run:
            facts = connection.get(f"changes/{change}")
            path = f"templates/{facts['template']}/-/labels/{facts['label']}/preview"
            tell_preview(connection.get(path, version=str(facts["version"])), as_json)
            return
        _tell_rollout(connection, connection.call("POST", "rollouts", body), as_json)


@app.command("show")
def show_rollout(number: Number, as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """Show the share, the steps and the scores of a rollout."""
    with handle_errors(as_json), Connection(url, key) as connection:
        _tell_rollout(connection, connection.get(f"rollouts/{number}"), as_json)


@app.command("step")
def step_rollout(number: Number, as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """Move a rollout to its next share now; after the last share, serve everybody."""
    with handle_errors(as_json), Connection(url, key) as connection:
        share = read_current(connection, f"rollouts/{number}", "share")
        body = {} if share is None else {"share": share}
        _tell_rollout(connection, connection.call("POST", f"rollouts/{number}/step", body), as_json)


@app.command("pause")
def pause_rollout(number: Number, reason: WhyPaused = "", as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """Pause a rollout: keep its share until somebody resumes it."""
    with handle_errors(as_json), Connection(url, key) as connection:
        _tell_rollout(connection, connection.call("POST", f"rollouts/{number}/pause", {"reason": reason}), as_json)


@app.command("resume")
def resume_rollout(number: Number, as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """Resume a paused rollout."""
    with handle_errors(as_json), Connection(url, key) as connection:
        _tell_rollout(connection, connection.call("POST", f"rollouts/{number}/resume", {}), as_json)


@app.command("stop")
def stop_rollout(
    number: Number,
    reason: WhyStopped = "",
    dry_run: StopDryRun = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Stop a rollout: serve the stable version to everybody again. The change request stays open. For reviewers."""
    with handle_errors(as_json), Connection(url, key) as connection:
        if dry_run:
            _tell_stop(connection, connection.get(f"rollouts/{number}"), as_json)
            return
        if not reason.strip():
            raise UsageError("--reason is missing: everyone concerned will read why the rollout stops")
        _tell_rollout(connection, connection.call("POST", f"rollouts/{number}/stop", {"reason": reason}), as_json)


@app.command("finish")
def finish_rollout(number: Number, as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """Finish a rollout: serve the new version to everybody now, which publishes the change request."""
    with handle_errors(as_json), Connection(url, key) as connection:
        _tell_rollout(connection, connection.call("POST", f"rollouts/{number}/finish", {}), as_json)


def _tell_stop(connection: Connection, rollout: Any, as_json: bool) -> None:
    """Print the consequences of stopping the rollout; with `as_json`, the rollout unchanged."""
    _tell_rollout(connection, rollout, as_json)
    if as_json:
        return
    if rollout["state"] in ("running", "paused"):
        share, label = f"{rollout['share'] / 100:g} %", rollout["label"]
        print_line(f"  Stopping gives the {share} version {rollout['stable']} of {label} again, like everybody else.")
        print_line(f"  Change {rollout['change']} stays open. A reviewer stops it at once, without an approval.")
    else:
        print_line(f"  It is {rollout['state']}: there is nothing to stop.")
    print_line("Nothing was stored.")


def _tell_rollout(connection: Connection, rollout: Any, as_json: bool) -> None:
    if as_json:
        write_json(rollout)
        return
    name, label = rollout["template"], rollout["label"]
    print_line(f"rollout {rollout['number']}: {label} of {name}, change {rollout['change']}, is {rollout['state']}")
    if rollout["state"] in ("running", "paused"):
        share = f"{rollout['share'] / 100:g} %"
        print_line(
            f"  version {rollout['candidate']} for {share} of the callers, version {rollout['stable']} for the rest"
        )
        if rollout["next_at"]:
            print_line(f"  next step {rollout['next_at']}")
    elif rollout["state"] == "stopped":
        print_line(f"  version {rollout['stable']} for everybody: {rollout['reason']}")
    else:
        print_line(f"  version {rollout['candidate']} for everybody")
    for score in rollout["scores"]:
        sides = [(side, score[side]) for side in ("stable", "candidate") if score[side]]
        means = ", ".join(f"{side} {figures['mean']:.2f} over {figures['count']}" for side, figures in sides)
        print_line(f"  {score['metric']}: {means}")
    print_line(f"  {connection.url}/changes/{rollout['change']}")
