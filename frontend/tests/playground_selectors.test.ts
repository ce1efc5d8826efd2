// Selectors of the playground's state.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  announceReply,
  describeReply,
  describeStaleness,
  estimateRun,
  findBlocker,
  findChosenView,
  listViews,
} from "../src/playground/selectors.ts";
import { type Action, NO_FACTS, reduce } from "../src/playground/state.ts";
import type { Choices, Reply } from "../src/playground/types.ts";
import { begin, CHOICES, columnAt, done, json, makeReply, running } from "./playground_runs.ts";

test("an edit after a run is told: of the draft in its own column only, of the inputs in all", () => {
  const ended = running(done(71, "draft"), done(72, "production"));
  const edited = reduce(ended, { type: "textChanged", document: "Hello!" });
  assert.equal(describeStaleness(edited, columnAt(edited, 0)), "Draft changed since this run");
  assert.equal(describeStaleness(edited, columnAt(edited, 1)), "");
  const other = reduce(ended, { type: "inputsChanged", data: "{}", sample: "long thread" });
  assert.equal(describeStaleness(other, columnAt(other, 1)), "Inputs changed since this run");
  const back = reduce(edited, { type: "textChanged", document: "Hello" });
  assert.equal(describeStaleness(back, columnAt(back, 0)), "");
});

test("another model, version or setting is told as well", () => {
  const ended = running(done(71, "draft"), done(72, "production"));
  const staleAfter = (action: Action): string => {
    const state = reduce(ended, action);
    return describeStaleness(state, columnAt(state, 1));
  };
  assert.match(staleAfter({ type: "modelChosen", key: 2, model: "echo" }), /Another model/);
  assert.match(staleAfter({ type: "sourceChosen", key: 2, source: "15" }), /Another version/);
  assert.match(staleAfter({ type: "settingsChosen", key: 2, settings: { seed: 1 } }), /Settings changed/);
});

test("the first thing that stops a run is said, with what helps", () => {
  const blockerOf = (choices: Partial<Choices>, facts = {}): string | undefined => {
    const state = begin({ type: "choicesLoaded", choices: { ...CHOICES, ...choices } });
    return findBlocker({ ...state, facts: { ...state.facts, ...facts } })?.text;
  };
  assert.equal(blockerOf({}), undefined);
  assert.equal(
    blockerOf({ can_run: false, why_not: "No model connected. Ask admin." }),
    "No model connected. Ask admin.",
  );
  assert.equal(blockerOf({}, { errors: 2, missing: ["order_id"] }), "Fix 2 errors");
  assert.equal(blockerOf({}, { missing: ["order_id"] }), "order_id needs a value");
  const spent = { today: "5", cap: "5", currency: "USD" };
  const models = CHOICES.models.map((model) => ({ ...model, why_not: "The daily limit of author is reached." }));
  assert.equal(blockerOf({ spent, models }), "Daily limit reached, resets at 00:00 UTC");
  assert.equal(blockerOf({ spent }), undefined, "models that cost nothing");
  const off = "support has a spending cap of 0.";
  const closed = CHOICES.models.map((model) => ({ ...model, why_not: off }));
  assert.equal(blockerOf({ spent: { today: "0", cap: "0", currency: "USD" }, models: closed }), off);
  const link = { can_run: false, why_not: "No model connected", can_connect: true, connect_url: "/n/x/models" };
  const state = begin({ type: "choicesLoaded", choices: { ...CHOICES, ...link } });
  assert.deepEqual(findBlocker(state)?.link, { text: "Connect a model", url: "/n/x/models" });
});

test("a model that the caps refuse stops the columns that ask it, and an admin finds where to give it a price", () => {
  const why_not = "support has a spending cap, and small has no price: it can't be asked.";
  const models = [...CHOICES.models, { name: "small", price: null, is_connection: true, why_not }];
  const state = begin({ type: "choicesLoaded", choices: { ...CHOICES, models } });
  assert.equal(findBlocker(state), null);
  const refused = reduce(state, { type: "modelChosen", key: 2, model: "small" });
  assert.deepEqual(findBlocker(refused), { text: why_not });
  assert.equal(findBlocker(refused, refused.columns.slice(0, 1)), null);
  const choices = { ...CHOICES, models, can_connect: true, connect_url: "/n/x/models" };
  const shown = reduce(refused, { type: "choicesLoaded", choices });
  assert.deepEqual(findBlocker(shown)?.link, { text: "Models", url: "/n/x/models" });
});

