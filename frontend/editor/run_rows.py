"""Opens a row of an evaluation run in the editor: its inputs become a sample of the text."""

from frontend.editor.state import EditorState, select_sample
from registry.accounts.actor import Actor
from registry.core.input_checks import parse_number
from registry.evaluations import run_queries

__all__ = ["take_run_row"]


def take_run_row(actor: Actor, state: EditorState, place: str) -> str:
    """Add the row's inputs as a sample, stored only when the text is saved, select it and return its name.

    place: the run's number and the row's index, as `412.17`. Does nothing and returns an empty string if it is
    malformed or the run is of another template. Raises NotFound if the actor may not read the run.
    """
    number, _, index = place.partition(".")
    run_number, row_index = parse_number(number, digits=9), parse_number(index, digits=6)
    if not run_number or row_index is None:
        return ""
    run = run_queries.read_run(actor, run_number)
    if state.template is None or run.template_id != state.template.pk:
        return ""
    detail = run_queries.read_run_row(run, row_index)
    name = detail.id or f"run {run_number} row {row_index + 1}"
    if state.samples.get(name, detail.inputs) != detail.inputs:
        name = f"{name} of run {run_number}"
    state.samples = {**state.samples, name: dict(detail.inputs)}
    select_sample(state, name)
    return name
