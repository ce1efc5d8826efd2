"""The paths and refs of the Git mirror, built from checked segments, so that user input can't shape them."""

import re

from registry.core import names
from registry.journal.mirroring import MirrorError

__all__ = [
    "LABELS",
    "MAIN",
    "check_path",
    "is_label_branch",
    "locate_archive_mark",
    "locate_attachment",
    "locate_bundle",
    "locate_change_step",
    "locate_connection",
    "locate_dataset",
    "locate_dataset_archive_mark",
    "locate_dataset_facts",
    "locate_document",
    "locate_folder_role",
    "locate_former_name",
    "locate_freeze",
    "locate_group",
    "locate_group_member",
    "locate_key",
    "locate_key_addresses",
    "locate_label",
    "locate_member",
    "locate_namespace",
    "locate_other_event",
    "locate_redaction",
    "locate_release_step",
    "locate_rules",
    "locate_samples",
    "locate_spending_cap",
    "locate_verdict",
    "name_branch",
]

MAIN = "refs/heads/main"
LABELS = "refs/heads/label/"
_PATH = re.compile(r"\.?[a-z0-9%][a-z0-9%._-]*(?:/[a-z0-9%][a-z0-9%._-]*)*", re.ASCII)
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
_MAX_FILE_NAME_LENGTH = 200  # bytes; every file system in use allows 255


def _escape(text: str) -> str:
    """Encode any text as a file name that no file system folds or refuses; distinct texts have distinct names."""
    escaped = "".join(
        character if character in "abcdefghijklmnopqrstuvwxyz0123456789-_" else _percent_encode(character)
        for character in text
    )
    if escaped in _DEVICES or escaped.startswith(("-", "_")):
        escaped = _percent_encode(escaped[0]) + escaped[1:]
    if not escaped or len(escaped) > _MAX_FILE_NAME_LENGTH:
        raise MirrorError(f"{text[:40]!r} can't be a file name: it is empty or too long.")
    return escaped


def _percent_encode(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in character.encode())


def locate_document(template: str) -> str:
    """The file of a template's newest document."""
    namespace_name, path = names.check_template(template)
    return f"{namespace_name}/{path}.yml.j2"


def locate_samples(template: str) -> str:
    """The file of a template's samples, next to the document."""
    namespace_name, path = names.check_template(template)
    return f"{namespace_name}/{path}.samples.yml"


def locate_dataset_archive_mark(name: str) -> str:
    """The file that exists while a dataset is archived."""
    namespace_name, path = names.check_template(name)
    return f".promptuary/{namespace_name}/archived-datasets/{path}.yml"


def locate_dataset(name: str) -> str:
    """The file of a dataset's newest rows, among the templates: its ending keeps it apart from one of the same name."""
    namespace_name, path = names.check_template(name)
    return f"{namespace_name}/{path}.dataset.jsonl"


def locate_dataset_facts(name: str) -> str:
    """The file of a dataset's newest version's metadata: number, digest, message."""
    namespace_name, path = names.check_template(name)
    return f".promptuary/{namespace_name}/datasets/{path}.yml"


def locate_attachment(namespace_name: str, name: str) -> str:
    """The file of one evaluation that change requests have to pass."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/evaluations/{_escape(name)}.yml"


def locate_bundle(template: str) -> str:
    """The file of everything else frozen in the newest version: number, digest, fragments, profile."""
    namespace_name, path = names.check_template(template)
    return f".promptuary/{namespace_name}/versions/{path}.yml"


def locate_redaction(template: str, version: int) -> str:
    """The file that says when, by whom and why a version's text was removed."""
    namespace_name, path = names.check_template(template)
    return f".promptuary/{namespace_name}/redacted/{path}/{version}.yml"


def locate_archive_mark(template: str) -> str:
    """The file that exists while a template is archived."""
    namespace_name, path = names.check_template(template)
    return f".promptuary/{namespace_name}/archived/{path}.yml"


def locate_former_name(name: str) -> str:
    """The file that says which template a former name redirects to."""
    namespace_name, path = names.check_template(name)
    return f".promptuary/{namespace_name}/former-names/{path}.yml"


def locate_label(template: str, name: str) -> str:
    """The file of one label of one template. Folders have no dot, so a label and a folder never collide."""
    namespace_name, path = names.check_template(template)
    return f".promptuary/{namespace_name}/labels/{path}/{_escape(names.check_label(name))}.yml"


