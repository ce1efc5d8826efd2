"""The preview of a label's move on the terminal, printed by `propose --dry-run` and `rollback --dry-run`."""

from typing import Any

from promptuary.commands.output import print_line, write_json
from promptuary.evaluation.decimals import count_change_decimals, count_decimals

__all__ = ["tell_effects", "tell_preview", "tell_roll_back", "tell_roll_back_effects", "tell_ungated_losses"]

_STATES = {
    "equal": "It serves exactly this already.",
    "superseded": "What it serves contains this version: nothing is left to publish.",
    "diverged": "It is not made from what the label serves: the two have to be merged first.",
}


def tell_preview(preview: Any, as_json: bool) -> None:
    """Print the consequences of the move; with `as_json`, the registry's answer unchanged."""
    if as_json:
        write_json(preview)
        return
    label, version = preview["label"], preview["version"]
    serves = f"version {preview['serves']}" if preview["serves"] else "nothing"
    print_line(f"{preview['template']}: {label} from {serves} to version {version}")
    if preview["requested_by"]:
        print_line(f"  Change {preview['requested_by']} proposes this already.")
    tell_effects(preview)
    print_line("Nothing was stored.")


def tell_roll_back(preview: Any, as_json: bool) -> None:
    """Print the consequences of rolling the label back to the version: who gets it and how the version did.

    A rollback needs no approval, so requests for the label are left out. With `as_json`, prints the registry's answer
    unchanged.
    """
    if as_json:
        write_json(preview)
        return
    label, version = preview["label"], preview["version"]
    print_line(f"{preview['template']}: {label} back from version {preview['serves']} to version {version}")
    if preview["state"] == "equal":
        print_line("  It serves exactly this already: there is nothing to roll back.")
    tell_roll_back_effects(preview)
    print_line("  A reviewer rolls it back at once, without an approval.")
    _tell_undo(preview)
    print_line("Nothing was stored.")


def tell_roll_back_effects(preview: Any) -> None:
    """Print the consequences of rolling one label back, without the move itself."""
    _tell_roll_back(preview)
    _tell_size(preview.get("size"), is_first=False)
    _tell_services(preview)
    _tell_other_labels(preview)
    _tell_evaluation(preview["evaluation"], None)
    _tell_checks(preview.get("checks"))


def tell_effects(preview: Any) -> None:
    """Print the consequences of one move, without the move itself."""
    label = preview["label"]
    if sentence := preview.get("refusal") or _STATES.get(preview["state"]):  # older registries have no refusal
        print_line(f"  {sentence}")
    _tell_roll_back(preview)
    _tell_size(preview.get("size"), is_first=preview["serves"] is None)
    if preview["included"]:
        print_line(f"  Goes live with it: version {', '.join(map(str, preview['included']))}.")
    _tell_services(preview)
    _tell_other_labels(preview)
    _tell_evaluation(preview["evaluation"], preview.get("suggested_run"))
    _tell_checks(preview.get("checks"))
    for change in preview["overlapping"]:
        follows = "is superseded by it" if change["superseded"] else "has to be merged afterwards"
        print_line(f"  Change {change['change']} proposes version {change['version']} for {label} too; it {follows}.")
    if preview["protected"]:
        needed = preview["approvals_needed"]
        owners = f", one of an owner: {', '.join(preview['owners'])}" if preview["owners"] else ""
        print_line(f"  Needs {needed} approval{'' if needed == 1 else 's'}{owners}.")
        for group in preview.get("groups", ()):  # missing from older registries
            print_line(f"  Needs an approval from {group}.")
    _tell_undo(preview)


def _tell_roll_back(preview: Any) -> None:
    """Print a line if the label was rolled back from the version, or a rollout of it was stopped. Older registries
    don't report them.
    """
    if past := preview.get("rolled_back"):
        reason = f": {past['reason']}" if past["reason"] else ""
        print_line(f"  {preview['label']} was rolled back from this version by {past['by']} at {past['at']}{reason}.")
    if stop := preview.get("stopped_rollout"):
        reason = f": {stop['reason'].rstrip('.')}" if stop["reason"] else ""
        share = f"{stop['share'] / 100:g} %"
        print_line(f"  Rollout {stop['number']} of this version was stopped at {share} at {stop['at']}{reason}.")


def _tell_size(size: Any, *, is_first: bool) -> None:
    """Print how much changes. size: from the API; None from an older registry, or if a text was redacted."""
    if size is None:
        return
    facts = [f"{size['lines']} {'line changes' if size['lines'] == 1 else 'lines change'}"]
    if size["tokens"] is not None:
        unit = "token" if abs(size["tokens"]) == 1 else "tokens"
        facts.append(f"{size['tokens']:+d} {unit} on sample {size['sample']}")
    if inputs := size["inputs"]:
        needs = [f"must {'' if is_first else 'also '}send {', '.join(inputs['added'])}"] if inputs["added"] else []
        needs += [f"must send {', '.join(inputs['narrowed'])} differently"] if inputs["narrowed"] else []
        facts.append(f"callers {' and '.join(needs) or 'need to send nothing new'}")
    print_line(f"  {', '.join(facts)}.")


