"""Groups of a namespace: listing, creating, changing and removing them, and their members."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.idempotency.views import IdempotentView
from registry.namespaces import group_queries, groups
from registry.namespaces.authentication import identify_actor
from registry.namespaces.models import Group
from registry.people import group_access
from registry.people.loss_serializers import CONFIRMED, LossesOutput, shape_losses
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.list_responses import read_query
from registry.rest.output_serializers import Output, ProblemOutput

__all__ = ["GroupPerson", "Groups", "OneGroup", "PreviewGroup", "PreviewLeaving"]

_CONFIRMED = OpenApiParameter("confirmed", str, description=CONFIRMED)


class GroupInput(Input):
    """A new group."""

    title = Text(help_text="What people read, as in Legal: 1 to 80 characters.")
    name = Text(
        required=False, default="", help_text="What rules and addresses call it; made of the title where it is absent."
    )
    role = Text(required=False, default="", help_text="What each of its people is; empty for nothing.")


class GroupChange(Input):
    """What is different now; what is absent or null stays."""

    title = Text(required=False, allow_null=True)
    role = Text(required=False, allow_null=True, help_text="Empty takes the role away.")
    confirmed = Text(required=False, default="", help_text=CONFIRMED)


class GroupOutput(Output):
    """A group and who is in it."""

    name = serializers.CharField()
    title = serializers.CharField()
    role = serializers.CharField(help_text="What each of its people is in the namespace; empty for nothing.")
    people = serializers.SerializerMethodField(help_text="Usernames.")

    def get_people(self, group: Group) -> list[str]:
        """The usernames, sorted."""
        return sorted(member.person.username for member in group.members.all())


class GroupList(Output):
    """Groups by title."""

    results = GroupOutput(many=True)


class Groups(IdempotentView):
    """The groups of a namespace."""

    @extend_schema(operation_id="listGroups", responses={200: GroupList, "4XX": ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """List the groups with their people. For members."""
        rows = group_queries.list_groups(identify_actor(request), namespace)
        return Response({"results": [GroupOutput.of(row) for row in rows]})

    @extend_schema(operation_id="createGroup", request=GroupInput, responses={201: GroupOutput, "4XX": ProblemOutput})
    def post(self, request: Request, namespace: str) -> Response:
        """Create a group without people. For admins, not by key."""
        group = groups.make_group(actor=identify_actor(request), namespace=namespace, **read_body(GroupInput, request))
        return Response(GroupOutput.of(group), 201)


class OneGroup(APIView):
    """One group."""

    @extend_schema(operation_id="getGroup", responses={200: GroupOutput, "4XX": ProblemOutput})
    def get(self, request: Request, namespace: str, group: str) -> Response:
        """Read a group with its people. For members."""
        return Response(GroupOutput.of(group_queries.find_group(identify_actor(request), namespace, group)))

    @extend_schema(operation_id="changeGroup", request=GroupChange, responses={200: GroupOutput, "4XX": ProblemOutput})
    def patch(self, request: Request, namespace: str, group: str) -> Response:
        """Change a group's title or role. For admins, not by key. Where open requests or rollouts lose something by it,
        409 names that and its `seal`; with it as `confirmed` it is done.
        """
        fields = read_body(GroupChange, request)
        row = group_access.change_group(actor=identify_actor(request), namespace=namespace, name=group, **fields)
        return Response(GroupOutput.of(row))

    @extend_schema(
        operation_id="removeGroup", request=None, parameters=[_CONFIRMED], responses={204: None, "4XX": ProblemOutput}
    )
    def delete(self, request: Request, namespace: str, group: str) -> Response:
        """Remove a group, and with it the roles that only it gave. For admins, not by key; refused while a rule names
        it. Where something is lost by it, 409 names that, as for another role.
        """
        confirmed = read_query(request, "confirmed").get("confirmed", "")
        group_access.remove_group(actor=identify_actor(request), namespace=namespace, name=group, confirmed=confirmed)
        return Response(status=204)


class PreviewGroup(APIView):
    """What follows from another role of a group, or from its removal."""

    @extend_schema(
        operation_id="previewGroup",
        parameters=[
            OpenApiParameter("role", str, description="The new role, or none; without it the group is removed.")
        ],
        responses={200: LossesOutput, "4XX": ProblemOutput},
    )
    def get(self, request: Request, namespace: str, group: str) -> Response:
        """What open requests, schedules and rollouts lose if the group gets this role, or is removed. Nothing is
        stored. For admins, not by key.
        """
        role = read_query(request, "role").get("role")
        losses = group_access.preview_group(identify_actor(request), namespace, group, "" if role == "none" else role)
        return Response(shape_losses(losses, losses.sentences, losses.seal))


class PreviewLeaving(APIView):
    """What follows if a person leaves a group."""

    @extend_schema(operation_id="previewRemovalFromGroup", responses={200: LossesOutput, "4XX": ProblemOutput})
    def get(self, request: Request, namespace: str, group: str, person: str) -> Response:
        """What open requests, schedules and rollouts lose if the person is removed from the group. Nothing is stored.
        For admins, not by key.
        """
        losses = group_access.preview_leaving(identify_actor(request), namespace, group, person)
        return Response(shape_losses(losses, losses.sentences, losses.seal))


class GroupPerson(APIView):
    """One person in a group."""

    @extend_schema(operation_id="addToGroup", request=None, responses={200: GroupOutput, "4XX": ProblemOutput})
    def put(self, request: Request, namespace: str, group: str, person: str) -> Response:
        """Add a person to a group. For admins, not by key."""
        row = groups.add_to_group(actor=identify_actor(request), namespace=namespace, name=group, username=person)
        return Response(GroupOutput.of(row))

    @extend_schema(
        operation_id="removeFromGroup",
        request=None,
        parameters=[_CONFIRMED],
        responses={204: None, "4XX": ProblemOutput},
    )
    def delete(self, request: Request, namespace: str, group: str, person: str) -> Response:
        """Remove a person from a group, with immediate effect. For admins, not by key. Where something is lost by it,
        409 names that, as for another role.
        """
        confirmed = read_query(request, "confirmed").get("confirmed", "")
        group_access.remove_from_group(
            actor=identify_actor(request), namespace=namespace, name=group, username=person, confirmed=confirmed
        )
        return Response(status=204)
