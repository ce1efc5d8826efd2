"""URLs of the playground, below a template's own; they stand apart because frontend/urls.py is long."""

from django.urls import path

from frontend.playground import views

urlpatterns = [
    path("start", views.start, name="run-start"),
    path("choices", views.show_choices, name="run-choices"),
    path("history", views.list_history, name="run-history"),
    path("history/<int:run_id>/draft", views.restore_draft, name="run-restore-draft"),
    path("columns/<int:column_id>/stop", views.stop, name="run-stop"),
    path("columns/<int:column_id>/sample", views.save_sample, name="run-save-sample"),
    path("columns/<int:column_id>/row", views.add_row, name="run-add-row"),
]
