"""The preview of a release's rollback on the terminal, printed by `release rollback --dry-run`."""

from collections.abc import Sequence
from typing import Any

from promptuary.commands.label_preview import tell_roll_back_effects
from promptuary.commands.output import Finding, print_line, write_json

__all__ = ["tell_release_roll_back"]


def tell_release_roll_back(preview: Any, templates: Sequence[str], as_json: bool) -> None:
    """Print where each label would go back to, what blocks it, and who gets it.

    templates: those to show, all if empty. With `as_json`, prints the registry's unchanged answer about all templates.
    """
    by_name = {member["template"]: member for member in preview["members"]}
    if unknown := [name for name in templates if name not in by_name]:
        raise Finding(f"Release {preview['release']} did not publish {unknown[0]}.")
    members = [member for name, member in by_name.items() if not templates or name in templates]
    if as_json:
        write_json(preview)
        return
    print_line(f"release {preview['release']}: {preview['title']} for {preview['label']}")
    for member in members:
        _tell_member(member, preview["label"])
    other_members = members if templates else [member for member in members if not member["rolled_back"]]
    going = [member for member in other_members if not member["blocked_by"]]
    if going:
        _tell_services(going)
    if len(going) < len(other_members):
        advice = ": choose those that can go back with --template" if going else ""
        print_line(f"These would be refused together{advice}.")
    elif going:
        print_line("A reviewer rolls them back at once, all or none, without an approval.")
    else:
        print_line("Nothing is left to roll back.")
    print_line("Nothing was stored.")


def _tell_member(member: Any, label: str) -> None:
    name, serves, version = member["template"], member["serves"], member["version"]
    if member["blocked_by"]:
        print_line(f"{name}: {label} stays on {f'version {serves}' if serves else 'nothing'}. {member['blocked_by']}")
    else:
        print_line(f"{name}: {label} back from version {serves} to version {version}")
        tell_roll_back_effects(member["preview"])
    if member["missing_right"]:
        print_line(f"  {member['missing_right']}")


def _tell_services(members: Sequence[Any]) -> None:
    """Print how many services get another version, and how often they fetch it."""
    previews = [member["preview"] for member in members]
    services = {it["service"] for preview in previews for it in preview["services"] if it["moves"]}
    fetches = sum(preview["fetches_moving"] for preview in previews)
    if services:
        counted = f"{len(services)} {'service' if len(services) == 1 else 'services'}"
        print_line(f"In all {counted}, {fetches:,} {'fetch' if fetches == 1 else 'fetches'} a day.")
