"""URLs of the pages. A folder ends in a slash, a template doesn't; a template's pages follow after `/-/`."""

from django.urls import include, path, register_converter
from django.urls.converters import StringConverter
from django.views.decorators.http import require_POST, require_safe

from frontend.accounts import mail_views
from frontend.accounts import urls as account_urls
from frontend.accounts import views as account_views
from frontend.browse import (
    archive_views,
    bookmark_views,
    bulk_views,
    calendar_views,
    environment_views,
    export_views,
    fetch_views,
    follow_views,
    history_views,
    label_views,
    rename_views,
    restore_views,
    sample_views,
    template_views,
)
from frontend.browse import views as browse_views
from frontend.changes import actions as change_actions
from frontend.changes import (
    dependant_views,
    emergency_views,
    mention_views,
    merge_views,
    propose_views,
    publish_views,
    suggestion_previews,
)
from frontend.changes import list_views as change_list_views
from frontend.changes import views as change_views
from frontend.diff import views as diff_views
from frontend.editor import draft_views, import_views, new_views, shared_draft_views
from frontend.editor import views as editor_views
from frontend.evaluations import (
    dataset_form_views,
    dataset_grid,
    dataset_views,
    improvement_form,
    improvement_views,
    matrix_views,
    row_additions,
    row_copies,
    run_row_views,
    run_views,
    score_views,
    start_views,
)
from frontend.help import views as help_views
from frontend.home import checklist_views, count_views, demo_views, palette_views
from frontend.home import views as home_views
from frontend.playground import views as playground_views
from frontend.releases import mention_views as release_mention_views
from frontend.releases import move_views
from frontend.releases import panels as release_panels
from frontend.releases import promote_views as release_promote_views
from frontend.releases import propose_views as release_propose_views
from frontend.releases import views as release_views
from frontend.settings import (
    audit_views,
    connection_views,
    evaluation_views,
    freeze_views,
    group_views,
    key_views,
    member_views,
    overview_views,
    people_views,
    rule_views,
    webhook_views,
)
from frontend.web.decorators import by_method
from frontend.web.script_texts import answer_script_texts

SEGMENT = r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?"


class TemplateName(StringConverter):
    """A template's name: `support/refunds/reply`."""

    regex = rf"{SEGMENT}(?:/{SEGMENT}){{1,7}}"


class FolderName(StringConverter):
    """A namespace or a folder in it: `support`, `support/refunds`."""

    regex = rf"{SEGMENT}(?:/{SEGMENT}){{0,7}}"


register_converter(TemplateName, "template")
register_converter(FolderName, "folder")