def _tell_services(preview: Any) -> None:
    label = preview["label"]
    if not any(service["moves"] for service in preview["services"]):
        print_line(f"  No service fetched {label} in the last 30 days.")
    else:
        moving = preview["fetches_moving"]
        fetches, verb = ("fetch", "gets") if moving == 1 else ("fetches", "get")
        stay = f"{preview['fetches_staying']:,} {'stays' if preview['fetches_staying'] == 1 else 'stay'}"
        print_line(f"  {moving:,} {fetches} a day {verb} it, {stay}:")
    for service in preview["services"]:
        verb = "gets" if service["moves"] else "stays on"
        rate = f"{service['fetches_per_day']:,} a day"
        print_line(f"    {service['service']} ({service['ref'][:19]}), {rate}: {verb} version {service['gets']}")


def _tell_other_labels(preview: Any) -> None:
    """Print a line for each other label that points to the version already. Older registries don't report it."""
    for other_label in preview.get("served_by", ()):
        print_line(f"  {other_label['name']} serves it already, since {other_label['since']}.")


def _tell_evaluation(evaluation: Any, suggested: Any) -> None:
    """Print the newest run, or else what would evaluate the version. suggested: None from an older registry too."""
    if evaluation is None:
        print_line("  Not evaluated yet.")
        if suggested:
            _tell_suggested_run(suggested)
        return
    rows = evaluation["dataset"] or "samples"
    print_line(f"  Run {evaluation['run']}, {rows}, {evaluation['rows']} rows:")
    for metric in evaluation["metrics"]:
        before, after = _show_figures(metric["before"], metric["after"])
        figures = f"{before} to {after}{_tell_change(metric)}, {metric['reading']}"
        print_line(f"    {metric['metric']} {metric['target']}: {figures} ({_tell_gate(metric)})")
    if count := evaluation["worse_without_gate"]:
        print_line(f"    {count} without a gate {'gets' if count == 1 else 'get'} worse: nothing blocks that.")


def _tell_suggested_run(run: Any) -> None:
    facts = [f"{run['rows']} {'row' if run['rows'] == 1 else 'rows'}"]
    if run["cost"] is None:
        facts.append(f"cost not known: {run['model']} has no price")
    else:
        facts.append(f"about {_format_amount(float(run['cost']))} {run['currency']}")
    if run["seconds"] is not None:
        minutes = max(1, round(run["seconds"] / 60))
        facts.append(f"about {minutes} {'minute' if minutes == 1 else 'minutes'}")
    print_line(f"  A run over {run['dataset']} with {run['model']} evaluates it: {', '.join(facts)}.")


def _format_amount(value: float) -> str:
    """Format money as the pages do: without decimals for whole numbers, else with two."""
    text = f"{value:.2f}"
    return text.removesuffix(".00")


def _tell_checks(checks: Any) -> None:
    """Print a line for each check. checks: from the API; None from an older registry."""
    if checks is None:
        return
    if not checks:
        print_line("  No check was run on it yet; they run once it is proposed.")
        return
    print_line("  Checks:")
    for check in checks:
        state = "not run yet" if check["state"] == "not_run" else check["state"]
        cause = f": {check['summary']}" if check["state"] == "failed" else ""
        print_line(f"    {check['name']} {state}{' (required)' if check['required'] else ''}{cause}")


def _tell_change(metric: Any) -> str:
    """Format the change and its 95 % interval, in brackets; empty if there is nothing to compare with."""
    if metric["difference"] is None:
        return ""
    change = _format_signed(metric["difference"])
    if metric["low"] is None:
        return f" ({change})"
    return f" ({change}, 95 %: {_format_signed(metric['low'])} to {_format_signed(metric['high'])})"


def _tell_gate(metric: Any) -> str:
    if not metric["gate"]:
        return "no gate"
    outcome = {True: ", reached", False: ", not reached"}.get(metric["passes"], "")
    return f"gate {metric['gate']}{outcome}"


def _tell_undo(preview: Any) -> None:
    label, back = preview["label"], preview["undo_version"]
    if preview["undo"] == "roll_back":
        print_line(f"  Undo: a reviewer rolls {label} back to version {back}, without an approval.")
    elif preview["undo"] == "move":
        print_line(f"  Undo: move {label} back to version {back}.")
    elif preview["undo"] == "remove":
        print_line(f"  Undo: remove {label}.")


def tell_ungated_losses(losses: Any) -> None:
    """Print a line for each metric that the change makes worse without a gate. losses: from the API, None if empty."""
    for metric in losses["metrics"] if losses else ():
        before, after = _show_figures(metric["before"], metric["after"])
        print_line(
            f"  Change {losses['change']}: {metric['metric']} {metric['target']} gets worse, {before} to {after} "
            f"(run {losses['run']}), and no gate blocks that."
        )


def _show_figures(*values: float | None) -> list[str]:
    """Format scores as the pages do, with the decimals that show that they differ."""
    decimals = count_decimals(values)
    return ["none" if value is None else f"{value:.{decimals}f}" for value in values]


def _format_signed(value: float) -> str:
    text = f"{abs(value):.{count_change_decimals(value)}f}"
    return text if float(text) == 0 else f"{'+' if value > 0 else '-'}{text}"