test("errors of the draft stop no run that does not ask with it", () => {
  const state = begin({ type: "columnRemoved", key: 1 }, { type: "factsChanged", facts: { ...NO_FACTS, errors: 1 } });
  assert.equal(findBlocker(state), null);
});

test("the estimate is the prompt and the longest reply of all columns, or unknown", () => {
  // 100 tokens at 2 and 50 at 10 per million are 0.0007, twice; a limit of 10 for one column's reply saves 0.0004
  assert.equal(Number(estimateRun(begin())?.amount).toFixed(6), "0.001400");
  const short = begin({ type: "settingsChosen", key: 2, settings: { max_tokens: 10 } });
  assert.equal(Number(estimateRun(short)?.amount).toFixed(6), "0.001000");
  assert.equal(estimateRun(begin({ type: "modelChosen", key: 2, model: "echo" })), null);
});

test("a reply is told by how its output reads", () => {
  const wordsOf = (more: Partial<Reply>): string =>
    describeReply(makeReply(1, "draft", { state: "done", ...more })).text;
  const bad = { name: "decision", value: "maybe", problem: "Must be one of refund, refuse." };
  assert.equal(wordsOf({ text: "{}", output: json(true, []) }), "Output valid");
  assert.equal(wordsOf({ text: "{}", output: json(false, [bad]) }), "1 field invalid");
  assert.equal(wordsOf({ text: "I think", output: json(false, [], "no JSON") }), "Not JSON");
  assert.equal(wordsOf({ text: "[1]", output: json(false, [], "an object") }), "Output invalid");
  assert.equal(wordsOf({ finish_reason: "length", longest_reply: 800 }), "Cut off at the limit of 800");
  assert.equal(wordsOf({ finish_reason: "content_filter" }), "Refused by the provider");
  const text = { kind: "text" as const, valid: true, fields: [], problem: null };
  assert.equal(wordsOf({ text: "Hello", output: text }), "Text");
  assert.equal(wordsOf({ text: " ", output: text }), "Empty reply");
  assert.equal(wordsOf({ text: "", output: json(false, [], "no JSON") }), "Empty reply");
  assert.equal(wordsOf({ text: "", output: null }), "Empty reply");
  assert.equal(wordsOf({ text: "", output: text, is_stored: false }), "Text");
  const tools = [{ name: "find", arguments: "{}" }];
  assert.equal(wordsOf({ text: "Let me look.", output: text, tools }), "1 tool call");
  assert.equal(wordsOf({ text: "", output: null, tools }), "1 tool call");
});

test("a reply that should be JSON and is not opens as it came; the reader's choice counts before", () => {
  const unread = { text: "I think", output: json(false, [], "no JSON") };
  const state = running(done(71, "draft", unread));
  assert.deepEqual(listViews(state, columnAt(state, 0)), ["fields", "prompt", "raw"]);
  assert.equal(findChosenView(state, columnAt(state, 0)), "raw");
  const chosen = reduce(state, { type: "viewChosen", key: 1, view: "prompt" });
  assert.equal(findChosenView(chosen, columnAt(chosen, 0)), "prompt");
});

test("a plain text has a reply and no fields", () => {
  const state = running(done(71, "draft", { output: { kind: "text", valid: true, fields: [], problem: null } }));
  assert.deepEqual(listViews(state, columnAt(state, 0)), ["reply", "prompt", "raw"]);
});

test("the end of a reply is one sentence for who listens", () => {
  const state = running(done(71, "draft", { output: json(true, []), tokens: { prompt: 9, completion: 112 } }));
  assert.equal(announceReply(state, columnAt(state, 0), 0), "This draft: done, 112 tokens, output valid");
});
