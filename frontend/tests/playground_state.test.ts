// The reducer of the playground's state.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Column } from "../src/playground/columns.ts";
import {
  announceReply,
  chosenView,
  describeReply,
  describeStaleness,
  describeVerdict,
  estimateRun,
  findBlocker,
  listViews,
} from "../src/playground/selectors.ts";
import { type Action, makeState, NO_FACTS, type RunState, reduce } from "../src/playground/state.ts";
import type { Choices, Output, Reply, Run } from "../src/playground/types.ts";

const CHOICES: Choices = {
  models: [
    { name: "echo", price: null, is_connection: false },
    { name: "large", price: { prompt: "2", completion: "10", currency: "USD" }, is_connection: true },
  ],
  sources: [
    { value: "draft", title: "This draft", number: null },
    { value: "production", title: "production", number: 14 },
    { value: "15", title: "v15", number: 15 },
  ],
  spent: { today: "0.42", cap: "5", currency: "USD" },
  can_run: true,
  why_not: null,
  can_connect: false,
  connect_url: null,
  is_stored: true,
  datasets: [],
};

const makeReply = (id: number, source: string, more: Partial<Reply> = {}): Reply => ({
  id,
  source,
  title: source === "draft" ? "This draft" : source,
  number: source === "draft" ? null : 14,
  model: "large",
  settings: {},
  state: "ready",
  text: "",
  tools: [],
  prompt: { messages: [], text: "", tokens: 100, digest: "sha256:00" },
  tokens: null,
  cost: null,
  estimate: null,
  milliseconds: null,
  first_token_milliseconds: null,
  finish_reason: null,
  output: null,
  problem: null,
  ...more,
});

const makeRun = (id: number, ...columns: Reply[]): Run => ({
  id,
  at: "2026-01-01T00:00:00Z",
  sample: "long thread",
  inputs: { question: "Why?" },
  document: null,
  columns,
});

const reduceAll = (state: RunState, ...actions: Action[]): RunState => actions.reduce(reduce, state);

function begin(...actions: Action[]): RunState {
  const labels = { live: "production", protected: ["production"] };
  const state = makeState(labels, { document: "Hello", data: '{"question":"Why?"}', sample: "long thread" });
  const facts = { ...NO_FACTS, model: "large", tokens: 100, reserve: 50 };
  return reduceAll(state, { type: "factsChanged", facts }, { type: "choicesLoaded", choices: CHOICES }, ...actions);
}

const running = (...more: Action[]): RunState =>
  begin(
    { type: "runStarting", keys: [1, 2], at: 1000 },
    { type: "runStarted", keys: [1, 2], run: makeRun(7, makeReply(71, "draft"), makeReply(72, "production")) },
    ...more,
  );

const columnAt = (state: RunState, index: number): Column => {
  const column = state.columns[index];
  assert.ok(column);
  return column;
};

const done = (id: number, source: string, more: Partial<Reply> = {}): Action => ({
  type: "ended",
  id,
  reply: makeReply(id, source, { state: "done", text: "Yes.", tokens: { prompt: 100, completion: 2 }, ...more }),
});

const json = (valid: boolean, fields: Output["fields"], problem: string | null = null): Output => ({
  kind: "json",
  valid,
  fields,
  problem,
});

test("a visit begins with the draft and what is live, asked of the model that the draft names", () => {
  const state = begin();
  assert.deepEqual(
    state.columns.map(({ source, model }) => [source, model]),
    [
      ["draft", "large"],
      ["production", "large"],
    ],
  );
});

test("a template without a live version begins with the draft alone", () => {
  const choices = { ...CHOICES, sources: CHOICES.sources.slice(0, 1) };
  const labels = { live: "production", protected: [] };
  const state = reduce(makeState(labels, { document: "", data: "{}", sample: "" }), { type: "choicesLoaded", choices });
  assert.deepEqual(
    state.columns.map(({ source }) => source),
    ["draft"],
  );
});

test("choices that are loaded again leave the columns as they are", () => {
  const state = begin({ type: "columnAdded" });
  assert.equal(reduce(state, { type: "choicesLoaded", choices: CHOICES }).columns, state.columns);
});

test("a column that is added runs what no other shows, and four are the most", () => {
  const add: Action = { type: "columnAdded" };
  assert.deepEqual(
    begin(add, add, add).columns.map(({ source }) => source),
    ["draft", "production", "15", "draft"],
  );
});

test("the last column stays, and the one that narrow screens show is one that is there", () => {
  const state = begin({ type: "columnRemoved", key: 1 });
  assert.equal(state.shown, 2);
  assert.equal(reduce(state, { type: "columnRemoved", key: 2 }).columns.length, 1);
});

