// The keys of the grid of a dataset.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type GridActions, pressKey } from "../src/datasets/grid_keys.ts";

type Keys = Partial<Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">>;

/** The acts that a key calls, and whether the browser's own answer to it is prevented. */
function press(keys: Keys): { called: string[]; isPrevented: boolean } {
  const called: string[] = [];
  let isPrevented = false;
  const acts: GridActions = {
    undo: () => called.push("undo"),
    redo: () => called.push("redo"),
    move: (step, isExtended) => called.push(`move ${step.join(" ")}${isExtended ? " extended" : ""}`),
    edit: (typed) => called.push(`edit ${typed ?? ""}`.trim()),
    clear: () => called.push("clear"),
    tick: () => called.push("tick"),
  };
  const event = {
    ...{ ctrlKey: false, metaKey: false, shiftKey: false, altKey: false },
    ...keys,
    preventDefault: () => {
      isPrevented = true;
    },
    stopPropagation: () => {},
  };
  pressKey(event as KeyboardEvent, acts);
  return { called, isPrevented };
}

test("Ctrl Z and Cmd Z undo, with Shift they redo, and so does Y; Caps Lock changes nothing", () => {
  for (const held of [{ ctrlKey: true }, { metaKey: true }]) {
    // With Caps Lock the letter is a capital one without Shift, and a small one with it.
    for (const key of ["z", "Z"]) {
      assert.deepEqual(press({ ...held, key }), { called: ["undo"], isPrevented: true });
      assert.deepEqual(press({ ...held, key, shiftKey: true }), { called: ["redo"], isPrevented: true });
    }
    for (const key of ["y", "Y"]) assert.deepEqual(press({ ...held, key }), { called: ["redo"], isPrevented: true });
  }
});

test("other keys with Ctrl or Cmd are the browser's", () => {
  for (const key of ["c", "C", "v", "Enter", "ArrowDown", " "]) {
    assert.deepEqual(press({ ctrlKey: true, key }), { called: [], isPrevented: false });
    assert.deepEqual(press({ metaKey: true, key }), { called: [], isPrevented: false });
  }
  // AltGr is Ctrl and Alt together on Windows, and types a character.
  assert.deepEqual(press({ ctrlKey: true, altKey: true, key: "z" }), { called: [], isPrevented: false });
});

test("keys without Ctrl move, edit, clear and tick", () => {
  assert.deepEqual(press({ key: "ArrowDown", shiftKey: true }).called, ["move 1 0 extended"]);
  assert.deepEqual(press({ key: "Enter" }).called, ["edit"]);
  assert.deepEqual(press({ key: "Z", shiftKey: true }).called, ["edit Z"]);
  assert.deepEqual(press({ key: "Delete" }).called, ["clear"]);
  assert.deepEqual(press({ key: " " }).called, ["tick"]);
  assert.deepEqual(press({ key: "z", altKey: true }), { called: [], isPrevented: false });
});
