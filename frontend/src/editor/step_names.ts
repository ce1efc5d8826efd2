// The names of the steps in the editor's history, for the titles of Undo and Redo.
import { redoDepth, undoDepth } from "@codemirror/commands";
import { Transaction } from "@codemirror/state";
import { gettext } from "../language.ts";

/** The name of a transaction in the history. */
function describeTransaction(transaction: Transaction, isSampleEdit: boolean): string {
  if (isSampleEdit) return transaction.docChanged ? gettext("edit of text and samples") : gettext("edit of samples");
  const event = transaction.annotation(Transaction.userEvent) ?? "";
  if (transaction.isUserEvent("input.paste")) return gettext("paste");
  if (transaction.isUserEvent("delete")) return gettext("deletion");
  if (transaction.isUserEvent("input.fix")) return gettext("fix");
  if (transaction.isUserEvent("input.form")) return gettext("edit in the form");
  return event.startsWith("input.type") ? gettext("typing") : gettext("edit");
}

/** Names of the undoable and redoable steps, parallel to the history. */
export class StepNames {
  #done: string[] = [];
  #undone: string[] = [];

  /** Tracks a transaction's effect on the history. isSampleEdit: whether it edits samples. */
  follow(transaction: Transaction, isSampleEdit: boolean): void {
    if (!transaction.docChanged && !isSampleEdit) return;
    const depth = undoDepth(transaction.state);
    const grown = depth - undoDepth(transaction.startState);
    if (transaction.isUserEvent("undo")) this.#undone.push(this.#done.pop() ?? "");
    else if (transaction.isUserEvent("redo")) this.#done.push(this.#undone.pop() ?? "");
    else {
      // Typing extends a step; a full history drops its oldest steps.
      if (grown !== 0 || !this.#done.length) this.#done.push(describeTransaction(transaction, isSampleEdit));
      this.#undone = [];
    }
    this.#done = depth ? this.#done.slice(-depth) : [];
    if (!redoDepth(transaction.state)) this.#undone = [];
  }

  /** The title of the button Undo. */
  get undoTitle(): string {
    const step = this.#done.at(-1);
    return step ? gettext("Undo {step} ({keys})", { step, keys: "Ctrl Z" }) : gettext("Nothing to undo");
  }

  /** The title of the button Redo. */
  get redoTitle(): string {
    const step = this.#undone.at(-1);
    return step ? gettext("Redo {step} ({keys})", { step, keys: "Ctrl Shift Z, Ctrl Y" }) : gettext("Nothing to redo");
  }
}
