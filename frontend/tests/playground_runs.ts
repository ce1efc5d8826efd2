// Runs and states of the playground, for tests.

import assert from "node:assert/strict";
import type { Column } from "../src/playground/columns.ts";
import { type Action, makeState, NO_FACTS, type RunState, reduce } from "../src/playground/state.ts";
import type { Choices, Output, Reply, Run } from "../src/playground/types.ts";

export const CHOICES: Choices = {
  models: [
    { name: "echo", price: null, is_connection: false, why_not: null },
    { name: "large", price: { prompt: "2", completion: "10", currency: "USD" }, is_connection: true, why_not: null },
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

export const makeReply = (id: number, source: string, more: Partial<Reply> = {}): Reply => ({
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

export const makeRun = (id: number, ...columns: Reply[]): Run => ({
  id,
  at: "2026-01-01T00:00:00Z",
  sample: "long thread",
  inputs: { question: "Why?" },
  document: null,
  columns,
});

export const reduceAll = (state: RunState, ...actions: Action[]): RunState => actions.reduce(reduce, state);

export function begin(...actions: Action[]): RunState {
  const labels = { live: "production", protected: ["production"] };
  const state = makeState(labels, { document: "Hello", data: '{"question":"Why?"}', sample: "long thread" });
  const facts = { ...NO_FACTS, model: "large", tokens: 100, reserve: 50 };
  return reduceAll(state, { type: "factsChanged", facts }, { type: "choicesLoaded", choices: CHOICES }, ...actions);
}

export const running = (...more: Action[]): RunState =>
  begin(
    { type: "runStarting", keys: [1, 2], at: 1000 },
    { type: "runStarted", keys: [1, 2], run: makeRun(7, makeReply(71, "draft"), makeReply(72, "production")) },
    ...more,
  );

export const columnAt = (state: RunState, index: number): Column => {
  const column = state.columns[index];
  assert.ok(column);
  return column;
};

export const done = (id: number, source: string, more: Partial<Reply> = {}): Action => ({
  type: "ended",
  id,
  reply: makeReply(id, source, { state: "done", text: "Yes.", tokens: { prompt: 100, completion: 2 }, ...more }),
});

export const json = (valid: boolean, fields: Output["fields"], problem: string | null = null): Output => ({
  kind: "json",
  valid,
  fields,
  problem,
});