def locate_change_step(namespace_name: str, number: int, event: int, step: str) -> str:
    """The file of one step (proposal, decision, comment, ...) of a change request."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/changes/{number}/{event:08d}-{_escape(step)}.yml"


def locate_release_step(namespace_name: str, number: int, event: int, step: str) -> str:
    """The file of one step (opening, publishing, comment, ...) of a release."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/releases/{number}/{event:08d}-{_escape(step)}.yml"


def locate_freeze(namespace_name: str, number: int) -> str:
    """The file of one freeze."""
    return f".promptuary/{names.check_namespace(namespace_name)}/freezes/{number}.yml"


def locate_verdict(template: str, event: int, check: str) -> str:
    """The file of one check's verdict on one version."""
    namespace_name, path = names.check_template(template)
    return f".promptuary/{namespace_name}/verdicts/{path}/{event:08d}-{_escape(check)}.yml"


def locate_namespace(name: str) -> str:
    """The file that says when and by whom a namespace was created."""
    return f".promptuary/{names.check_namespace(name)}/namespace.yml"


def locate_rules(namespace_name: str) -> str:
    """The file of a namespace's rules: protected labels and their requirements."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/rules.yml"


def locate_member(namespace_name: str, username: str) -> str:
    """The file of one member and the role."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/members/{_escape(username)}.yml"


def locate_folder_role(namespace_name: str, folder: str, *, person: str | None, group: str | None) -> str:
    """The file of the role that a person or a group has in a folder of the namespace."""
    checked = names.check_folder(f"{namespace_name}/{folder}").partition("/")[2]
    holder = f"people/{_escape(person)}" if person else f"groups/{_escape(group or '')}"
    return f".promptuary/{names.check_namespace(namespace_name)}/folder-roles/{holder}/{checked}.yml"


def locate_group(namespace_name: str, name: str) -> str:
    """The file of one group: its title and role."""
    return f".promptuary/{names.check_namespace(namespace_name)}/groups/{_escape(name)}/group.yml"


def locate_group_member(namespace_name: str, name: str, username: str) -> str:
    """The file of one person in a group."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/groups/{_escape(name)}/members/{_escape(username)}.yml"


def locate_key(namespace_name: str, identifier: str) -> str:
    """The file of one API key: its owner and rights, never its secret."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/keys/{_escape(identifier)}.yml"


def locate_key_addresses(namespace_name: str, key_id: str) -> str:
    """The file of a key's allowed networks, if they were set after it was issued."""
    return f".promptuary/{names.check_namespace(namespace_name)}/keys/{_escape(key_id)}.addresses.yml"


def locate_invitation(namespace_name: str, identifier: str) -> str:
    """The file of one open invitation, without its address and its secret."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/invitations/{_escape(identifier)}.yml"


def locate_webhook(namespace_name: str, identifier: str) -> str:
    """The file of one webhook: its kinds of events, and only the host of its address."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/webhooks/{_escape(identifier)}.yml"


def locate_connection(namespace_name: str, identifier: str) -> str:
    """The file of one connection to a model, without its key."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/connections/{_escape(identifier)}.yml"


def locate_spending_cap(namespace_name: str) -> str:
    """The file of a namespace's spending cap for model calls."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/spending.yml"


def locate_other_event(namespace_name: str, kind: str, event: int) -> str:
    """The file of an event without a dedicated path."""
    folder = names.check_namespace(namespace_name) if namespace_name else "instance"
    return f".promptuary/{folder}/events/{event:08d}-{_escape(kind)}.yml"


def name_branch(label_name: str) -> str:
    """The ref with exactly what a label serves. `%` escapes what Git forbids in a ref; labels never contain it."""
    name = names.check_label(label_name).replace("..", ".%2e")
    if name.endswith((".", ".lock")):
        name = "%2e".join(name.rsplit(".", 1))
    return LABELS + name


def is_label_branch(ref: str) -> bool:
    """Whether a ref is one that `name_branch` can return."""
    return ref.startswith(LABELS)


def check_path(path: str) -> str:
    """Return the path if fast-import accepts it unquoted, else raise MirrorError. Only a last safeguard."""
    top = path.split("/", 1)[0]
    if not _PATH.fullmatch(path) or (top.startswith(".") and top != ".promptuary"):
        raise MirrorError(f"{path[:80]!r} can't be a path of the mirror.")
    return path
