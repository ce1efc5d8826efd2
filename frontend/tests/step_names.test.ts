// The titles of Undo and Redo.

import assert from "node:assert/strict";
import { test } from "node:test";
import { history, redo, undo } from "@codemirror/commands";
import { EditorState, type Transaction, type TransactionSpec } from "@codemirror/state";
import { makeSampleEdit, makeSingleStep, readSampleEdit, recordsSampleEdits } from "../src/editor/edit_history.ts";
import { StepNames } from "../src/editor/step_names.ts";

function edit() {
  const names = new StepNames();
  let state = EditorState.create({ doc: "text", extensions: [history(), recordsSampleEdits] });
  const dispatch = (transaction: Transaction): void => {
    state = transaction.state;
    names.follow(transaction, readSampleEdit(transaction) !== null);
  };
  return {
    names,
    change: (spec: TransactionSpec) => dispatch(state.update(spec)),
    undo: () => undo({ state, dispatch }),
    redo: () => redo({ state, dispatch }),
  };
}

test("each step is named by what it was, and undone and redone by that name", () => {
  const page = edit();
  assert.equal(page.names.undoTitle, "Nothing to undo");
  page.change({ changes: { from: 4, insert: "a" }, userEvent: "input.type" });
  page.change({ changes: { from: 5, insert: "b" }, userEvent: "input.type" });
  assert.equal(page.names.undoTitle, "Undo typing (Ctrl Z)");
  page.change({ changes: { from: 0, insert: "pasted " }, userEvent: "input.paste" });
  page.change(makeSampleEdit({ samples: new Map(), sample: "" }, { samples: new Map([["a", {}]]), sample: "a" }));
  page.change(makeSingleStep({ changes: { from: 0, to: 1 } }));
  const undone = ["edit in the form", "edit of samples", "paste", "typing"].map((name) => {
    const title = page.names.undoTitle;
    page.undo();
    assert.equal(page.names.redoTitle, `Redo ${name} (Ctrl Shift Z, Ctrl Y)`);
    return title === `Undo ${name} (Ctrl Z)`;
  });
  assert.deepEqual(undone, [true, true, true, true]);
  assert.equal(page.names.undoTitle, "Nothing to undo");
  page.redo();
  assert.equal(page.names.undoTitle, "Undo typing (Ctrl Z)");
  page.change({ changes: { from: 0, to: 1 }, userEvent: "delete.backward" });
  assert.equal(page.names.undoTitle, "Undo deletion (Ctrl Z)");
  assert.equal(page.names.redoTitle, "Nothing to redo");
});

test("a history that drops its oldest steps goes on to name the newest", () => {
  const page = edit();
  for (let number = 0; number < 300; number += 1) page.change(makeSingleStep({ changes: { from: 0, insert: "x" } }));
  page.change({ changes: { from: 0, insert: "pasted" }, userEvent: "input.paste" });
  assert.equal(page.names.undoTitle, "Undo paste (Ctrl Z)");
  let count = 0;
  while (page.undo()) count += 1;
  assert.ok(count > 90);
  assert.equal(page.names.undoTitle, "Nothing to undo");
  assert.equal(page.names.redoTitle, "Redo edit in the form (Ctrl Shift Z, Ctrl Y)");
});
