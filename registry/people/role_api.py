"""Setting and removing members' roles by API, and the effects on open requests."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.namespaces.api import MemberOutput
from registry.namespaces.authentication import identify_actor
from registry.people import role_effects
from registry.people.loss_serializers import CONFIRMED, LossesOutput, shape_losses
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.list_responses import read_query
from registry.rest.output_serializers import ProblemOutput

__all__ = ["Member", "MemberInput", "PreviewRole"]


class MemberInput(Input):
    """A role."""

    role = Text(help_text="reader, author, reviewer or admin.")
    confirmed = Text(required=False, default="", help_text=CONFIRMED)


class RoleEffectsOutput(LossesOutput):
    """What open requests, schedules and rollouts lose with another role of a person."""

    person = serializers.CharField()
    role_before = serializers.CharField(help_text="The person's own role now; empty for none.")
    folders = serializers.ListField(
        child=serializers.CharField(), help_text="Folders where the person's role ends with the one in the namespace."
    )


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
        effects = role_effects.find_role_effects(identify_actor(request), namespace, person, role)
        facts = {"person": effects.username, "role_before": effects.role_before, "folders": list(effects.folders)}
        return Response({**facts, **shape_losses(effects.losses, effects.sentences, effects.seal)})


class Member(APIView):
    """One person's membership."""

    @extend_schema(
        operation_id="setRole",
        request=MemberInput,
        responses={200: MemberOutput, "4XX": ProblemOutput},
    )
    def put(self, request: Request, namespace: str, person: str) -> Response:
        """Set a person's role. For admins, not by key; the last admin stays one. Where open requests lose something by
        it, 409 names that and its `seal`; with it as `confirmed` the role is set.
        """
        data = read_body(MemberInput, request)
        member, _ = role_effects.set_role(actor=identify_actor(request), namespace=namespace, username=person, **data)
        role = data["role"]
        folders = member.folder_roles if member else {}
        facts = {"person": person, "role": member.role if member else role, "own_role": role, "folder_roles": folders}
        return Response(facts)

    @extend_schema(
        operation_id="removeMember",
        request=None,
        parameters=[OpenApiParameter("confirmed", str, description=CONFIRMED)],
        responses={204: None, "4XX": ProblemOutput},
    )
    def delete(self, request: Request, namespace: str, person: str) -> Response:
        """Remove the role that was given to the person, and with it their roles in folders and what their keys may
        do by it. For admins, not by key. Whom a group gives a role stays a member. Where open requests or folders lose
        something by it, 409 names that, as for another role.
        """
        confirmed = read_query(request, "confirmed").get("confirmed", "")
        role_effects.set_role(
            actor=identify_actor(request), namespace=namespace, username=person, role=None, confirmed=confirmed
        )
        return Response(status=204)
