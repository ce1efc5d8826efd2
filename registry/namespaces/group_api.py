"""Groups of a namespace: listing, making, changing and removing them, and who is in them."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.idempotency.views import IdempotentView
from registry.namespaces import group_queries, groups
from registry.namespaces.authentication import actor_of
from registry.namespaces.models import Group
from registry.rest.input_serializers import Input, Text, read
from registry.rest.output_serializers import Output, ProblemOutput

__all__ = ["GroupPerson", "Groups", "OneGroup"]


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
        """Every group with its people. For members."""
        rows = group_queries.list_groups(actor_of(request), namespace)
        return Response({"results": [GroupOutput.of(row) for row in rows]})

    @extend_schema(operation_id="createGroup", request=GroupInput, responses={201: GroupOutput, "4XX": ProblemOutput})
    def post(self, request: Request, namespace: str) -> Response:
        """Make a group without people. For admins, not by key."""
        group = groups.make_group(actor=actor_of(request), namespace=namespace, **read(GroupInput, request))
        return Response(GroupOutput.of(group), 201)


class OneGroup(APIView):
    """One group."""

    @extend_schema(operation_id="getGroup", responses={200: GroupOutput, "4XX": ProblemOutput})
    def get(self, request: Request, namespace: str, group: str) -> Response:
        """The group with its people. For members."""
        return Response(GroupOutput.of(group_queries.find_group(actor_of(request), namespace, group)))

    @extend_schema(operation_id="changeGroup", request=GroupChange, responses={200: GroupOutput, "4XX": ProblemOutput})
    def patch(self, request: Request, namespace: str, group: str) -> Response:
        """Give it another title or role. For admins, not by key."""
        fields = read(GroupChange, request)
        row = groups.change_group(actor=actor_of(request), namespace=namespace, name=group, **fields)
        return Response(GroupOutput.of(row))

    @extend_schema(operation_id="removeGroup", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, namespace: str, group: str) -> Response:
        """Remove it, and with it the role that only it gave. For admins, not by key; refused while a rule names it."""
        groups.remove_group(actor=actor_of(request), namespace=namespace, name=group)
        return Response(status=204)


class GroupPerson(APIView):
    """One person in a group."""

    @extend_schema(operation_id="addToGroup", request=None, responses={200: GroupOutput, "4XX": ProblemOutput})
    def put(self, request: Request, namespace: str, group: str, person: str) -> Response:
        """Put a person into it. For admins, not by key."""
        row = groups.add_to_group(actor=actor_of(request), namespace=namespace, name=group, username=person)
        return Response(GroupOutput.of(row))

    @extend_schema(operation_id="removeFromGroup", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, namespace: str, group: str, person: str) -> Response:
        """Take a person out of it, with effect at once. For admins, not by key."""
        groups.remove_from_group(actor=actor_of(request), namespace=namespace, name=group, username=person)
        return Response(status=204)
