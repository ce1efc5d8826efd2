// The text editor of a card, with expressions as chips.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap } from "@codemirror/commands";
import { EditorState, type Extension, type Range, StateEffect, Transaction } from "@codemirror/state";
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
import { createElement, createIcon } from "../../dom.ts";
import { gettext, pgettext } from "../../language.ts";
import { findSmallestChange } from "../text_changes.ts";
import { completionTheme } from "../theme.ts";
import { describeStatement, measureDepths, readInner } from "./statement_words.ts";

const PATH = /^[\p{L}_][\p{L}\p{M}\p{N}_]*(?:\.[\p{L}\p{M}\p{N}_]+)*$/u;
const FRAGMENT = /^fragment\(\s*["'](.+?)["']\s*\)$/;

/** The label of a chip: an input in words, a fragment's name, a loop or condition in words, anything else unchanged. */
export function nameChip(source: string): { kind: "input" | "fragment" | "plain" | "other"; text: string } {
  const raw = RAW.exec(source);
  if (raw) return { kind: "plain", text: raw[1] ?? "" };
  if (source.startsWith("{%")) {
    const { text, expression } = describeStatement(readInner(source));
    return { kind: "other", text: `${text} ${expression}`.trim() };
  }
  const inner = source.replace(/^\{\{[-+]?\s*|\s*[-+]?\}\}$/g, "");
  if (inner === "loop.index") return { kind: "input", text: pgettext("of a repeated item", "number") };
  if (PATH.test(inner)) return { kind: "input", text: inner.replaceAll(".", " ") };
  const fragment = FRAGMENT.exec(inner);
  return fragment
    ? { kind: "fragment", text: gettext("fragment {name}", { name: fragment[1] ?? "" }) }
    : { kind: "other", text: inner };
}

/** The state of an expression: fine, its name is undeclared, or a problem is reported at it. */
export type ChipState = "sound" | "undeclared" | "wrong";

/** A chip for an expression. */
export function drawChip(source: string, state: ChipState): HTMLElement {
  const { kind, text } = nameChip(source);
  if (source.startsWith("{%") && kind !== "plain" && state !== "wrong") return drawStatement(source, state);
  const look = { sound: `chip-${kind}`, undeclared: "chip-undeclared", wrong: "chip-wrong" }[state];
  const sign = state === "wrong" ? [createIcon("circle-x")] : [];
  return createElement("span", { class: `chip ${look}`, title: source }, ...sign, text);
}

function drawStatement(source: string, state: ChipState): HTMLElement {
  const { kind, text, expression } = describeStatement(readInner(source));
  const icon = { loop: ["repeat"], condition: ["git-branch"], end: [], other: [] }[kind].map(createIcon);
  const chip = expression ? [" ", drawExpression(expression, state)] : [];
  const look = kind === "other" ? "chip chip-other" : `form-statement form-statement-${kind}`;
  return createElement("span", { class: look, title: source }, ...icon, text, ...chip);
}

/** The expression that a loop or a condition depends on, as a chip. */
export function drawExpression(expression: string, state: ChipState): HTMLElement {
  const look = { sound: "chip-input", undeclared: "chip-undeclared", wrong: "chip-wrong" }[state];
  return createElement("span", { class: `chip ${look}` }, expression);
}

class Chip extends WidgetType {
  constructor(
    readonly source: string,
    readonly state: ChipState,
  ) {
    super();
  }

  override eq(other: Chip): boolean {
    return this.source === other.source && this.state === other.state;
  }

  toDOM(): HTMLElement {
    return drawChip(this.source, this.state);
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** Complete expressions: an opening brace followed by another one before it is closed is plain text. A raw block is one
 * piece. */
const EXPRESSION =
  /\{%-?\s*raw\s*-?%\}(?:(?!\{%).)*\{%-?\s*endraw\s*-?%\}|\{\{(?:(?!\{\{|\}\}).)*\}\}|\{%(?:(?!\{%|%\}).)*%\}/g;
const RAW = /^\{%-?\s*raw\s*-?%\}(.*)\{%-?\s*endraw\s*-?%\}$/;

/** Updates the chips after their states changed. */
export const redrawChips = StateEffect.define<null>();

const FIRST_NAME = /^(?:\{\{[-+]?\s*|\{%[-+]?\s*(?:for\s.+?\sin|if|elif)\s+(?:not\s+)?)([\p{L}_][\p{L}\p{M}\p{N}_]*)/u;

/** The name at the start of an expression, `customer` of `{{ customer.name | upper }}`, or the one that a loop or a
 * condition depends on. */
export const findFirstName = (source: string): string => FIRST_NAME.exec(source)?.[1] ?? "";

/** The expressions of a line with their 0-based columns. */
export function listExpressions(line: string): { source: string; column: number }[] {
  return [...line.matchAll(EXPRESSION)].map((match) => ({ source: match[0], column: match.index }));
}

/** The expression at a 0-based column of a line; empty if there isn't one. */
export function findExpressionAt(line: string, column: number): string {
  const expression = listExpressions(line).find(
    (each) => each.column <= column && column < each.column + each.source.length,
  );
  return expression?.source ?? "";
}

/** Expressions as chips. The one that contains the cursor is being typed, so it stays text. */
function makeChips(stateOf: (source: string) => ChipState): Extension {
  const matcher = new MatchDecorator({
    regexp: EXPRESSION,
    decorate: (add, from, to, match, view) => {
      const { head } = view.state.selection.main;
      if (view.hasFocus && head > from && head < to) return;
      add(from, to, Decoration.replace({ widget: new Chip(match[0], stateOf(match[0])) }));
    },
  });
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = matcher.createDeco(view);
      }
      update(update: ViewUpdate): void {
        const isRedrawn = update.transactions.some((transaction) =>
          transaction.effects.some((effect) => effect.is(redrawChips)),
        );
        this.decorations =
          update.selectionSet || update.focusChanged || isRedrawn
            ? matcher.createDeco(update.view)
            : matcher.updateDeco(update, this.decorations);
      }
    },
    {
      decorations: (plugin) => plugin.decorations,
      // The cursor steps over a chip, and one keystroke deletes it.
      provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? Decoration.none),
    },
  );
}

/** Lines inside a loop or a condition are indented and have a rule. */
const nestedLines = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = markNestedLines(view.state);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged) this.decorations = markNestedLines(update.state);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function markNestedLines(state: EditorState): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const [index, depth] of measureDepths(state.doc.iterLines()).entries()) {
    if (depth) ranges.push(Decoration.line({ class: chooseNestedClass(depth) }).range(state.doc.line(index + 1).from));
  }
  return Decoration.set(ranges);
}

const chooseNestedClass = (depth: number): string => `form-nested form-nested-${Math.min(depth, 3)}`;

/** The editor's rendering of a text without an editor, for a card that isn't visible. */
export function drawFixedText(text: string, stateOf: (source: string) => ChipState): HTMLElement[] {
  const lines = text.split("\n");
  const depths = measureDepths(lines);
  return lines.map((line, index) => {
    const depth = depths[index] ?? 0;
    const element = createElement("div", { class: depth ? chooseNestedClass(depth) : undefined });
    let end = 0;
    for (const match of line.matchAll(EXPRESSION)) {
      element.append(line.slice(end, match.index), drawChip(match[0], stateOf(match[0])));
      end = match.index + match[0].length;
    }
    element.append(line.slice(end) || (end ? "" : "\u200b"));
    return element;
  });
}

const textTheme = EditorView.theme({
  "&": { color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--serif)", fontSize: "15px", lineHeight: "25px" },
  ".cm-content": { padding: "0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0" },
});

/** What the editor of a content needs from the form. */
export interface TextEditorHost {
  /** Called with changes by the user and their CodeMirror user event; not for `setEditorText`. */
  changed(text: string, userEvent: string): void;
  stateOf(source: string): ChipState;
  /** Undo and redo, which apply to the source. */
  historyKeys: Extension;
  /** What can be inserted while typing. */
  completion: Extension;
  /** The menu of a chip. */
  menu: Extension;
}

// Only braces are closed automatically: quotes and brackets are normal characters in prose.
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
        makeChips(host.stateOf),
        nestedLines,
        textTheme,
        completionTheme,
        closeBraces,
        host.historyKeys,
        host.completion,
        host.menu,
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

/** Replaces the text if it differs, and puts the cursor after the change; `changed` isn't called. */
export function setEditorText(view: EditorView, text: string): void {
  const change = findSmallestChange(view.state.doc.toString(), text);
  if (!change) return;
  const selection = view.hasFocus ? { anchor: change.from + change.insert.length } : undefined;
  view.dispatch({ changes: change, selection, userEvent: "set" });
}
