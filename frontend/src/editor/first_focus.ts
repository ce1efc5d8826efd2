// The first focus when the editor opens.
import type { EditorView } from "@codemirror/view";
import type { Form } from "./form/form.ts";
import { listParts } from "./form/outline.ts";
import { readOutline } from "./form/outline_reader.ts";
import { readFormat } from "./language.ts";

/** The URL fragment of an editor that was opened by a shortcut, which focuses the text. */
const TEXT = "#text";

/** Focuses the first text of a new template, and that of an existing one if it was opened by a shortcut. An example's
 * text is selected, to be overwritten. Not on a phone, where the focus would open the keyboard immediately. */
export function focusFirstText(view: EditorView, form: Form, isNew: boolean, isExample: boolean): void {
  if (isNew && window.matchMedia("(pointer: fine)").matches) {
    if (!form.isOpen) view.focus();
    else if (isExample) form.selectFirst();
    else form.focusFirst();
  } else if (!isNew && window.location.hash === TEXT) {
    if (form.isOpen) form.focusFirst();
    else focusSource(view);
  }
}

/** Puts the cursor before the first part's content, which is below the front matter. */
function focusSource(view: EditorView): void {
  const outline = readOutline(view.state.doc.toString(), readFormat(view.state));
  const first = "reason" in outline ? undefined : listParts(outline.nodes).find((part) => part.content);
  view.dispatch({ selection: { anchor: first?.content?.from ?? 0 }, scrollIntoView: true });
  view.focus();
}
