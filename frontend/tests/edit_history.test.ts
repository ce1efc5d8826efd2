// The editor's one undo history.

import assert from "node:assert/strict";
import { test } from "node:test";
import { history, redo, undo } from "@codemirror/commands";
import { EditorState, type Transaction } from "@codemirror/state";
import { makeSampleEdit, readSampleEdit, recordsSampleEdits, SEPARATE_STEP } from "../src/editor/edit_history.ts";

test("an edit of samples is undone and redone in turn with edits of the text", () => {
  const [empty, filled] = [
    { samples: new Map(), sample: "" },
    { samples: new Map([["first", { name: "Ada" }]]), sample: "first" },
  ];
  let state = EditorState.create({ doc: "text", extensions: [history(), recordsSampleEdits] });
  let samples: unknown = empty;
  const dispatch = (transaction: Transaction): void => {
    state = transaction.state;
    samples = readSampleEdit(transaction) ?? samples;
  };
  dispatch(state.update({ changes: { from: 4, insert: " more" } }));
  dispatch(state.update(makeSampleEdit(empty, filled)));
  assert.deepEqual(samples, filled);
  undo({ state, dispatch });
  assert.deepEqual(samples, empty);
  assert.equal(state.doc.toString(), "text more");
  undo({ state, dispatch });
  assert.equal(state.doc.toString(), "text");
  redo({ state, dispatch });
  redo({ state, dispatch });
  assert.deepEqual(samples, filled);
});

test("a fix that immediately follows a paste is undone alone", () => {
  let state = EditorState.create({ doc: "", extensions: [history()] });
  const dispatch = (transaction: Transaction): void => {
    state = transaction.state;
  };
  dispatch(state.update({ changes: { from: 0, insert: "pasted" } }));
  dispatch(state.update({ ...SEPARATE_STEP, changes: { from: 6, insert: " and fixed" } }));
  undo({ state, dispatch });
  assert.equal(state.doc.toString(), "pasted");
});
