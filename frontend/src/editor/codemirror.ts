// The source editor.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap } from "@codemirror/commands";
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { gettext } from "../language.ts";
import { changedLines } from "./change_gutter.ts";
import { editHistory } from "./edit_history.ts";
import { chooseLanguage, type Format, hangingLines, highlighter, readFormat, syntaxMarks } from "./language.ts";
import { phrases } from "./phrases.ts";
import { problemKeys, problemMarks } from "./problems.ts";
import { completionTheme, editorTheme } from "./theme.ts";

const darkTheme = new Compartment();
const language = new Compartment();

const isDark = (): boolean =>
  getComputedStyle(document.documentElement).colorScheme === "dark" ||
  (!document.documentElement.dataset.theme && window.matchMedia("(prefers-color-scheme: dark)").matches);

/** Follows the `format:` of the front matter, which determines the language of the body. */
function followFormat(): Extension {
  let format: Format | null = null;
  return EditorView.updateListener.of((update) => {
    const now = readFormat(update.state);
    if (now === format) return;
    format = now;
    queueMicrotask(() => update.view.dispatch({ effects: language.reconfigure(chooseLanguage(now)) }));
  });
}

/** Replaces a selection on typing through the editor's own transaction. The browser would preserve the style of the
 * deleted text in a `style` attribute, which the content security policy forbids. */
const suppressDuplicateBracket = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main, ranges } = view.state.selection;
    const { data } = event;
    if (event.inputType !== "insertText" || data === null || event.isComposing || main.empty || ranges.length > 1) {
      return false;
    }
    const change = () =>
      view.state.update({
        changes: { from: main.from, to: main.to, insert: data },
        selection: { anchor: main.from + data.length },
        userEvent: "input.type",
        scrollIntoView: true,
      });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, main.from, main.to, data, change))) view.dispatch(change());
    event.preventDefault();
    return true;
  },
});

/** The source editor, which replaces the textarea; that remains the form's field. */
export function createSourceEditor(
  area: HTMLTextAreaElement,
  keys: readonly KeyBinding[],
  extensions: Extension[],
): EditorView {
  const nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
  const start = EditorState.create({ doc: area.value });
  const view = new EditorView({
    state: EditorState.create({
      doc: area.value,
      extensions: [
        EditorView.cspNonce.of(nonce),
        darkTheme.of(EditorView.darkTheme.of(isDark())),
        language.of(chooseLanguage(readFormat(start))),
        EditorState.tabSize.of(2),
        indentUnit.of("  "),
        EditorState.allowMultipleSelections.of(true),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": gettext("Source of the template"),
          spellcheck: "false",
          tabindex: "0",
        }),
        phrases,
        suppressDuplicateBracket,
        problemMarks,
        lineNumbers(),
        changedLines,
        foldGutter({ openText: "▾", closedText: "▸" }),
        codeFolding(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        highlightSelectionMatches(),
        drawSelection(),
        editHistory,
        bracketMatching(),
        closeBrackets(),
        search({ top: true }),
        syntaxHighlighting(highlighter),
        syntaxMarks,
        hangingLines,
        editorTheme,
        completionTheme,
        followFormat(),
        keymap.of([...keys, ...problemKeys, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...foldKeymap]),
        ...extensions,
      ],
    }),
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    view.dispatch({ effects: darkTheme.reconfigure(EditorView.darkTheme.of(isDark())) });
  });
  area.hidden = true;
  area.after(view.dom);
  return view;
}
