// The one undo history of the editor: the text and the samples, whichever view they were edited in.
import { history, invertedEffects, isolateHistory, redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { type Extension, StateEffect, Transaction, type TransactionSpec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { findElement } from "../dom.ts";
import { isSameSamples, type Samples } from "./sample_map.ts";
import { StepNames } from "./step_names.ts";

/** The samples as the inputs pane has them, and the one that it shows. */
export interface SampleState {
  samples: Samples;
  sample: string;
}

const PAUSE = 700; // milliseconds without a key after which typed values become one step

/** An edit of the samples, recorded so that it can be undone. */
const editSamples = StateEffect.define<{ before: SampleState; after: SampleState }>();

/** Lets a history undo edits of the samples. */
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

/** Keys for an editor that edits a piece of `source`: they undo in the source, which holds the history. */
export const historyKeysOf = (source: EditorView): Extension =>
  keymap.of([
    { key: "Mod-z", run: () => undo(source) || true, preventDefault: true },
    { key: "Mod-y", run: () => redo(source) || true, preventDefault: true },
    { key: "Mod-Shift-z", run: () => redo(source) || true, preventDefault: true },
  ]);

/** Records edits of the samples in the history of the source, and brings them back when they are undone. */
export class SampleHistory {
  readonly #source: EditorView;
  #before: SampleState | null = null;
  #after: SampleState | null = null;
  #timer: number | undefined;

  constructor(source: EditorView) {
    this.#source = source;
  }

  /** Take down an edit. Edits that follow each other without a pause are one step. */
  record(before: SampleState, after: SampleState): void {
    this.#before ??= before;
    this.#after = after;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.commit(), PAUSE);
  }

  /** Close the step that is open, so that the next undo takes it back. */
  commit(): void {
    window.clearTimeout(this.#timer);
    const [before, after] = [this.#before, this.#after];
    this.#before = this.#after = null;
    if (!before || !after) return;
    if (before.sample === after.sample && isSameSamples(before.samples, after.samples)) return;
    this.#source.dispatch(sampleEdit(before, after));
  }
}

/** A transaction that edits the samples, alone or together with the text. */
export function sampleEdit(before: SampleState, after: SampleState): TransactionSpec {
  return { effects: editSamples.of({ before, after }), annotations: isolateHistory.of("full") };
}

/** The samples that a transaction leads to; null where it is no edit of them. */
export function readSampleEdit(transaction: Transaction): SampleState | null {
  const edit = transaction.effects.find((effect) => effect.is(editSamples));
  return edit ? edit.value.after : null;
}

/** Calls back with the samples that an undo or a redo brings back. */
export function followSamples(restore: (state: SampleState) => void): Extension {
  return EditorView.updateListener.of((update) => {
    for (const transaction of update.transactions) {
      if (!transaction.isUserEvent("undo") && !transaction.isUserEvent("redo")) continue;
      const state = readSampleEdit(transaction);
      if (state) restore(state);
    }
  });
}

/** A change of the text in one step of its own, which says what it is in the history. */
export function singleStep(spec: TransactionSpec): TransactionSpec {
  return { ...spec, annotations: [isolateHistory.of("full"), Transaction.userEvent.of("input.form")] };
}

/** The buttons Undo and Redo, and their keys wherever the focus is on the page. */
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
      // The message is no part of the text: its own undo is the browser's.
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
