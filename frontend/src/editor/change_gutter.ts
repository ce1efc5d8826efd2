// The gutter bars beside lines that differ from the saved version.
import { Chunk } from "@codemirror/merge";
import { type EditorState, type Extension, StateEffect, StateField, Text } from "@codemirror/state";
import { GutterMarker, gutter } from "@codemirror/view";
import { createElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { readFormat } from "./language.ts";

interface Comparison {
  base: Text;
  chunks: readonly Chunk[];
}

/** Sets the text to compare with: after a save, the saved text. */
export const setBase = StateEffect.define<string>();

const toText = (text: string): Text => Text.of(text.split(/\r\n?|\n/));

const comparisonField = StateField.define<Comparison | null>({
  create: () => null,
  update(value, transaction) {
    let now = value;
    for (const effect of transaction.effects) {
      if (effect.is(setBase)) {
        const base = toText(effect.value);
        return { base, chunks: Chunk.build(base, transaction.newDoc) };
      }
    }
    if (now && transaction.docChanged) {
      now = { ...now, chunks: Chunk.updateB(now.chunks, now.base, transaction.newDoc, transaction.changes) };
    }
    return now;
  },
});

class ChangeBar extends GutterMarker {
  override toDOM(): HTMLElement {
    return createElement("span", { class: "cm-changed", title: gettext("Changed") });
  }
  override eq(): boolean {
    return true;
  }
}
const changeBar = new ChangeBar();

const isLineChanged = (state: EditorState, from: number): boolean =>
  state
    .field(comparisonField)
    ?.chunks.some((chunk) => from >= chunk.fromB && from < Math.max(chunk.toB, chunk.fromB + 1)) ?? false;

/** A bar beside each line that differs from the version the text is based on. */
export const changedLines: Extension = [
  comparisonField,
  gutter({
    class: "cm-changes",
    lineMarker: (view, line) => (isLineChanged(view.state, line.from) ? changeBar : null),
    lineMarkerChange: (update) => update.startState.field(comparisonField) !== update.state.field(comparisonField),
  }),
];

/** How many lines differ from the base, null without a base. */
export function countChangedLines(state: EditorState): number | null {
  const comparison = state.field(comparisonField);
  if (!comparison) return null;
  let lines = 0;
  for (const chunk of comparison.chunks) {
    const first = state.doc.lineAt(Math.min(chunk.fromB, state.doc.length)).number;
    const last = state.doc.lineAt(Math.min(Math.max(chunk.fromB, chunk.endB), state.doc.length)).number;
    lines += last - first + 1;
  }
  return lines;
}

/** The text in a few words: its format, its lines, and how many of them changed since version `base`. */
export function describeSource(state: EditorState, base: number | null): string {
  const changed = base === null ? null : countChangedLines(state);
  const facts = [readFormat(state), ngettext("{count} line", "{count} lines", state.doc.lines)];
  if (base !== null && changed !== null)
    facts.push(
      changed
        ? gettext("{count} changed since v{number}", { count: changed, number: base })
        : gettext("none changed since v{number}", { number: base }),
    );
  return facts.join(", ");
}
