"""Addresses of the pages. A folder ends in a slash, a template does not; what belongs to one stands after `/-/`."""

from django.urls import include, path, register_converter
from django.views.decorators.http import require_safe

from frontend import account_urls
from frontend.views import (
    account,
    archive,
    audit,
    browse,
    changes,
    compare,
    datasets,
    dependants,
    editor,
    emergencies,
    environments,
    fetches,
    home,
    keys,
    labels,
    mail,
    members,
    merges,
    new,
    palette,
    rules,
    run_starts,
    runs,
    samples,
    webhooks,
)
from frontend.views import history as history_views
from frontend.views import template as template_views

SEGMENT = r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?"


class TemplateName:
    """support/refunds/reply"""

    regex = rf"{SEGMENT}(?:/{SEGMENT}){{1,7}}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class FolderName(TemplateName):
    """support, support/refunds"""

    regex = rf"{SEGMENT}(?:/{SEGMENT}){{0,7}}"


register_converter(TemplateName, "template")
register_converter(FolderName, "folder")

urlpatterns = [
    path("", require_safe(home.home), name="home"),
    path("", include(account_urls)),
    path("theme", account.set_theme, name="theme"),
    path("search.json", require_safe(palette.search), name="palette"),
    path("new", new.new, name="new"),
    path("t/", require_safe(browse.browse), name="browse"),
    path("t/<folder:folder>/", require_safe(browse.browse), name="folder"),
    path("t/<template:name>", require_safe(template_views.show_template), name="template"),
    path("t/<template:name>/-/edit", editor.edit, name="edit"),
    path("t/<template:name>/-/edit/preview", editor.preview, name="preview"),
    path("t/<template:name>/-/edit/draft", editor.draft, name="draft"),
    path("t/<template:name>/-/versions", require_safe(history_views.versions), name="versions"),
    path("t/<template:name>/-/diff", require_safe(compare.compare_versions), name="diff"),
    path("t/<template:name>/-/copy", new.copy, name="copy"),
    path("t/<template:name>/-/samples", samples.edit_samples, name="samples"),
    path("t/<template:name>/-/labels", labels.move, name="labels"),
    path("t/<template:name>/-/fetches", require_safe(fetches.fetches), name="fetches"),
    path("t/<template:name>/-/propose", changes.propose, name="propose"),
    path("t/<template:name>/-/archive", archive.archive, name="archive"),
    path("t/<template:name>/-/dependants", dependants.update, name="dependants"),
    path("changes/", require_safe(changes.listing), name="changes"),
    path("changes/<int:number>", changes.show_change, name="change"),
    path("changes/<int:number>/merge", merges.merge, name="merge"),
    path("changes/<int:number>/emergency", emergencies.break_glass, name="emergency"),
    path("runs/", require_safe(runs.listing), name="runs"),
    path("runs/new", run_starts.start, name="new-run"),
    path("runs/<int:number>", runs.show_run, name="run"),
    path("runs/<int:number>/rows", require_safe(runs.show_rows), name="run-rows"),
    path("runs/<int:number>/rows/<int:index>", require_safe(runs.show_row), name="run-row"),
    path("runs/<int:number>/export.<str:form>", require_safe(runs.export), name="run-export"),
    path("d/", require_safe(datasets.listing), name="datasets"),
    path("d/new", datasets.new, name="new-dataset"),
    path("d/<template:name>", require_safe(datasets.show_dataset), name="dataset"),
    path("d/<template:name>/-/edit", datasets.edit, name="edit-dataset"),
    path("d/<template:name>/-/diff", require_safe(datasets.compare), name="dataset-diff"),
    path("environments/", require_safe(environments.environments), name="environments"),
    path("n/<folder:namespace>/members", members.members, name="members"),
    path("n/<folder:namespace>/keys", keys.keys, name="keys"),
    path("n/<folder:namespace>/rules", rules.rules, name="rules"),
    path("n/<folder:namespace>/audit", audit.audit, name="audit"),
    path("n/<folder:namespace>/audit/events.<str:form>", audit.export_events, name="audit-export"),
    path("n/new", rules.make, name="new-namespace"),
    path("n/<folder:namespace>/webhooks", webhooks.webhooks, name="webhooks"),
    path("n/<folder:namespace>/webhooks/<str:webhook_id>", webhooks.webhook, name="webhook"),
    path("mail", mail.mail, name="mail"),
]
