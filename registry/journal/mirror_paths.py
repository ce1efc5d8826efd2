"""The paths and refs of the Git mirror, built from checked segments, so that user input can't shape them."""

import re

from registry.core import names
from registry.journal.mirroring import MirrorError

__all__ = [
    "LABELS",
    "MAIN",
    "archived",
    "archived_dataset",
    "attachment",
    "branch",
    "bundle",
    "change",
    "check_path",
    "connection",
    "dataset",
    "dataset_facts",
    "document",
    "folder_role",
    "former_name",
    "freeze",
    "group",
    "group_member",
    "is_label_branch",
    "key",
    "key_addresses",
    "label",
    "member",
    "namespace",
    "other",
    "redacted",
    "release",
    "rules",
    "samples",
    "spending_cap",
    "verdict",
]

MAIN = "refs/heads/main"
LABELS = "refs/heads/label/"
_PATH = re.compile(r"\.?[a-z0-9%][a-z0-9%._-]*(?:/[a-z0-9%][a-z0-9%._-]*)*", re.ASCII)
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
_LONGEST_FILE_NAME = 200  # bytes; every file system in use allows 255


def _escape(text: str) -> str:
    """Encode any text as a file name that no file system folds or refuses; distinct texts have distinct names."""
    escaped = "".join(
        character if character in "abcdefghijklmnopqrstuvwxyz0123456789-_" else _percent_encode(character)
        for character in text
    )
    if escaped in _DEVICES or escaped.startswith(("-", "_")):
        escaped = _percent_encode(escaped[0]) + escaped[1:]
    if not escaped or len(escaped) > _LONGEST_FILE_NAME:
        raise MirrorError(f"{text[:40]!r} can't be a file name: it is empty or too long.")
    return escaped


def _percent_encode(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in character.encode())


def document(template: str) -> str:
    """The file of a template's newest document."""
    namespace_name, rest = names.check_template(template)
    return f"{namespace_name}/{rest}.yml.j2"


def samples(template: str) -> str:
    """The file of a template's samples, next to the document."""
    namespace_name, rest = names.check_template(template)
    return f"{namespace_name}/{rest}.samples.yml"


def archived_dataset(name: str) -> str:
    """The file that exists while a dataset is archived."""
    namespace_name, rest = names.check_template(name)
    return f".promptuary/{namespace_name}/archived-datasets/{rest}.yml"


def dataset(name: str) -> str:
    """The file of a dataset's newest rows, among the templates: its ending keeps it apart from one of the same name."""
    namespace_name, rest = names.check_template(name)
    return f"{namespace_name}/{rest}.dataset.jsonl"


def dataset_facts(name: str) -> str:
    """The file of a dataset's newest version's metadata: number, digest, message."""
    namespace_name, rest = names.check_template(name)
    return f".promptuary/{namespace_name}/datasets/{rest}.yml"


def attachment(namespace_name: str, name: str) -> str:
    """The file of one evaluation that change requests have to pass."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/evaluations/{_escape(name)}.yml"


def bundle(template: str) -> str:
    """The file of everything else frozen in the newest version: number, digest, fragments, profile."""
    namespace_name, rest = names.check_template(template)
    return f".promptuary/{namespace_name}/versions/{rest}.yml"


def redacted(template: str, version: int) -> str:
    """The file that says when, by whom and why a version's text was removed."""
    namespace_name, rest = names.check_template(template)
    return f".promptuary/{namespace_name}/redacted/{rest}/{version}.yml"


def archived(template: str) -> str:
    """The file that exists while a template is archived."""
    namespace_name, rest = names.check_template(template)
    return f".promptuary/{namespace_name}/archived/{rest}.yml"


def former_name(name: str) -> str:
    """The file that says which template a former name redirects to."""
    namespace_name, rest = names.check_template(name)
    return f".promptuary/{namespace_name}/former-names/{rest}.yml"


def label(template: str, name: str) -> str:
    """The file of one label of one template. Folders have no dot, so a label and a folder never collide."""
    namespace_name, rest = names.check_template(template)
    return f".promptuary/{namespace_name}/labels/{rest}/{_escape(names.check_label(name))}.yml"


