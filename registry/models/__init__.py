"""The registry's tables, one noun a file. Constraints stand here, decisions in `registry.services`."""

from registry.models.attachments import Attachment
from registry.models.changes import ChangeRequest
from registry.models.contributions import Contribution
from registry.models.datasets import Dataset, DatasetVersion
from registry.models.decisions import Decision
from registry.models.drafts import Draft
from registry.models.events import Commit, Event
from registry.models.inclusions import Inclusion
from registry.models.jobs import Job
from registry.models.keys import Key
from registry.models.labels import Label, LabelMove
from registry.models.namespaces import Membership, Namespace, Role
from registry.models.notifications import Notification
from registry.models.people import User
from registry.models.redactions import Redaction
from registry.models.remarks import Remark
from registry.models.remotes import Remote
from registry.models.renderings import Rendering
from registry.models.runs import Reply, Run, RunRow
from registry.models.samples import SampleSet
from registry.models.templates import Tag, Template
from registry.models.threads import Comment, Thread
from registry.models.usage import Fetch, Report
from registry.models.verdicts import Verdict
from registry.models.versions import Version
from registry.models.watches import Watch
from registry.models.webhooks import Attempt, Delivery, Webhook, WebhookSecret

__all__ = [
    "Attachment",
    "Attempt",
    "ChangeRequest",
    "Comment",
    "Commit",
    "Contribution",
    "Dataset",
    "DatasetVersion",
    "Decision",
    "Delivery",
    "Draft",
    "Event",
    "Fetch",
    "Inclusion",
    "Job",
    "Key",
    "Label",
    "LabelMove",
    "Membership",
    "Namespace",
    "Notification",
    "Redaction",
    "Remark",
    "Remote",
    "Rendering",
    "Reply",
    "Report",
    "Role",
    "Run",
    "RunRow",
    "SampleSet",
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
