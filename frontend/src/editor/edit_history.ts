// The editor's only undo history, of the text and the samples, in whichever view they were edited.
import { history, invertedEffects, isolateHistory, redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { type Extension, StateEffect, Transaction, type TransactionSpec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { findElement } from "../dom.ts";
import { isSameSamples, type Samples } from "./sample_map.ts";
import { StepNames } from "./step_names.ts";

/** The samples in the inputs pane, and the displayed one. */
export interface SampleState {
  samples: Samples;
  sample: string;
}

const PAUSE = 700; // milliseconds without a keystroke that end a step

/** An edit of the samples, recorded for undo. */
const editSamples = StateEffect.define<{ before: SampleState; after: SampleState }>();

/** Makes edits of the samples undoable in a history. */
export const recordsSampleEdits = invertedEffects.of((transaction) =>
  transaction.effects
    .filter((effect) => effect.is(editSamples))
    .map((effect) => editSamples.of({ before: effect.value.after, after: effect.value.before })),
);

/** The history and its keys, for the source editor. */
export const editHistory: Extension = [
  history(),
  recordsSampleEdits,
  keymap.of([
    { key: "Mod-z", run: undo, preventDefault: true },
    { key: "Mod-y", run: redo, preventDefault: true },
    { key: "Mod-Shift-z", run: redo, preventDefault: true },
  ]),
];

/** Keys for an editor of an excerpt of `source`: they undo in the source, which has the history. */
export function bindHistoryKeys(source: EditorView): Extension {
  const runInSource = (command: typeof undo) => (): boolean => {
    command(source);
    return true; // even if there is nothing to undo, no other handler runs
  };
  return keymap.of([
    { key: "Mod-z", run: runInSource(undo), preventDefault: true },
    { key: "Mod-y", run: runInSource(redo), preventDefault: true },
    { key: "Mod-Shift-z", run: runInSource(redo), preventDefault: true },
  ]);
}

/** Records edits of the samples in the history of the source, and restores them on undo. */
export class SampleHistory {
  readonly #source: EditorView;
  #before: SampleState | null = null;
  #after: SampleState | null = null;
  #timer: number | undefined;

  constructor(source: EditorView) {
    this.#source = source;
  }

  /** Records an edit. Edits without a pause between them are one step. */
  record(before: SampleState, after: SampleState): void {
    this.#before ??= before;
    this.#after = after;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.commit(), PAUSE);
  }

  /** Closes the open step, so that the next undo reverts it. */
  commit(): void {
    window.clearTimeout(this.#timer);
    const [before, after] = [this.#before, this.#after];
    this.#before = this.#after = null;
    if (!before || !after) return;
    if (before.sample === after.sample && isSameSamples(before.samples, after.samples)) return;
    this.#source.dispatch(makeSampleEdit(before, after));
  }
}

/** Makes a transaction a step that is undone alone, however soon it follows another one. */
export const SEPARATE_STEP: TransactionSpec = { annotations: isolateHistory.of("full") };

/** A transaction that edits the samples, alone or together with the text. */
export function makeSampleEdit(before: SampleState, after: SampleState): TransactionSpec {
  return { ...SEPARATE_STEP, effects: editSamples.of({ before, after }) };
}

/** The samples after a transaction; null if it doesn't edit them. */
export function readSampleEdit(transaction: Transaction): SampleState | null {
  const edit = transaction.effects.find((effect) => effect.is(editSamples));
  return edit ? edit.value.after : null;
}

/** Calls `restore` with the samples of an undo or a redo. */
export function followSamples(restore: (state: SampleState) => void): Extension {
  return EditorView.updateListener.of((update) => {
    for (const transaction of update.transactions) {
      if (!transaction.isUserEvent("undo") && !transaction.isUserEvent("redo")) continue;
      const state = readSampleEdit(transaction);
      if (state) restore(state);
    }
  });
}

/** A change of the text as a separate step, named in the history. */
export function makeSingleStep(spec: TransactionSpec): TransactionSpec {
  return { ...spec, annotations: [isolateHistory.of("full"), Transaction.userEvent.of("input.form")] };
}

/** The buttons Undo and Redo, and their keys anywhere on the page. */
export function installHistoryControls(root: HTMLElement, source: EditorView, samples: SampleHistory): Extension {
  const buttons = { undo: findElement(root, "[data-undo]"), redo: findElement(root, "[data-redo]") };
  const names = new StepNames();
  const show = (): void => {
    buttons.undo.title = names.undoTitle;
    buttons.redo.title = names.redoTitle;
    buttons.undo.setAttribute("aria-disabled", String(undoDepth(source.state) === 0));
    buttons.redo.setAttribute("aria-disabled", String(redoDepth(source.state) === 0));
  };
  const run = (command: typeof undo): void => {
    samples.commit();
    command(source);
  };
  findElement(root, "[data-history]").hidden = false;
  buttons.undo.addEventListener("click", () => run(undo));
  buttons.redo.addEventListener("click", () => run(redo));
  root.addEventListener("focusout", () => samples.commit());
  document.addEventListener(
    "keydown",
    (event) => {
      const target = event.target as Element;
      const isOurs = root.contains(target) || target === document.body;
      // The message isn't part of the text: its own undo is the browser's.
      if (!isOurs || !(event.ctrlKey || event.metaKey) || event.altKey || target.closest("[name=message], dialog"))
        return;
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      event.stopPropagation();
      run(key === "y" || event.shiftKey ? redo : undo);
    },
    { capture: true },
  );
  show();
  return EditorView.updateListener.of((update) => {
    for (const transaction of update.transactions) names.follow(transaction, readSampleEdit(transaction) !== null);
    show();
  });
}