urlpatterns = [
    path("", require_safe(home_views.show_home), name="home"),
    path("", include(account_urls)),
    path("demo-progress", demo_views.show_demo_progress, name="demo-progress"),
    path("first-steps/close", checklist_views.hide_checklist, name="close-checklist"),
    path("first-steps/open", checklist_views.show_checklist, name="open-checklist"),
    path("texts/<str:language>.js", require_safe(answer_script_texts), name="script-texts"),
    path("theme", account_views.set_theme, name="theme"),
    path("counts.json", require_safe(count_views.count_open_work), name="counts"),
    path("search.json", require_safe(palette_views.search), name="palette"),
    path("saved-views", bookmark_views.list_saved_views, name="saved-views"),
    path("several", bulk_views.change_several, name="bulk"),
    path("new", new_views.create_template, name="new"),
    path("t/", require_safe(browse_views.browse_templates), name="browse"),
    path("t/import", import_views.import_prompts, name="import"),
    path("t/<folder:folder>/export.zip", require_safe(export_views.download_folder), name="export-folder"),
    path("t/<folder:folder>/", require_safe(browse_views.browse_templates), name="folder"),
    path("t/<template:name>", require_safe(template_views.show_template), name="template"),
    path("t/<template:name>/-/favourite", bookmark_views.keep_favourite, name="favourite"),
    path("t/<template:name>/-/follow", follow_views.follow_template, name="follow"),
    path("t/<template:name>/-/edit", editor_views.edit_template, name="edit"),
    path("t/<template:name>/-/drafts", draft_views.list_drafts, name="drafts"),
    path(
        "t/<template:name>/-/drafts/<str:token>",
        require_safe(shared_draft_views.show_shared_draft),
        name="shared-draft",
    ),
    path("t/<template:name>/-/edit/preview", editor_views.preview_template, name="preview"),
    path("t/<template:name>/-/edit/draft", editor_views.save_or_discard_draft, name="draft"),
    path("t/<template:name>/-/run/start", playground_views.start_run, name="start-run"),
    path("t/<template:name>/-/run/rows", playground_views.plan_rows, name="playground-rows"),
    path("t/<template:name>/-/run/choices", playground_views.show_choices, name="playground-choices"),
    path("t/<template:name>/-/run/history", playground_views.list_history, name="playground-history"),
    path("t/<template:name>/-/run/history/<int:run_id>/draft", playground_views.restore_draft, name="run-draft"),
    path("t/<template:name>/-/run/columns/<int:column_id>/stop", playground_views.stop_reply, name="stop-column"),
    path(
        "t/<template:name>/-/run/columns/<int:column_id>/sample",
        playground_views.save_sample,
        name="column-sample",
    ),
    path("t/<template:name>/-/run/columns/<int:column_id>/row", playground_views.add_row, name="column-row"),
    path("t/<template:name>/-/versions", require_safe(history_views.show_history), name="versions"),
    path("t/<template:name>/-/restore", restore_views.restore_version, name="restore"),
    path("t/<template:name>/-/start-draft", restore_views.start_draft, name="start-draft"),
    path("t/<template:name>/-/export", require_safe(export_views.export_version), name="export"),
    path("t/<template:name>/-/export/<str:form>", require_safe(export_views.download_version), name="export-file"),
    path("t/<template:name>/-/diff", require_safe(diff_views.compare_versions), name="diff"),
    path("t/<template:name>/-/copy", new_views.copy_version, name="copy"),
    path("t/<template:name>/-/samples", sample_views.edit_samples, name="samples"),
    path("t/<template:name>/-/labels", label_views.show_label_form, name="labels"),
    path("t/<template:name>/-/move/size", require_safe(move_views.show_move_size), name="move-size"),
    path("t/<template:name>/-/move/evidence", require_safe(move_views.show_move_evidence), name="move-evidence"),
    path("t/<template:name>/-/fetches", fetch_views.show_fetches, name="fetches"),
    path("t/<template:name>/-/propose", propose_views.propose_change, name="propose"),
    path("t/<template:name>/-/rename", rename_views.rename_template, name="rename"),
    path("folders/<folder:folder>/rename", rename_views.rename_folder, name="rename-folder"),
    path("t/<template:name>/-/archive", archive_views.archive_template, name="archive"),
    path("t/<template:name>/-/dependants", dependant_views.update_dependants, name="dependants"),
    path("changes/", require_safe(change_list_views.show_changes), name="changes"),
    path(
        "changes/<int:number>",
        by_method(get=change_views.show_change, post=change_actions.act_on_change),
        name="change",
    ),
    path("changes/<int:number>/people", require_safe(mention_views.list_people), name="change-people"),
    path("changes/<int:number>/merge", merge_views.merge_change, name="merge"),
    path("changes/<int:number>/suggestion", suggestion_previews.show_suggestion, name="suggestion"),
    path("changes/<int:number>/publish", require_safe(publish_views.preview_publish), name="publish"),
    path("changes/<int:number>/emergency", emergency_views.break_glass, name="emergency"),
    path("releases/", require_safe(release_views.list_releases), name="releases"),
    path(
        "releases/<int:number>",
        by_method(get=release_views.show_release, post=release_views.act_on_release),
        name="release",
    ),
    path("releases/<int:number>/people", require_safe(release_mention_views.list_people), name="release-people"),
    path("releases/<int:number>/publish", require_safe(release_panels.preview_publish), name="publish-release"),
    path("releases/<int:number>/roll-back", require_safe(release_panels.preview_roll_back), name="roll-back-release"),
    path("releases/new/", release_promote_views.promote_templates, name="promote-templates"),
    path("releases/new/<folder:folder>/", release_propose_views.propose_release, name="new-release"),
    path("runs/", require_safe(run_views.show_runs), name="runs"),
    path("runs/new", start_views.start_run, name="new-run"),
    path("runs/<int:number>", run_views.show_run, name="run"),
    path("runs/<int:number>/matrix", require_safe(matrix_views.show_matrix), name="run-matrix"),
    path("runs/<int:number>/matrix/stop", require_POST(matrix_views.stop_runs), name="stop-runs"),
    path("runs/<int:number>/improve", improvement_form.ask_for_improvement, name="improve"),
    path("improvements/<int:number>", improvement_views.show_improvement, name="improvement"),
    path("runs/<int:number>/score", score_views.score_rows, name="score-rows"),
    path("runs/<int:number>/rows", require_safe(run_row_views.show_rows), name="run-rows"),
    path("runs/<int:number>/rows/<int:index>", require_safe(run_row_views.show_row), name="run-row"),
    path("runs/<int:number>/rows/<int:index>/add", row_additions.add_run_row, name="add-run-row"),
    path("runs/<int:number>/export.<str:form>", require_safe(run_views.export_run), name="run-export"),
    path("d/", require_safe(dataset_views.show_datasets), name="datasets"),
    path("d/new", dataset_form_views.create_dataset, name="new-dataset"),
    path("d/copy-rows", require_POST(row_copies.copy_rows), name="copy-rows"),
    path("d/<template:name>", require_safe(dataset_views.show_dataset), name="dataset"),
    path("d/<template:name>/-/archive", require_POST(dataset_views.archive_dataset), name="archive-dataset"),
    path("d/<template:name>/-/restore", require_POST(dataset_views.restore_dataset_version), name="restore-dataset"),
    path("d/<template:name>/-/edit", dataset_form_views.edit_dataset, name="edit-dataset"),
    path("d/<template:name>/-/rows.<str:form>", require_safe(dataset_grid.show_rows), name="dataset-rows"),
    path("d/<template:name>/-/diff", require_safe(dataset_views.compare_versions), name="dataset-diff"),
    path("environments/", require_safe(environment_views.show_environments), name="environments"),
    path("environments/calendar", require_safe(calendar_views.show_calendar), name="calendar"),
    path("n/<folder:namespace>/members", member_views.manage_members, name="members"),
    path("n/<folder:namespace>/people", require_safe(member_views.list_people), name="namespace-people"),
    path("n/<folder:namespace>/groups", group_views.manage_groups, name="groups"),
    path("n/<folder:namespace>/keys", key_views.manage_keys, name="keys"),
    path("n/<folder:namespace>/rules", rule_views.manage_rules, name="rules"),
    path("n/<folder:namespace>/freezes", freeze_views.manage_freezes, name="freezes"),
    path("n/<folder:namespace>/evaluations", evaluation_views.manage_evaluations, name="evaluations"),
    path("n/<folder:namespace>/audit", audit_views.show_audit, name="audit"),
    path("n/<folder:namespace>/audit/events.<str:form>", audit_views.export_events, name="audit-export"),
    path("n/new", rule_views.create_namespace, name="new-namespace"),
    path("n/<folder:namespace>/models", connection_views.manage_connections, name="connections"),
    path("n/<folder:namespace>/models/<str:connection_id>", connection_views.manage_connection, name="connection"),
    path("n/<folder:namespace>/webhooks", webhook_views.manage_webhooks, name="webhooks"),
    path("n/<folder:namespace>/webhooks/<str:webhook_id>", webhook_views.manage_webhook, name="webhook"),
    path("settings/", require_safe(overview_views.show_settings), name="settings"),
    path("people", people_views.manage_people, name="people"),
    path("people/<str:username>/deactivate", people_views.deactivate_person, name="deactivate-person"),
    path("people/<str:username>/reset-sign-in", people_views.reset_sign_in, name="reset-sign-in"),
    path("mail", mail_views.manage_mail, name="mail"),
    path("help/", require_safe(help_views.help_page), name="help"),
    path("help/<path:path>", require_safe(help_views.help_page), name="help-page"),
]
