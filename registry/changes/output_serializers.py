"""The answers about reviews as the schema describes them: changes, threads, merges, dependants."""

from rest_framework import serializers

from registry.rest.output_serializers import Output

__all__ = [
    "ChangeItem",
    "ChangeOutput",
    "ChangePage",
    "DependantList",
    "MergeOutput",
    "ThreadList",
    "ThreadOutput",
    "UpdatedList",
]


class DependantOutput(Output):
    template = serializers.CharField()
    references = serializers.ListField(child=serializers.CharField())


class DependantList(Output):
    results = DependantOutput(many=True)


class UpdatedOutput(Output):
    template = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    change = serializers.IntegerField(allow_null=True)
    refusal = serializers.CharField()


class UpdatedList(Output):
    results = UpdatedOutput(many=True)


class ConflictOutput(Output):
    line = serializers.IntegerField()
    base = serializers.CharField()
    ours = serializers.CharField()
    theirs = serializers.CharField()


class MergeOutput(Output):
    needed = serializers.BooleanField()
    base = serializers.IntegerField(allow_null=True)
    held = serializers.IntegerField(allow_null=True)
    head = serializers.IntegerField(allow_null=True)
    clean = serializers.BooleanField(allow_null=True)
    document = serializers.CharField(allow_null=True)
    conflicts = ConflictOutput(many=True)


class ChangeItem(Output):
    number = serializers.IntegerField()
    template = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    version = serializers.IntegerField()
    digest = serializers.CharField()
    state = serializers.ChoiceField(["open", "approved", "published", "withdrawn"])
    message = serializers.CharField()
    author = serializers.CharField()
    emergency = serializers.BooleanField(help_text="Published in an emergency, approved afterwards or not.")
    unreviewed = serializers.BooleanField(help_text="Published in an emergency and never approved.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class EmergencyOutput(Output):
    person = serializers.CharField()
    reason = serializers.CharField()
    at = serializers.DateTimeField()
    served = serializers.BooleanField(help_text="Whether the label still serves what was published.")
    roll_back_to = serializers.IntegerField(allow_null=True)
    approved_by = serializers.ListField(child=serializers.CharField())
    approved_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was closed without an approval, after the label had moved on."
    )


class ChangePage(Output):
    results = ChangeItem(many=True)
    next = serializers.CharField(allow_null=True)


class DecisionOutput(Output):
    number = serializers.IntegerField()
    person = serializers.CharField()
    decision = serializers.ChoiceField(["approve", "request_changes", "comment", "acknowledge"])
    version = serializers.IntegerField()
    digest = serializers.CharField()
    round = serializers.IntegerField()
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class BlockerOutput(Output):
    code = serializers.CharField()
    cause = serializers.CharField()
    action = serializers.CharField()


class TurnOutput(Output):
    people = serializers.ListField(child=serializers.CharField())
    reason = serializers.CharField()
    since = serializers.DateTimeField()


class DigestsOutput(Output):
    version = serializers.CharField(required=False, help_text="Absent, as the rest is, once the request is closed.")
    samples = serializers.CharField(allow_null=True, required=False)
    against = serializers.CharField(allow_null=True, required=False)
    served = serializers.ListField(child=serializers.CharField(), required=False)
    fetched = serializers.ListField(child=serializers.CharField(), required=False)
    dependants = serializers.ListField(child=serializers.CharField(), required=False)
    evaluations = serializers.ListField(child=serializers.DictField(), required=False)


class StateOutput(Output):
    name = serializers.CharField()
    state = serializers.ChoiceField(["passed", "failed", "waiting", "unfinished"])
    required = serializers.BooleanField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    blocking = serializers.BooleanField()
    acknowledged = serializers.BooleanField()
    summary = serializers.CharField()
    at = serializers.DateTimeField(allow_null=True)
    findings = serializers.ListField(child=serializers.DictField())
    digests = DigestsOutput()


class ApprovalOutput(Output):
    person = serializers.CharField()
    at = serializers.DateTimeField()


class ContributorOutput(Output):
    person = serializers.CharField()
    why = serializers.CharField()


class ExemptionOutput(ContributorOutput):
    rule = serializers.ChoiceField(["suggesters_may_approve", "self_approval"])


class ChangeOutput(ChangeItem):
    round = serializers.IntegerField()
    holds = serializers.IntegerField(allow_null=True)
    published_in_emergency = EmergencyOutput(allow_null=True)
    approval = serializers.ChoiceField(
        ["approved", "emergency", "never_approved"],
        allow_null=True,
        help_text="How the label came to what it holds now; null where it is not protected or not set.",
    )
    closed_at = serializers.DateTimeField(allow_null=True)
    turn = TurnOutput(allow_null=True)
    riding_along = serializers.ListField(child=serializers.IntegerField())
    overlapping = serializers.ListField(child=serializers.IntegerField())
    checks = StateOutput(many=True)
    approvals = ApprovalOutput(many=True)
    approvals_needed = serializers.IntegerField()
    may_approve = serializers.BooleanField()
    why = serializers.CharField(allow_null=True)
    contributors = ContributorOutput(many=True)
    exemptions = ExemptionOutput(many=True)
    decisions = DecisionOutput(many=True)
    blockers = BlockerOutput(many=True)


class CommentOutput(Output):
    number = serializers.IntegerField()
    person = serializers.CharField()
    text = serializers.CharField()
    suggestion = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()


class ThreadOutput(Output):
    number = serializers.IntegerField()
    side = serializers.ChoiceField(["source", "rendered"])
    version = serializers.IntegerField()
    digest = serializers.CharField()
    line = serializers.IntegerField()
    end_line = serializers.IntegerField()
    sample = serializers.CharField()
    part = serializers.IntegerField()
    quote = serializers.CharField()
    head_line = serializers.IntegerField(allow_null=True)
    head_end_line = serializers.IntegerField(allow_null=True)
    outdated = serializers.BooleanField()
    resolved = serializers.BooleanField()
    resolved_by = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    comments = CommentOutput(many=True)


class ThreadList(Output):
    results = ThreadOutput(many=True)