def change(namespace_name: str, number: int, event: int, step: str) -> str:
    """The file of one step (proposal, decision, comment, ...) of a change request."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/changes/{number}/{event:08d}-{_escape(step)}.yml"


def release(namespace_name: str, number: int, event: int, step: str) -> str:
    """The file of one step (opening, publishing, comment, ...) of a release."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/releases/{number}/{event:08d}-{_escape(step)}.yml"


def freeze(namespace_name: str, number: int) -> str:
    """The file of one freeze."""
    return f".promptuary/{names.check_namespace(namespace_name)}/freezes/{number}.yml"


def verdict(template: str, event: int, check: str) -> str:
    """The file of one check's verdict on one version."""
    namespace_name, rest = names.check_template(template)
    return f".promptuary/{namespace_name}/verdicts/{rest}/{event:08d}-{_escape(check)}.yml"


def namespace(name: str) -> str:
    """The file that says when and by whom a namespace was created."""
    return f".promptuary/{names.check_namespace(name)}/namespace.yml"


def rules(namespace_name: str) -> str:
    """The file of a namespace's rules: protected labels and their requirements."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/rules.yml"


def member(namespace_name: str, username: str) -> str:
    """The file of one member and the role."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/members/{_escape(username)}.yml"


def folder_role(namespace_name: str, folder: str, *, person: str | None, group: str | None) -> str:
    """The file of the role that a person or a group has in a folder of the namespace."""
    checked = names.check_folder(f"{namespace_name}/{folder}").partition("/")[2]
    holder = f"people/{_escape(person)}" if person else f"groups/{_escape(group or '')}"
    return f".promptuary/{names.check_namespace(namespace_name)}/folder-roles/{holder}/{checked}.yml"


def group(namespace_name: str, name: str) -> str:
    """The file of one group: its title and role."""
    return f".promptuary/{names.check_namespace(namespace_name)}/groups/{_escape(name)}/group.yml"


def group_member(namespace_name: str, name: str, username: str) -> str:
    """The file of one person in a group."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/groups/{_escape(name)}/members/{_escape(username)}.yml"


def key(namespace_name: str, identifier: str) -> str:
    """The file of one API key: its owner and rights, never its secret."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/keys/{_escape(identifier)}.yml"


def key_addresses(namespace_name: str, key_id: str) -> str:
    """The file of a key's allowed networks, if they were set after it was issued."""
    return f".promptuary/{names.check_namespace(namespace_name)}/keys/{_escape(key_id)}.addresses.yml"


def invitation(namespace_name: str, identifier: str) -> str:
    """The file of one open invitation, without its address and its secret."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/invitations/{_escape(identifier)}.yml"


def webhook(namespace_name: str, identifier: str) -> str:
    """The file of one webhook: its kinds of events, and only the host of its address."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/webhooks/{_escape(identifier)}.yml"


def connection(namespace_name: str, identifier: str) -> str:
    """The file of one connection to a model, without its key."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/connections/{_escape(identifier)}.yml"


def spending_cap(namespace_name: str) -> str:
    """The file of a namespace's spending cap for model calls."""
    checked = names.check_namespace(namespace_name)
    return f".promptuary/{checked}/spending.yml"


def other(namespace_name: str, kind: str, event: int) -> str:
    """The file of an event without a dedicated path."""
    folder = names.check_namespace(namespace_name) if namespace_name else "instance"
    return f".promptuary/{folder}/events/{event:08d}-{_escape(kind)}.yml"


def branch(label_name: str) -> str:
    """The ref with exactly what a label serves. `%` escapes what Git forbids in a ref; labels never contain it."""
    name = names.check_label(label_name).replace("..", ".%2e")
    if name.endswith((".", ".lock")):
        name = "%2e".join(name.rsplit(".", 1))
    return LABELS + name


def is_label_branch(ref: str) -> bool:
    """Whether a ref is one that `branch` can return."""
    return ref.startswith(LABELS)


def check_path(path: str) -> str:
    """Return the path if fast-import accepts it unquoted, else raise MirrorError. Only a last safeguard."""
    top = path.split("/", 1)[0]
    if not _PATH.fullmatch(path) or (top.startswith(".") and top != ".promptuary"):
        raise MirrorError(f"{path[:80]!r} can't be a path of the mirror.")
    return path
