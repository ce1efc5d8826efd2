"""All tables of the app `registry`, for Django. Code imports them from their domain."""

import registry.events  # noqa: F401  # registers each kind
from registry.accounts.models import Key, User
from registry.bookmarks.models import Favourite, SavedView
from registry.changes.models import ChangeRequest, CountedScores, Decision, Verdict
from registry.changes.thread_models import Comment, Remark, Thread
from registry.connections.models import Connection, Spending, SpendingCap
from registry.evaluations.dataset_models import Dataset, DatasetVersion
from registry.evaluations.live_models import LiveFailure
from registry.evaluations.models import Attachment, PersonScore, Reply, Run, RunRow
from registry.freezes.models import Freeze
from registry.idempotency.models import StoredAnswer
from registry.improvements.models import Improvement
from registry.invitations.models import Invitation
from registry.jobs.models import Job
from registry.journal.models import Commit, Event
from registry.mirror.models import Remote
from registry.namespaces.models import FolderRole, Group, GroupMember, Membership, Namespace, Role
from registry.notifications.models import Notification, Watch
from registry.playground.models import PlaygroundColumn, PlaygroundRun
from registry.releases.models import Release, ReleaseComment, ReleaseCommentRevision
from registry.rollouts.models import Rollout
from registry.templates.contribution_models import Contribution
from registry.templates.former_names import FormerName
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import (
    Draft,
    Inclusion,
    Redaction,
    Rendering,
    SampleSet,
    Tag,
    Template,
    Version,
)
from registry.templates.presence_models import EditorPresence
from registry.templates.search_models import SearchCount, SearchEntry
from registry.usage.models import Fetch, Outcome, OutcomeTotal, Report
from registry.webhooks.models import Attempt, Delivery, Webhook, WebhookSecret

__all__ = [
    "Attachment",
    "Attempt",
    "ChangeRequest",
    "Comment",
    "Commit",
    "Connection",
    "Contribution",
    "CountedScores",
    "Dataset",
    "DatasetVersion",
    "Decision",
    "Delivery",
    "Draft",
    "EditorPresence",
    "Event",
    "Favourite",
    "Fetch",
    "FolderRole",
    "FormerName",
    "Freeze",
    "Group",
    "GroupMember",
    "Improvement",
    "Inclusion",
    "Invitation",
    "Job",
    "Key",
    "Label",
    "LabelMove",
    "LiveFailure",
    "Membership",
    "Namespace",
    "Notification",
    "Outcome",
    "OutcomeTotal",
    "PersonScore",
    "PlaygroundColumn",
    "PlaygroundRun",
    "Redaction",
    "Release",
    "ReleaseComment",
    "ReleaseCommentRevision",
    "Remark",
    "Remote",
    "Rendering",
    "Reply",
    "Report",
    "Role",
    "Rollout",
    "Run",
    "RunRow",
    "SampleSet",
    "SavedView",
    "SearchCount",
    "SearchEntry",
    "Spending",
    "SpendingCap",
    "StoredAnswer",
    "Tag",
    "Template",
    "Thread",
    "User",
    "Verdict",
    "Version",
    "Watch",
    "Webhook",
    "WebhookSecret",
]
