"""Reactions of domains to events of lower domains: for each class of event its functions, in order.

They run in the transaction of the event, after its row is written; `registry.apps` hands `run` to the journal.
"""

from collections.abc import Callable, Mapping

from registry.accounts.actor import Actor
from registry.accounts.events import PersonDeactivated, PersonReactivated, SecondStepReset
from registry.accounts.models import Key, User
from registry.changes import check_results, locking
from registry.changes import services as change_services
from registry.changes.conversation_events import CommentEdited, ReviewRequested
from registry.changes.events import (
    ChangeDecided,
    ChangeHeaded,
    ChangeProposed,
    ChangeReopened,
    ChangeWithdrawn,
    EmergencyClosed,
)
from registry.changes.models import ChangeRequest, DecisionAct, Verdict
from registry.changes.review_events import CommentAdded, VerdictGiven
from registry.changes.revisions import EditedComment
from registry.changes.schedule_events import ChangeUnscheduled
from registry.changes.thread_models import Comment
from registry.evaluations.events import (
    DatasetSaved,
    EvaluationAttached,
    EvaluationDetached,
    EvaluationFailing,
    EvaluationRecovered,
    RunFinished,
    ScoresChanged,
)
from registry.evaluations.models import Run
from registry.freezes.events import FreezeSet
from registry.freezes.models import Freeze
from registry.journal.event import JournalEvent, Occasion
from registry.namespaces.events import KeyIssued, KeyRotated, MemberSet, NamespaceRuled
from registry.namespaces.folder_role_events import FolderRoleSet
from registry.namespaces.group_events import GroupJoined, GroupLeft, GroupRemoved, GroupSet
from registry.namespaces.models import Namespace
from registry.notifications import conversations, following, keys, live_failures
from registry.notifications import schedules as notification_schedules
from registry.notifications import services as notification_services
from registry.notifications.releases import notify_of_release_step
from registry.releases.comment_events import ReleaseCommented, ReleaseCommentEdited
from registry.releases.comments import EditedReleaseComment
from registry.releases.events import LAST_STEPS, ReleaseStep
from registry.releases.models import Release, ReleaseComment
from registry.releases.schedule_events import ReleaseUnscheduled
from registry.rollouts.events import RolloutPaused, RolloutStarted, RolloutStep, RolloutStopped
from registry.rollouts.models import Rollout
from registry.templates import search_entries
from registry.templates.events import (
    SamplesSaved,
    TemplateArchived,
    TemplateRenamed,
    TemplateUnarchived,
    VersionRedacted,
    VersionSaved,
)
from registry.templates.label_events import LabelMoved
from registry.templates.label_models import LabelMove
from registry.templates.models import Template, Version

__all__ = ["REACTIONS", "Reaction", "run_reactions"]

Reaction = Callable[[Occasion], None]


def run_reactions(occasion: Occasion) -> None:
    """Run the reactions to the class of the event."""
    for reaction in REACTIONS.get(type(occasion.event), ()):
        reaction(occasion)


def _notify_of_key(occasion: Occasion) -> None:
    keys.notify_of_key(occasion.author_as(Actor), occasion.subject_as(Key))


def _recompute_states_of_namespace(occasion: Occasion) -> None:
    locking.recompute_states(occasion.subject_as(Namespace))


def _recompute_states_of_person(occasion: Occasion) -> None:
    """In each of the person's namespaces, different people's approvals may count now."""
    person = occasion.subject_as(User)
    for namespace in Namespace.objects.filter(memberships__person=person).order_by("pk"):
        locking.recompute_states(namespace)


def _refresh_entry(occasion: Occasion) -> None:
    search_entries.refresh_entry(occasion.subject_as(Version).template_id)


def _refresh_facets_of_template(occasion: Occasion) -> None:
    search_entries.refresh_facets([occasion.subject_as(Template).pk])


def _refresh_facets_after_move(occasion: Occasion) -> None:
    search_entries.refresh_facets([occasion.subject_as(LabelMove).template_id])


def _refresh_facets_after_check(occasion: Occasion) -> None:
    search_entries.refresh_facets([occasion.subject_as(Verdict).template_id])


def _refresh_owners(occasion: Occasion) -> None:
    search_entries.refresh_owners(occasion.subject_as(Namespace))


