"""Names of namespaces, templates and labels, and callers' refs. Names that pass these checks are safe as Git paths."""

from dataclasses import dataclass

from django.utils.translation import gettext

from promptuary.renderer.names import DIGEST, LABEL, MAX_SEGMENTS, NUMBER, SEGMENT
from registry.core.errors import Invalid
from registry.core.input_checks import check_text

__all__ = [
    "LABEL",
    "LATEST",
    "MAX_DRAFT_NAME_LENGTH",
    "Ref",
    "check_draft_name",
    "check_folder",
    "check_label",
    "check_namespace",
    "check_slug",
    "check_template",
    "is_in_folder",
    "parse_ref",
    "split_address",
]

LATEST = "latest"
_FIRST_DRAFT = "Draft"  # how pages call the unnamed draft
MAX_DRAFT_NAME_LENGTH = 60
_DEVICES = {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))}


@dataclass(frozen=True)
class Ref:
    """A caller's reference: exactly one of number, digest and label is set."""

    number: int | None = None
    digest: str | None = None
    label: str | None = None


def check_draft_name(name: str) -> str:
    """Normalize a draft's name to single spaces; empty for the first draft. Raises Invalid for an invalid name."""
    name = " ".join(check_text("draft", name, 4 * MAX_DRAFT_NAME_LENGTH).split())
    if len(name) > MAX_DRAFT_NAME_LENGTH or not name.isprintable():
        words = gettext("a name of 1 to {most} characters, in one line.")
        raise Invalid(fields={"draft": words.format(most=MAX_DRAFT_NAME_LENGTH)})
    if name.casefold() == _FIRST_DRAFT.casefold():
        words = gettext("{name} is the draft without a name: choose another name.")
        raise Invalid(fields={"draft": words.format(name=_FIRST_DRAFT)})
    return name


def check_namespace(name: str) -> str:
    """Return the name if it is a slug, else raise Invalid."""
    if sentence := _find_fault_of_segment(name):
        raise Invalid(fields={"namespace": sentence})
    return name


def check_slug(field: str, name: str) -> str:
    """Return the name if it is a slug, else raise Invalid for `field`."""
    if sentence := _find_fault_of_segment(name):
        raise Invalid(fields={field: sentence})
    return name


def check_template(name: str) -> tuple[str, str]:
    """Split a full name into namespace and path, such as `support/refunds/reply`."""
    segments = name.split("/")
    if len(segments) < 2:
        raise Invalid(
            fields={"name": gettext("{name!r} needs a namespace in front: namespace/name.").format(name=name)}
        )
    if len(segments) > MAX_SEGMENTS:
        raise Invalid(
            fields={
                "name": gettext("at most {most_segments} segments, the namespace included; this has {count}.").format(
                    most_segments=MAX_SEGMENTS, count=len(segments)
                )
            }
        )
    for segment in segments:
        if sentence := _find_fault_of_segment(segment):
            raise Invalid(fields={"name": sentence})
    return segments[0], "/".join(segments[1:])


def check_folder(name: str) -> str:
    """Return the full name of a folder, such as `support/refunds`, if it is valid; a namespace alone is one too."""
    segments = name.split("/")
    if len(segments) > MAX_SEGMENTS:
        raise Invalid(
            fields={
                "folder": gettext("at most {most_segments} segments; this has {count}.").format(
                    most_segments=MAX_SEGMENTS, count=len(segments)
                )
            }
        )
    for segment in segments:
        check_slug("folder", segment)
    return name


def is_in_folder(path: str, folder: str) -> bool:
    """Whether the path is in the folder or below it; an empty folder is the whole namespace."""
    return not folder or path.startswith(f"{folder}/")


def check_label(label: str) -> str:
    """Return the label if it can be set by hand, else raise Invalid."""
    if label == LATEST:
        raise Invalid(fields={"label": gettext("latest can't be set: it is always the highest number.")})
    if not LABEL.fullmatch(label):
        raise Invalid(
            fields={
                "label": gettext(
                    "a label is a small letter, then at most 35 of lower-case letters, digits, '.', '_' and '-'."
                )
            }
        )
    return label


def parse_ref(text: str) -> Ref:
    """Parse a number, a digest or a label."""
    if NUMBER.fullmatch(text):
        return Ref(number=int(text))
    if DIGEST.fullmatch(text):
        return Ref(digest=text)
    if LABEL.fullmatch(text):
        return Ref(label=text)
    raise Invalid(
        fields={
            "ref": gettext("{value!r} is not a version number, a digest (sha256:…) or a label.").format(value=text[:80])
        }
    )


def split_address(address: str) -> tuple[str, str]:
    """Split an address such as `support/policy@3` into name and ref."""
    name, at, ref = address.partition("@")
    if not at:
        raise Invalid(
            fields={"ref": gettext("{value!r} names no version: write name@number.").format(value=address[:200])}
        )
    check_template(name)
    return name, ref


def _find_fault_of_segment(segment: str) -> str:
    if not SEGMENT.fullmatch(segment):
        return (
            gettext(
                "{value!r}: use at most 64 lower-case letters, digits and hyphens, like late-parcel-apology."
            ).format(value=segment[:80])
            if segment
            else gettext("a segment is empty.")
        )
    if segment in _DEVICES:
        return gettext("{segment!r} is a device name on Windows, so no clone there could have it.").format(
            segment=segment
        )
    return ""
