"""Giving and removing the roles of members by API, and what open requests would lose by it."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.changes import role_effects
from registry.namespaces.api import MemberOutput
from registry.namespaces.authentication import actor_of
from registry.rest.input_serializers import Input, Text, read
from registry.rest.list_responses import read_query
from registry.rest.output_serializers import Output, ProblemOutput

__all__ = ["Member", "MemberInput", "PreviewRole"]

_CONFIRMED = "The `seal` of the losses that you read; only needed where something is lost."


class MemberInput(Input):
    """A role."""

    role = Text(help_text="reader, author, reviewer or admin.")
    confirmed = Text(required=False, default="", help_text=_CONFIRMED)


class RoleEffectsOutput(Output):
    """What open requests lose with another role of a person."""

    person = serializers.CharField(source="username")
    role_before = serializers.CharField(help_text="The person's own role now; empty for none.")
    approvals = serializers.ListField(
        child=serializers.IntegerField(), help_text="Open changes where the person's approval won't count any more."
    )
    objections = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Open changes that the person asked for edits of; that won't block.",
    )
    without_approvers = serializers.ListField(
        child=serializers.IntegerField(), help_text="Open changes that too few people could approve."
    )
    folders = serializers.ListField(
        child=serializers.CharField(), help_text="Folders where the person's role ends with the one in the namespace."
    )
    losses = serializers.ListField(
        child=serializers.CharField(), source="sentences", help_text="The same as sentences; empty: nothing is lost."
    )
    seal = serializers.CharField(help_text="Sent back as `confirmed`. Another one where anything changed.")


class PreviewRole(APIView):
    """What follows from another role of a person."""

    @extend_schema(
        operation_id="previewRole",
        parameters=[OpenApiParameter("role", str, description="The new role; without it the member is removed.")],
        responses={200: RoleEffectsOutput, "4XX": ProblemOutput},
    )
    def get(self, request: Request, namespace: str, person: str) -> Response:
        """What open requests lose if the person gets this role, or is removed. Nothing is stored. For admins, not by
        key.
        """
        role = read_query(request, "role").get("role") or None
        return Response(
            RoleEffectsOutput.of(role_effects.find_role_effects(actor_of(request), namespace, person, role))
        )


class Member(APIView):
    """One person's membership."""

    @extend_schema(
        operation_id="setRole",
        request=MemberInput,
        responses={200: MemberOutput, "4XX": ProblemOutput},
    )
    def put(self, request: Request, namespace: str, person: str) -> Response:
        """Give a role. For admins, not by key; the last admin stays one. Where open requests lose something by it, 409
        names that and its `seal`; with it as `confirmed` the role is set.
        """
        given = read(MemberInput, request)
        member, _ = role_effects.set_role(actor=actor_of(request), namespace=namespace, username=person, **given)
        role = given["role"]
        folders = member.folder_roles if member else {}
        facts = {"person": person, "role": member.role if member else role, "own_role": role, "folder_roles": folders}
        return Response(facts)

    @extend_schema(
        operation_id="removeMember",
        request=None,
        parameters=[OpenApiParameter("confirmed", str, description=_CONFIRMED)],
        responses={204: None, "4XX": ProblemOutput},
    )
    def delete(self, request: Request, namespace: str, person: str) -> Response:
        """Take the role away that was given to the person, and with it their roles in folders and what their keys may
        do by it. For admins, not by key. Whom a group gives a role stays a member. Where open requests or folders lose
        something by it, 409 names that, as for another role.
        """
        confirmed = read_query(request, "confirmed").get("confirmed", "")
        role_effects.set_role(
            actor=actor_of(request), namespace=namespace, username=person, role=None, confirmed=confirmed
        )
        return Response(status=204)
