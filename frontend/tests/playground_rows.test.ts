// A run of the playground over rows of a dataset.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describePlan } from "../src/playground/rows_form.ts";
import { RowsRun, type RowsServer } from "../src/playground/rows_run.ts";
import { describeExpected } from "../src/playground/rows_view.ts";
import type { Action } from "../src/playground/state.ts";
import type { PlannedRow, Reply, RowPlan, Run } from "../src/playground/types.ts";
import { makeReply } from "./playground_runs.ts";

const COLUMNS = [
  { source: "draft", model: "large", settings: {} },
  { source: "production", model: "large", settings: {} },
];

const makeRow = (name: string, problem: string | null = null): PlannedRow => ({
  name,
  inputs: { question: name },
  expected: null,
  problem,
});

const makePlan = (...rows: PlannedRow[]): RowPlan => ({
  dataset: "support/gold",
  version: 7,
  total: 200,
  tags: [],
  rows,
  calls: rows.filter((row) => !row.problem).length * COLUMNS.length,
  estimate: { amount: "0.5", currency: "USD" },
  url: "/d/support/gold",
});

const makeDraftReply = (id: number, more: Partial<Reply> = {}): Reply =>
  makeReply(id, "draft", { prompt: null, ...more });

/** A server whose replies end when the test decides. */
class Server implements RowsServer {
  started: string[] = [];
  stopped: Reply["id"][] = [];
  open = new Map<Reply["id"], (action: Action) => void>();
  refused = new Set<string>();
  #last = 0;

  async start(row: PlannedRow): Promise<Run | { detail: string; fields: Record<string, string> }> {
    this.started.push(row.name);
    if (this.refused.has(row.name)) return { detail: "The daily limit is reached.", fields: {} };
    const columns = COLUMNS.map(() => makeDraftReply(++this.#last));
    return {
      id: this.#last,
      at: "2026-01-01T00:00:00Z",
      sample: row.name,
      inputs: row.inputs,
      document: null,
      columns,
    };
  }

  async stop(id: Reply["id"]): Promise<Action | null> {
    this.stopped.push(id);
    return { type: "ended", id, reply: makeDraftReply(Number(id), { state: "stopped", text: "Yes" }) };
  }

  follow(id: Reply["id"], dispatch: (action: Action) => void): () => void {
    this.open.set(id, dispatch);
    return () => this.open.delete(id);
  }

  end(id: number, more: Partial<Reply> = {}): void {
    this.open.get(id)?.({ type: "ended", id, reply: makeDraftReply(id, { state: "done", text: "Yes.", ...more }) });
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function makeRun(...rows: PlannedRow[]): { run: RowsRun; server: Server } {
  const server = new Server();
  return { run: new RowsRun(makePlan(...rows), COLUMNS, server, () => undefined), server };
}

test("two rows are asked at once, and the next when one of them is over", async () => {
  const { run, server } = makeRun(makeRow("a"), makeRow("b"), makeRow("c"));
  const whole = run.run();
  await settle();
  assert.deepEqual(server.started, ["a", "b"]);
  server.end(1);
  await settle();
  assert.deepEqual(server.started, ["a", "b"], "one of the row's two columns still writes");
  server.end(2, { cost: { amount: "0.01", currency: "USD" } });
  await settle();
  assert.deepEqual(server.started, ["a", "b", "c"]);
  for (const id of [3, 4, 5, 6]) server.end(id);
  await whole;
  assert.ok(run.isOver);
  assert.deepEqual(run.costs, [{ amount: "0.01", currency: "USD" }]);
  assert.equal(run.rows[0]?.run?.columns[1]?.text, "Yes.");
});

test("text comes into its cell as it is written", async () => {
  const { run, server } = makeRun(makeRow("a"));
  void run.run();
  await settle();
  server.open.get(2)?.({ type: "textCame", id: 2, text: "Ye", isWhole: false });
  server.open.get(2)?.({ type: "textCame", id: 2, text: "s", isWhole: false });
  assert.equal(run.rows[0]?.cells[1]?.reply?.text, "Yes");
  assert.equal(run.rows[0]?.cells[1]?.phase, "running");
  assert.equal(run.rows[0]?.cells[0]?.reply?.text, "");
});

test("a row with a problem is never started, a refused one says why, the others go on", async () => {
  const { run, server } = makeRun(makeRow("a", "question: missing"), makeRow("b"), makeRow("c"));
  server.refused.add("b");
  const whole = run.run();
  await settle();
  assert.deepEqual(server.started, ["b", "c"]);
  assert.deepEqual(
    run.rows.map((row) => row.refusal),
    ["question: missing", "The daily limit is reached.", ""],
  );
  server.end(1);
  server.end(2);
  await whole;
  assert.ok(run.isOver);
});

test("Stop stops what is written and starts nothing more", async () => {
  const { run, server } = makeRun(makeRow("a"), makeRow("b"), makeRow("c"));
  const whole = run.run();
  await settle();
  run.stop();
  await whole;
  assert.deepEqual(server.stopped.sort(), [1, 2, 3, 4]);
  assert.deepEqual(server.started, ["a", "b"]);
  assert.ok(run.isOver);
  assert.equal(run.rows[0]?.cells[0]?.phase, "stopped");
  assert.deepEqual(
    run.rows.map((row) => row.refusal),
    ["", "", "Stopped before its turn"],
  );
});

test("a lost connection fails its cell and the row ends", async () => {
  const { run, server } = makeRun(makeRow("a"));
  const whole = run.run();
  await settle();
  server.open.get(1)?.({ type: "lost", id: 1, detail: "gone", retryAfter: null });
  server.end(2);
  await whole;
  assert.equal(run.rows[0]?.cells[0]?.phase, "failed");
  assert.equal(run.rows[0]?.cells[0]?.reply?.problem?.detail, "gone");
});

test("a plan says rows, calls and cost, and which rows are left out", () => {
  assert.deepEqual(describePlan(makePlan(makeRow("a"), makeRow("b"))), [
    "2 rows of 200, 4 calls.",
    "Up to $0.50 for all of them.",
  ]);
  assert.deepEqual(describePlan({ ...makePlan(makeRow("a"), makeRow("b", "x")), estimate: null }), [
    "1 row of 200, 2 calls.",
    "What they cost is not known: a model has no price.",
    "1 row can't be run.",
  ]);
});

test("one expected value stands alone, several have their names", () => {
  assert.equal(describeExpected(null), "");
  assert.equal(describeExpected({ answer: "Yes." }), "Yes.");
  assert.equal(describeExpected({ a: 1, b: ["x"] }), 'a: 1\nb: ["x"]');
});