test("text comes piece by piece, and whole where a stream begins in the middle", () => {
  const pieces: Action[] = [
    { type: "textCame", id: 71, text: "Ye", isWhole: false },
    { type: "textCame", id: 71, text: "s", isWhole: false },
  ];
  const state = running(...pieces);
  assert.equal(columnAt(state, 0).reply?.text, "Yes");
  const joined = reduce(state, { type: "textCame", id: 71, text: "Yes, it", isWhole: true });
  assert.equal(columnAt(joined, 0).reply?.text, "Yes, it");
  assert.equal(columnAt(joined, 1).reply?.text, "");
});

test("events of a reply that no column shows any more change nothing", () => {
  const state = running({ type: "runStarting", keys: [1, 2], at: 2000 });
  const next = makeRun(8, makeReply(81, "draft"), makeReply(82, "production"));
  const again = reduce(state, { type: "runStarted", keys: [1, 2], run: next });
  assert.deepEqual(reduce(again, { type: "textCame", id: 71, text: "late", isWhole: false }), again);
});

test("a call that waits says how long, and the next word ends the waiting", () => {
  const waiting = running({
    type: "waitingCame",
    id: 71,
    detail: "The model is busy (429). Retrying in 4 s.",
    until: 5000,
  });
  assert.equal(describeVerdict(columnAt(waiting, 0), 1000)?.words, "The model is busy (429). Retrying in 4 s");
  const going = reduce(waiting, { type: "textCame", id: 71, text: "A", isWhole: false });
  assert.equal(describeVerdict(columnAt(going, 0), 1000)?.words, "Writing");
  const queued = running({ type: "waitingCame", id: 71, detail: "Waiting for a free place", until: null });
  assert.equal(describeVerdict(columnAt(queued, 0), 1000)?.words, "Waiting for a free place");
});

test("a reply that is asked to stop says so until it has", () => {
  const asked = running({ type: "stopAsked", id: 71 });
  assert.equal(describeVerdict(columnAt(asked, 0), 0)?.words, "Stopping");
  const stopped = reduce(asked, done(71, "draft", { state: "stopped", tokens: { prompt: 9, completion: 61 } }));
  assert.equal(describeVerdict(columnAt(stopped, 0), 0)?.words, "Stopped after 61 tokens");
});

test("a reply that ended stands in its column and in the list of runs", () => {
  const state = running(done(71, "draft"));
  assert.equal(columnAt(state, 0).phase, "done");
  assert.equal(state.runs[0]?.columns[0]?.text, "Yes.");
  assert.equal(columnAt(state, 1).phase, "running");
});

test("a lost connection fails the column and leaves what came", () => {
  const state = running(
    { type: "textCame", id: 72, text: "Half", isWhole: false },
    { type: "lost", id: 72, detail: "No answer after 60 s", retryAfter: null },
  );
  assert.equal(columnAt(state, 1).phase, "failed");
  assert.equal(columnAt(state, 1).reply?.text, "Half");
  assert.equal(columnAt(state, 1).reply?.problem?.detail, "No answer after 60 s");
});

test("one column can be run again while the other one stays", () => {
  const state = running(done(71, "draft"), done(72, "production"), { type: "runStarting", keys: [2], at: 3000 });
  const again = reduce(state, { type: "runStarted", keys: [2], run: makeRun(8, makeReply(81, "production")) });
  assert.equal(columnAt(again, 0).reply?.id, 71);
  assert.equal(columnAt(again, 1).reply?.id, 81);
  assert.equal(again.runs.length, 2);
});

test("a refusal stands where it belongs: in its column, at its input, or beside Run", () => {
  const refuse = (fields: Record<string, string>): RunState =>
    begin(
      { type: "runStarting", keys: [2, 1], at: 1000 },
      { type: "runRefused", keys: [2, 1], detail: "Not started.", fields },
    );
  assert.equal(columnAt(refuse({ "columns.0.model": "No such model." }), 1).refusal, "No such model.");
  assert.deepEqual(refuse({ "inputs.order_id": "needs a value" }).inputProblems, { order_id: "needs a value" });
  assert.equal(refuse({}).refusal, "Not started.");
  assert.equal(refuse({ inputs: "inputs are an object." }).refusal, "inputs are an object.");
  assert.equal(columnAt(refuse({}), 0).phase, "idle");
});

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
    return findBlocker({ ...state, facts: { ...state.facts, ...facts } })?.words;
  };
  assert.equal(blockerOf({}), undefined);
  assert.equal(
    blockerOf({ can_run: false, why_not: "No model connected. Ask admin." }),
    "No model connected. Ask admin.",
  );
  assert.equal(blockerOf({}, { errors: 2, missing: ["order_id"] }), "Fix 2 errors");
  assert.equal(blockerOf({}, { missing: ["order_id"] }), "order_id needs a value");
  const spent = { today: "5", cap: "5", currency: "USD" };
  assert.equal(blockerOf({ spent }), "Daily limit reached, resets at 00:00 UTC");
  const link = { can_run: false, why_not: "No model connected", can_connect: true, connect_url: "/n/x/models" };
  const state = begin({ type: "choicesLoaded", choices: { ...CHOICES, ...link } });
  assert.deepEqual(findBlocker(state)?.link, { words: "Connect a model", url: "/n/x/models" });
});