def _refresh_owners_by_group(occasion: Occasion) -> None:
    """A person joined or left a group, which changes owners only if a group owns something."""
    namespace = occasion.subject_as(Namespace)
    if any(owner.get("groups") for owner in namespace.owners):
        search_entries.refresh_owners(namespace)


def _follow_new_name(occasion: Occasion) -> None:
    """Update the search entry and followers, and the states that rules by pattern give pending change requests."""
    template = occasion.subject_as(Template)
    following.move_follows(template, occasion.event_as(TemplateRenamed).former)
    search_entries.rewrite_entry(template.pk)
    check_results.request_checks(template)
    locking.recompute_states(template.namespace, template)


def _recompute_states_of_twins(occasion: Occasion) -> None:
    """A person who saved the same text again contributes to pending change requests with it, also those of copies."""
    version = occasion.subject_as(Version)
    twins = Version.objects.filter(template=version.template, digest=version.digest).exclude(pk=version.pk)
    if twins.exists():
        locking.recompute_states(version.template.namespace, version.template)
        locking.recompute_states_of_copies(version.template)


def _notify_of_save(occasion: Occasion) -> None:
    notification_services.notify_of_save(occasion.author_as(Actor), occasion.subject_as(Version))


def _request_checks(occasion: Occasion) -> None:
    """Once per template, in order of appearance."""
    for template in dict.fromkeys(subject for subject in occasion.subject_as(tuple) if isinstance(subject, Template)):
        check_results.request_checks(template)


def _settle_after_emergency(occasion: Occasion) -> None:
    move = occasion.subject_as(LabelMove)
    if move.how == "broke_glass" and move.change is not None:
        notification_services.end_waiting(move.change)


def _notify_of_move(occasion: Occasion) -> None:
    notification_services.notify_of_move(occasion.author_as(Actor), occasion.subject_as(LabelMove))


def _request_checks_after_move(occasion: Occasion) -> None:
    """The baseline of pending change requests has changed."""
    check_results.request_checks(occasion.subject_as(LabelMove).template)


def _recompute_states_of_label(occasion: Occasion) -> None:
    """For the label's own change requests, and for those of copies if an approval changes their contributors."""
    move = occasion.subject_as(LabelMove)
    locking.recompute_states(move.template.namespace, move.template, move.label)
    if move.how == "published":
        locking.recompute_states_of_copies(move.template)


def _begin_round(occasion: Occasion) -> None:
    """Runs after the event is written, because the authors of heads are read from the journal."""
    actor, change = occasion.author_as(Actor), occasion.subject_as(ChangeRequest)
    reviewers = change_services.begin_round(actor, change)
    if isinstance(occasion.event, JournalEvent):
        notification_services.notify_reviewers(actor, occasion.event.kind, change, reviewers)


def _recompute_states_of_template(occasion: Occasion) -> None:
    """A person who put a version into a change request is a contributor to later ones that contain it."""
    template = occasion.subject_as(ChangeRequest).template
    locking.recompute_states(template.namespace, template)


def _recompute_states_after_approval(occasion: Occasion) -> None:
    """The label now holds the emergency's version by approval: the new baseline of its other change requests."""
    change = occasion.subject_as(DecisionAct).decision.change
    if occasion.event_as(ChangeDecided).reviewed:
        locking.recompute_states(change.template.namespace, change.template, change.label)
        locking.recompute_states_of_copies(change.template)


def _notify_of_decision(occasion: Occasion) -> None:
    act, event = occasion.subject_as(DecisionAct), occasion.event_as(ChangeDecided)
    if event.reviewed:
        notification_services.end_waiting(act.decision.change)
    notification_services.notify_of_decision(occasion.author_as(Actor), act, event.taken_back)


def _settle(occasion: Occasion) -> None:
    notification_services.end_waiting(occasion.subject_as(ChangeRequest))


def _notify_of_comment(occasion: Occasion) -> None:
    notification_services.notify_of_comment(occasion.author_as(Actor), occasion.subject_as(Comment))


def _notify_of_edit(occasion: Occasion) -> None:
    conversations.notify_of_edit(occasion.author_as(Actor), occasion.subject_as(EditedComment))


def _notify_of_release_edit(occasion: Occasion) -> None:
    conversations.notify_of_release_edit(occasion.author_as(Actor), occasion.subject_as(EditedReleaseComment))


