// The text editor of a card, with expressions as chips.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap } from "@codemirror/commands";
import { EditorState, type Extension, StateEffect, Transaction } from "@codemirror/state";
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
import { smallestChange } from "../text_changes.ts";

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
  constructor(
    readonly source: string,
    readonly isUndeclared: boolean,
  ) {
    super();
  }

  override eq(other: Chip): boolean {
    return this.source === other.source && this.isUndeclared === other.isUndeclared;
  }

  toDOM(): HTMLElement {
    const { kind, words } = nameOfChip(this.source);
    const look = this.isUndeclared ? "chip-undeclared" : `chip-${kind}`;
    return createElement("span", { class: `chip ${look}`, title: this.source }, words);
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** Whole expressions: a brace that another pair opens before it is closed is plain text. */
const EXPRESSION = /\{\{(?:(?!\{\{|\}\}).)*\}\}|\{%(?:(?!\{%|%\}).)*%\}/g;

/** Tells the chips that other names are undeclared now. */
export const redrawChips = StateEffect.define<null>();

/** The name that an expression begins with: `customer` of `{{ customer.name | upper }}`. */
const firstName = (source: string): string => /^\{\{[-+]?\s*([A-Za-z_]\w*)/.exec(source)?.[1] ?? "";

/** Expressions as chips. The one that the cursor stands in is being written, so it stays text. */
function chips(isUndeclared: (name: string) => boolean): Extension {
  const matcher = new MatchDecorator({
    regexp: EXPRESSION,
    decorate: (add, from, to, match, view) => {
      const { head } = view.state.selection.main;
      if (view.hasFocus && head > from && head < to) return;
      const widget = new Chip(match[0], isUndeclared(firstName(match[0])));
      add(from, to, Decoration.replace({ widget }));
    },
  });
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = matcher.createDeco(view);
      }
      update(update: ViewUpdate): void {
        const isRedrawn = update.transactions.some((each) => each.effects.some((effect) => effect.is(redrawChips)));
        this.decorations =
          update.selectionSet || update.focusChanged || isRedrawn
            ? matcher.createDeco(update.view)
            : matcher.updateDeco(update, this.decorations);
      }
    },
    {
      decorations: (plugin) => plugin.decorations,
      // The cursor steps over a chip, and one key takes it out whole.
      provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? Decoration.none),
    },
  );
}

const textTheme = EditorView.theme({
  "&": { color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--serif)", fontSize: "15px", lineHeight: "25px" },
  ".cm-content": { padding: "0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0" },
});

/** What an editor of a content needs of the form. */
export interface TextEditorHost {
  /** Hears of what a person does, and of what kind it is, as CodeMirror names it; not of `setEditorText`. */
  changed(text: string, userEvent: string): void;
  isUndeclared(name: string): boolean;
  /** Undo and redo, which the source keeps. */
  historyKeys: Extension;
  /** What can be put in while typing. */
  completion: Extension;
}

// Braces alone are closed: quotes and brackets are ordinary signs of prose.
const closeBraces: Extension = [
  closeBrackets(),
  EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["{"] } }]),
];

/** An editor for one content: prose with its expressions as chips. */
export function createTextEditor(text: string, label: string, host: TextEditorHost): EditorView {
  const nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
  return new EditorView({
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, dir: "auto", spellcheck: "true" }),
        chips(host.isUndeclared),
        textTheme,
        closeBraces,
        host.historyKeys,
        host.completion,
        keymap.of([...closeBracketsKeymap, ...defaultKeymap]),
        EditorView.updateListener.of((update) => {
          const isSet = update.transactions.some((transaction) => transaction.isUserEvent("set"));
          if (!update.docChanged || isSet) return;
          const event = update.transactions.at(-1)?.annotation(Transaction.userEvent) ?? "input";
          host.changed(update.state.doc.toString(), event);
        }),
      ],
    }),
  });
}

/** Shows another text, where it differs, with the cursor after what changed; nobody is told. */
export function setEditorText(view: EditorView, text: string): void {
  const change = smallestChange(view.state.doc.toString(), text);
  if (!change) return;
  const selection = view.hasFocus ? { anchor: change.from + change.insert.length } : undefined;
  view.dispatch({ changes: change, selection, userEvent: "set" });
}
