// The reducer of the playground's state.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describeStaleness, describeVerdict } from "../src/playground/selectors.ts";
import { type Action, makeState, type RunState, reduce } from "../src/playground/state.ts";
import { begin, CHOICES, columnAt, done, makeReply, makeRun, running } from "./playground_runs.ts";

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
  assert.equal(describeVerdict(columnAt(waiting, 0), 1000)?.text, "The model is busy (429). Retrying in 4 s");
  const going = reduce(waiting, { type: "textCame", id: 71, text: "A", isWhole: false });
  assert.equal(describeVerdict(columnAt(going, 0), 1000)?.text, "Writing");
  const queued = running({ type: "waitingCame", id: 71, detail: "Waiting for a free place", until: null });
  assert.equal(describeVerdict(columnAt(queued, 0), 1000)?.text, "Waiting for a free place");
});

test("a reply that is asked to stop says so until it has", () => {
  const asked = running({ type: "stopAsked", id: 71 });
  assert.equal(describeVerdict(columnAt(asked, 0), 0)?.text, "Stopping");
  const stopped = reduce(asked, done(71, "draft", { state: "stopped", tokens: { prompt: 9, completion: 61 } }));
  assert.equal(describeVerdict(columnAt(stopped, 0), 0)?.text, "Stopped after 61 tokens");
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

test("a refusal stands where it belongs: in its column, at its input, or next to Run", () => {
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