def _notify_of_review_request(occasion: Occasion) -> None:
    change, event = occasion.subject_as(ChangeRequest), occasion.event_as(ReviewRequested)
    conversations.notify_reviewer(occasion.author_as(Actor), change, event.person, is_reminder=bool(event.again))


def _notify_of_release_comment(occasion: Occasion) -> None:
    notification_services.notify_of_release_comment(occasion.author_as(Actor), occasion.subject_as(ReleaseComment))


def _notify_of_ended_schedule(occasion: Occasion) -> None:
    notification_schedules.notify_of_ended_schedule(occasion.event, occasion.subject)


def _notify_of_freeze(occasion: Occasion) -> None:
    notification_schedules.notify_of_freeze(occasion.author_as(Actor), occasion.subject_as(Freeze))


def _notify_of_rollout(occasion: Occasion) -> None:
    event = occasion.event_as(RolloutStep)  # type: ignore[type-abstract]  # any subclass will do
    notification_services.notify_of_rollout(occasion.author_as(Actor), event, occasion.subject_as(Rollout))


def _notify_of_nightly_outcome(occasion: Occasion) -> None:
    live_failures.notify_of_nightly_outcome(occasion.subject_as(Run), occasion.event)


def _notify_of_release_step(occasion: Occasion) -> None:
    event = occasion.event_as(ReleaseStep)  # type: ignore[type-abstract]  # any subclass will do
    notify_of_release_step(occasion.author_as(Actor), event, occasion.subject_as(Release))


REACTIONS: Mapping[type, tuple[Reaction, ...]] = {
    KeyIssued: (_notify_of_key,),
    KeyRotated: (_notify_of_key,),
    MemberSet: (_recompute_states_of_namespace,),
    FolderRoleSet: (_recompute_states_of_namespace,),
    GroupSet: (_recompute_states_of_namespace,),
    GroupRemoved: (_recompute_states_of_namespace,),
    GroupJoined: (_recompute_states_of_namespace, _refresh_owners_by_group),
    GroupLeft: (_recompute_states_of_namespace, _refresh_owners_by_group),
    PersonDeactivated: (_recompute_states_of_person,),
    PersonReactivated: (_recompute_states_of_person,),
    SecondStepReset: (_recompute_states_of_person,),
    NamespaceRuled: (_recompute_states_of_namespace, _refresh_owners),
    VersionSaved: (_refresh_entry, _recompute_states_of_twins, _notify_of_save),
    VersionRedacted: (_refresh_entry,),
    TemplateArchived: (_refresh_facets_of_template,),
    TemplateUnarchived: (_refresh_facets_of_template,),
    TemplateRenamed: (_follow_new_name,),
    VerdictGiven: (_refresh_facets_after_check,),
    SamplesSaved: (_request_checks,),
    FreezeSet: (_notify_of_freeze,),
    LabelMoved: (
        _refresh_facets_after_move,
        _settle_after_emergency,
        _notify_of_move,
        _request_checks_after_move,
        _recompute_states_of_label,
    ),
    ChangeProposed: (_begin_round,),
    ChangeHeaded: (_begin_round, _recompute_states_of_template),
    ChangeReopened: (_begin_round, _recompute_states_of_template),
    ChangeDecided: (_recompute_states_after_approval, _notify_of_decision),
    ChangeUnscheduled: (_notify_of_ended_schedule,),
    ReleaseUnscheduled: (_notify_of_ended_schedule,),
    **dict.fromkeys(LAST_STEPS, (_notify_of_release_step,)),
    ChangeWithdrawn: (_settle,),
    EmergencyClosed: (_settle,),
    CommentAdded: (_notify_of_comment,),
    CommentEdited: (_notify_of_edit,),
    ReviewRequested: (_notify_of_review_request,),
    ReleaseCommented: (_notify_of_release_comment,),
    ReleaseCommentEdited: (_notify_of_release_edit,),
    RolloutStarted: (_notify_of_rollout,),
    RolloutPaused: (_notify_of_rollout,),
    RolloutStopped: (_notify_of_rollout,),
    DatasetSaved: (_request_checks,),
    EvaluationAttached: (_request_checks,),
    EvaluationDetached: (_request_checks,),
    EvaluationFailing: (_notify_of_nightly_outcome,),
    EvaluationRecovered: (_notify_of_nightly_outcome,),
    RunFinished: (_request_checks,),
    ScoresChanged: (_request_checks,),
}
