// Translations of CodeMirror's own panels and announcements.
import { EditorState, type Extension } from "@codemirror/state";
import { gettext } from "../language.ts";

/** CodeMirror looks up its texts by their English wording; `$` is a placeholder. */
export const phrases: Extension = EditorState.phrases.of({
  Find: gettext("Find"),
  Replace: gettext("Replace"),
  next: gettext("next"),
  previous: gettext("previous"),
  all: gettext("all"),
  "match case": gettext("match case"),
  regexp: gettext("regexp"),
  "by word": gettext("by word"),
  replace: gettext("replace"),
  "replace all": gettext("replace all"),
  close: gettext("close"),
  "current match": gettext("current match"),
  "on line": gettext("on line"),
  "replaced match on line $": gettext("replaced match on line $"),
  "replaced $ matches": gettext("replaced $ matches"),
  "Go to line": gettext("Go to line"),
  go: gettext("go"),
  "Fold line": gettext("Fold line"),
  "Unfold line": gettext("Unfold line"),
  "Folded lines": gettext("Folded lines"),
  "Unfolded lines": gettext("Unfolded lines"),
  to: gettext("to"),
  unfold: gettext("unfold"),
  "folded code": gettext("folded code"),
  Completions: gettext("Completions"),
  "Selection deleted": gettext("Selection deleted"),
  "Control character": gettext("Control character"),
});