test("errors of the draft stop no run that does not ask with it", () => {
  const state = begin({ type: "columnRemoved", key: 1 }, { type: "factsChanged", facts: { ...NO_FACTS, errors: 1 } });
  assert.equal(findBlocker(state), null);
});

test("the estimate is the prompt and the longest reply of all columns, or unknown", () => {
  // 100 tokens at 2 and 50 at 10 of a million are 0.0007, twice; a limit of 10 for one column's reply saves 0.0004
  assert.equal(Number(estimateRun(begin())?.amount).toFixed(6), "0.001400");
  const short = begin({ type: "settingsChosen", key: 2, settings: { max_tokens: 10 } });
  assert.equal(Number(estimateRun(short)?.amount).toFixed(6), "0.001000");
  assert.equal(estimateRun(begin({ type: "modelChosen", key: 2, model: "echo" })), null);
});

test("a reply is told by how its output reads", () => {
  const wordsOf = (more: Partial<Reply>): string =>
    describeReply(makeReply(1, "draft", { state: "done", ...more })).words;
  const bad = { name: "decision", value: "maybe", problem: "Must be one of refund, refuse." };
  assert.equal(wordsOf({ output: json(true, []) }), "Output valid");
  assert.equal(wordsOf({ output: json(false, [bad]) }), "1 field invalid");
  assert.equal(wordsOf({ text: "I think", output: json(false, [], "no JSON") }), "Not JSON");
  assert.equal(wordsOf({ text: "[1]", output: json(false, [], "an object") }), "Output invalid");
  assert.equal(wordsOf({ finish_reason: "length", longest_reply: 800 }), "Cut off at the limit of 800");
  assert.equal(wordsOf({ finish_reason: "content_filter" }), "Refused by the provider");
  assert.equal(wordsOf({ output: { kind: "text", valid: true, fields: [], problem: null } }), "Text");
});

test("a reply that should be JSON and is not opens as it came; the reader's choice counts before", () => {
  const unread = { text: "I think", output: json(false, [], "no JSON") };
  const state = running(done(71, "draft", unread));
  assert.deepEqual(listViews(state, columnAt(state, 0)), ["fields", "prompt", "raw"]);
  assert.equal(chosenView(state, columnAt(state, 0)), "raw");
  const chosen = reduce(state, { type: "viewChosen", key: 1, view: "prompt" });
  assert.equal(chosenView(chosen, columnAt(chosen, 0)), "prompt");
});

test("a plain text has a reply and no fields", () => {
  const state = running(done(71, "draft", { output: { kind: "text", valid: true, fields: [], problem: null } }));
  assert.deepEqual(listViews(state, columnAt(state, 0)), ["reply", "prompt", "raw"]);
});

test("an earlier run opens with its columns, and later edits are told against its inputs", () => {
  const run = makeRun(3, makeReply(31, "draft", { state: "done" }), makeReply(32, "15", { state: "failed" }));
  const state = begin({ type: "runOpened", run });
  assert.deepEqual(
    state.columns.map(({ source, phase }) => [source, phase]),
    [
      ["draft", "done"],
      ["15", "failed"],
    ],
  );
  assert.equal(describeStaleness(state, columnAt(state, 0)), "");
  const edited = reduce(state, { type: "inputsChanged", data: "{}", sample: "" });
  assert.equal(describeStaleness(edited, columnAt(edited, 0)), "Inputs changed since this run");
});

test("older runs follow the newer ones, each once", () => {
  const page = (isMore: boolean, ...ids: number[]): Action => ({
    type: "historyLoaded",
    runs: ids.map((id) => makeRun(id)),
    next: null,
    isMore,
  });
  const ids = begin(page(false, 9, 8), page(true, 8, 7)).runs.map((run) => run.id);
  assert.deepEqual(ids, [9, 8, 7]);
});

test("the end of a reply is one sentence for who listens", () => {
  const state = running(done(71, "draft", { output: json(true, []), tokens: { prompt: 9, completion: 112 } }));
  assert.equal(announceReply(state, columnAt(state, 0), 0), "This draft: done, 112 tokens, output valid");
});
