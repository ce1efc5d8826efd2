"""The field `expected` of calls about a release: what the caller saw of its templates."""

from typing import Any

from rest_framework import serializers

from registry.releases.moved_members import MemberVersions
from registry.rest.input_serializers import Input, Integer

__all__ = ["ExpectedMembers", "read_expected_members"]


class SeenMemberInput(Input):
    """A template as the caller saw it."""

    version = Integer(min_value=0, help_text="The version that its label would be moved to.")
    serves = Integer(min_value=0, help_text="The version that its label serves, 0 for none.")


class ExpectedMembers(serializers.DictField):
    """What the caller saw, by template name; omitted if they didn't look."""

    def __init__(self, **options: Any) -> None:
        # no text: for the schema
        sentence = "By template name, as you saw it: 409 where one of them changed since. null: any."
        more = {"required": False, "allow_null": True, "default": None, "help_text": sentence, **options}
        super().__init__(child=SeenMemberInput(), **more)


def read_expected_members(body: dict[str, Any]) -> MemberVersions | None:
    """Convert the field of a validated body to the argument of services."""
    expected = body.get("expected")
    if expected is None:
        return None
    return {name: (member["version"], member["serves"]) for name, member in expected.items()}
