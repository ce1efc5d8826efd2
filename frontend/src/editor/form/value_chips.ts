// The text editor of a card, with expressions as chips.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view";
import { createElement } from "../../dom.ts";

const PATH = /^[A-Za-z_]\w*(?:\.\w+)*$/;
const FRAGMENT = /^fragment\(\s*["'](.+?)["']\s*\)$/;

/** What a chip says: an input by its words, a fragment by its name, anything else as it is written. */
export function nameOfChip(source: string): { kind: "input" | "fragment" | "other"; words: string } {
  const inner = source.replace(/^\{[{%][-+]?\s*|\s*[-+]?[}%]\}$/g, "");
  if (source.startsWith("{{") && PATH.test(inner)) return { kind: "input", words: inner.replaceAll(".", " ") };
  const fragment = source.startsWith("{{") ? FRAGMENT.exec(inner) : null;
  if (fragment) return { kind: "fragment", words: `fragment ${fragment[1]}` };
  return { kind: "other", words: inner };
}

class Chip extends WidgetType {
  constructor(readonly source: string) {
    super();
  }

  override eq(other: Chip): boolean {
    return this.source === other.source;
  }

  toDOM(): HTMLElement {
    const { kind, words } = nameOfChip(this.source);
    return createElement("span", { class: `chip chip-${kind}`, title: this.source }, words);
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

const chipMatcher = new MatchDecorator({
  regexp: /\{\{.*?\}\}|\{%.*?%\}/g,
  decoration: (match) => Decoration.replace({ widget: new Chip(match[0]) }),
});

const chipPlugin = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = chipMatcher.createDeco(view);
    }
    update(update: ViewUpdate): void {
      this.decorations = chipMatcher.updateDeco(update, this.decorations);
    }
  },
  {
    decorations: (plugin) => plugin.decorations,
    // The cursor steps over a chip, and one key takes it out whole.
    provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? Decoration.none),
  },
);

const textTheme = EditorView.theme({
  "&": { color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--serif)", fontSize: "15px", lineHeight: "25px" },
  ".cm-content": { padding: "0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0" },
});

/** An editor for one content: prose with its holes as chips. `changed` hears of what a person does, not of `setText`. */
export function createTextEditor(text: string, label: string, changed: (text: string) => void): EditorView {
  const nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
  return new EditorView({
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, dir: "auto", spellcheck: "true" }),
        chipPlugin,
        textTheme,
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of((update) => {
          const told = update.transactions.some((transaction) => transaction.isUserEvent("set"));
          if (update.docChanged && !told) changed(update.state.doc.toString());
        }),
      ],
    }),
  });
}

/** Shows another text, where it differs; nobody is told. */
export function setEditorText(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: "set" });
}
