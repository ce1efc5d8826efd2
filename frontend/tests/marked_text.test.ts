import assert from "node:assert/strict";
import { test } from "node:test";
import { stretchSplitter } from "../src/app/marked_text.ts";

test("a line is taken apart at its placeholders and markers", () => {
  const split = stretchSplitter({ inputs: ["{order}"], markers: ["<|im_end|>"] });
  assert.deepEqual(split("Order {order}<|im_end|>"), [
    { text: "Order ", look: "" },
    { text: "{order}", look: "input" },
    { text: "<|im_end|>", look: "marker" },
  ]);
});

test("the longer of two marks that begin at one place wins", () => {
  const split = stretchSplitter({ inputs: ["$name", "$names"], markers: [] });
  assert.deepEqual(split("$names"), [{ text: "$names", look: "input" }]);
});

test("the letters of a mark are no pattern", () => {
  const split = stretchSplitter({ inputs: ["[[a.b]]", "%(x)s"], markers: [] });
  assert.deepEqual(
    split("[[aXb]] %(x)s").map(({ look }) => look),
    ["", "input"],
  );
});

test("without marks a line stays whole", () => {
  assert.deepEqual(stretchSplitter({ inputs: [""], markers: [] })("{a}"), [{ text: "{a}", look: "" }]);
});
