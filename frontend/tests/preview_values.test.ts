// Values typed for undeclared inputs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readTyped, writeTyped } from "../src/editor/preview_values.ts";

test("what is typed is read as the kind of the input", () => {
  assert.equal(readTyped("  ", "text"), undefined);
  assert.equal(readTyped("Ada", "text"), "Ada");
  assert.deepEqual(readTyped("boots\n\n gloves \n", "list"), ["boots", "gloves"]);
  assert.equal(readTyped("no", "yes-no"), false);
  assert.equal(readTyped("2.5", "number"), 2.5);
  assert.equal(readTyped("two", "number"), "two");
});

test("a value is shown as it is typed, and one of another kind is not", () => {
  assert.equal(writeTyped(["boots", "gloves"], "list"), "boots\ngloves");
  assert.equal(writeTyped(true, "yes-no"), "yes");
  assert.equal(writeTyped(3, "number"), "3");
  assert.equal(writeTyped(undefined, "text"), "");
  assert.equal(writeTyped({ name: "Ada" }, "text"), "");
  assert.equal(writeTyped("boots", "list"), "");
});
