// Problems in the source: underlines, gutter signs, messages under the line, and fixes.
import {
  type ChangeDesc,
  type EditorState,
  type Extension,
  type Range,
  StateEffect,
  StateField,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  type KeyBinding,
  WidgetType,
} from "@codemirror/view";
import { createCodeLink, createCodeSpans, createElement, createIcon } from "../dom.ts";
import { gettext } from "../language.ts";
import { findOffset } from "./positions.ts";
import type { Problem } from "./types.ts";

interface Change {
  from: number;
  to: number;
  insert: string;
}
/** A problem at its current place, which follows edits of the text. */
interface Placed {
  problem: Problem;
  from: number;
  to: number;
  fix: Change[];
}
interface Shown {
  placed: Placed[];
  /** Lines (by their start) whose block the reader has folded. */
  closed: ReadonlySet<string>;
}

const ICONS = { error: "circle-x", warning: "triangle-alert", note: "info" } as const;
export const SEVERITY_WORDS = { error: gettext("Error"), warning: gettext("Warning"), note: gettext("Note") } as const;
const SIGN_TITLES = {
  error: gettext("error: fold or open"),
  warning: gettext("warning: fold or open"),
  note: gettext("note: fold or open"),
} as const;
const RANK = { error: 0, warning: 1, note: 2 } as const;
// With more than this many, only the blocks at the cursor's line are open, to keep the text readable.
const OPEN_AT_ONCE = 6;

export const setProblems = StateEffect.define<Problem[]>();
const toggle = StateEffect.define<string>();

const makeName = (problem: Problem): string => `${problem.code}:${problem.message}`;

function placeProblem(state: EditorState, problem: Problem): Placed {
  const { doc } = state;
  const line = doc.line(Math.min(Math.max(1, problem.line), doc.lines));
  const from = findOffset(doc, problem.line, problem.column);
  let to = problem.end_line ? findOffset(doc, problem.end_line, problem.end_column ?? 1) : from;
  if (to <= from) to = Math.max(from, line.from + line.text.trimEnd().length);
  const fix = (problem.fix?.edits ?? []).map((edit) => ({
    from: findOffset(doc, edit.line, edit.column),
    to: findOffset(doc, edit.end_line, edit.end_column),
    insert: edit.text,
  }));
  return { problem, from, to, fix };
}

function follow(placed: Placed, changes: ChangeDesc): Placed {
  const from = changes.mapPos(placed.from, 1);
  const fix = placed.fix.map((edit) => ({
    ...edit,
    from: changes.mapPos(edit.from, -1),
    to: changes.mapPos(edit.to, 1),
  }));
  return { ...placed, from, to: Math.max(from, changes.mapPos(placed.to, -1)), fix };
}

export const problemField = StateField.define<Shown>({
  create: () => ({ placed: [], closed: new Set() }),
  update(shown, transaction) {
    let { placed, closed } = shown;
    if (transaction.docChanged) placed = placed.map((placement) => follow(placement, transaction.changes));
    for (const effect of transaction.effects) {
      if (effect.is(setProblems)) {
        placed = effect.value
          .map((problem) => placeProblem(transaction.state, problem))
          .sort((a, b) => a.from - b.from || RANK[a.problem.severity] - RANK[b.problem.severity]);
        closed = new Set(
          [...closed].filter((name) => placed.some((placement) => makeName(placement.problem) === name)),
        );
      } else if (effect.is(toggle)) {
        const next = new Set(closed);
        if (!next.delete(effect.value)) next.add(effect.value);
        closed = next;
      }
    }
    return placed === shown.placed && closed === shown.closed ? shown : { placed, closed };
  },
  provide: (field) => [
    EditorView.decorations.compute([field], (state) => underline(state)),
    EditorView.decorations.compute([field, "selection"], (state) => drawBlocks(state)),
  ],
});

function underline(state: EditorState): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const { problem, from, to } of state.field(problemField).placed) {
    if (from < to) ranges.push(Decoration.mark({ class: `cm-wave cm-wave-${problem.severity}` }).range(from, to));
  }
  return Decoration.set(ranges, true);
}

function isOpen(state: EditorState, { problem, from }: Placed): boolean {
  const { placed, closed } = state.field(problemField);
  if (closed.has(makeName(problem))) return false;
  const here = state.doc.lineAt(from).number === state.doc.lineAt(state.selection.main.head).number;
  return here || (problem.severity !== "note" && placed.length <= OPEN_AT_ONCE);
}

function drawBlocks(state: EditorState): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const placed of state.field(problemField).placed) {
    if (!isOpen(state, placed)) continue;
    const line = state.doc.lineAt(placed.from);
    ranges.push(Decoration.widget({ widget: new Block(placed, line.number), block: true, side: 1 }).range(line.to));
  }
  return Decoration.set(ranges, true);
}

class Block extends WidgetType {
  constructor(
    readonly placed: Placed,
    readonly line: number,
  ) {
    super();
  }

  override eq(other: Block): boolean {
    const [a, b] = [this.placed.problem, other.placed.problem];
    return this.line === other.line && makeName(a) === makeName(b) && a.fix?.title === b.fix?.title;
  }

  toDOM(view: EditorView): HTMLElement {
    const { problem } = this.placed;
    const severity = SEVERITY_WORDS[problem.severity];
    const message = createElement(
      "p",
      {},
      createElement("b", {}, gettext("{severity}, line {line}.", { severity, line: this.line }), " "),
      ...createCodeSpans(problem.message),
      " ",
    );
    message.append(createCodeLink(problem.code));
    const close = createElement("button", {
      type: "button",
      class: "icon-button",
      "aria-label": gettext("Fold {code} away", { code: problem.code }),
    });
    close.append(createIcon("x"));
    close.addEventListener("click", () => {
      view.dispatch({ effects: toggle.of(makeName(problem)) });
      view.focus();
    });
    const box = createElement("div", { class: `cm-problem cm-problem-${problem.severity}` }, message, close);
    if (problem.fix) {
      const button = createElement(
        "button",
        { type: "button", class: "button button-small" },
        ...createCodeSpans(problem.fix.title),
      );
      button.addEventListener("click", () => applyFix(view, problem));
      box.append(button);
    }
    // Padding instead of margin around the box: CodeMirror measures widgets without their margins.
    return createElement("div", { class: "cm-problem-place" }, box);
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** Applies a problem's fix at its current place; found by name, because the text may have moved since the block was
 * drawn. */
export function applyFix(view: EditorView, problem: Problem): boolean {
  const now = view.state
    .field(problemField)
    .placed.find((placement) => makeName(placement.problem) === makeName(problem));
  if (!now?.fix.length) return false;
  view.dispatch({ changes: now.fix, userEvent: "input.fix", scrollIntoView: true });
  view.focus();
  return true;
}

class Sign extends GutterMarker {
  constructor(
    readonly severity: Problem["severity"],
    readonly names: readonly string[],
  ) {
    super();
  }
  override eq(other: Sign): boolean {
    return this.severity === other.severity && this.names.join() === other.names.join();
  }
  override toDOM(): HTMLElement {
    const sign = createElement("span", {
      class: `cm-sign cm-sign-${this.severity}`,
      title: SIGN_TITLES[this.severity],
    });
    sign.append(createIcon(ICONS[this.severity]));
    return sign;
  }
}

const signs = gutter({
  class: "cm-signs",
  lineMarker(view, line) {
    const { doc } = view.state;
    const found = view.state
      .field(problemField)
      .placed.filter(({ from }) => doc.lineAt(from).from === line.from)
      .map(({ problem }) => problem);
    const worst = found.toSorted((a, b) => RANK[a.severity] - RANK[b.severity])[0];
    return worst ? new Sign(worst.severity, found.map(makeName)) : null;
  },
  lineMarkerChange: (update) => update.startState.field(problemField) !== update.state.field(problemField),
  initialSpacer: () => new Sign("note", []),
  domEventHandlers: {
    mousedown(view, line) {
      const { doc } = view.state;
      const here = view.state.field(problemField).placed.filter(({ from }) => doc.lineAt(from).from === line.from);
      view.dispatch({ effects: here.map(({ problem }) => toggle.of(makeName(problem))) });
      return here.length > 0;
    },
  },
});

/** Whether a name is likely a misspelling: its fix replaces the name, while other fixes declare it. */
export function isMisspelt(problem: Problem): boolean {
  return Boolean(problem.fix?.edits.some((edit) => edit.line === problem.line && edit.column === problem.column));
}

/** Moves the cursor to the next problem, or the previous one with -1, wrapping around. */
export function goToProblem(view: EditorView, by: 1 | -1): boolean {
  const { placed } = view.state.field(problemField);
  if (!placed.length) return false;
  const { head } = view.state.selection.main;
  const order = by > 0 ? placed : placed.toReversed();
  const next = order.find(({ from }) => (by > 0 ? from > head : from < head)) ?? order[0];
  if (!next) return false;
  view.dispatch({
    selection: { anchor: next.from },
    effects: EditorView.scrollIntoView(next.from, { y: "center" }),
  });
  view.focus();
  return true;
}

function fixAtCursor(view: EditorView): boolean {
  const { doc, selection } = view.state;
  const here = doc.lineAt(selection.main.head).from;
  const found = view.state.field(problemField).placed.find((p) => p.fix.length && doc.lineAt(p.from).from === here);
  return found ? applyFix(view, found.problem) : false;
}

export const problemKeys: readonly KeyBinding[] = [
  { key: "F8", run: (view) => goToProblem(view, 1), shift: (view) => goToProblem(view, -1) },
  { key: "Mod-.", run: fixAtCursor },
];

export const problemMarks: Extension = [problemField, signs];
