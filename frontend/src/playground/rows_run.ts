// A run over rows of a dataset: a few rows at a time, with the state of each cell. Independent of the page.
import { gettext } from "../language.ts";
import { type Column, makeColumn, PHASES, type Plan } from "./columns.ts";
import type { Refusal } from "./row_form.ts";
import type { Action } from "./state.ts";
import type { Money, PlannedRow, Reply, RowPlan, Run } from "./types.ts";

const AT_ONCE = 2; // rows run at the same time: a browser opens six connections to a server

export interface RowState {
  row: PlannedRow;
  /** Null before its turn, and if the server refused it. */
  run: Run | null;
  cells: Column[];
  /** Why it wasn't run. */
  refusal: string;
  isOver: boolean;
}

/** What a run over rows needs from the server. */
export interface RowsServer {
  start(row: PlannedRow): Promise<Run | Refusal>;
  stop(id: Reply["id"]): Promise<Action | null>;
  /** Follows a reply to its end; returns a function that stops following. */
  follow(id: Reply["id"], dispatch: (action: Action) => void): () => void;
}

export class RowsRun {
  readonly plan: RowPlan;
  readonly columns: Plan[];
  readonly rows: RowState[];
  readonly #server: RowsServer;
  readonly #changed: () => void;
  readonly #ends = new Map<Reply["id"], () => void>();
  #isStopped = false;

  constructor(plan: RowPlan, columns: Plan[], server: RowsServer, changed: () => void) {
    this.plan = plan;
    this.columns = columns;
    this.#server = server;
    this.#changed = changed;
    this.rows = plan.rows.map((row) => {
      const cells = columns.map((column, index) => makeColumn(index, column));
      return { row, run: null, cells, refusal: row.problem ?? "", isOver: row.problem !== null };
    });
  }

  get isOver(): boolean {
    return this.rows.every((row) => row.isOver);
  }

  /** The cost of the replies so far, as reported by their models. */
  get costs(): Money[] {
    return this.rows.flatMap((row) => row.cells.flatMap((cell) => cell.reply?.cost ?? []));
  }

  /** Runs all rows; resolves when the last reply has ended. */
  async run(): Promise<void> {
    const waiting = this.rows.filter((row) => !row.isOver);
    const runWaitingRows = async (): Promise<void> => {
      for (let row = waiting.shift(); row; row = waiting.shift()) await this.#runRow(row);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, runWaitingRows));
  }

  /** Stops the replies being streamed, and starts no further row. */
  stop(): void {
    this.#isStopped = true;
    for (const id of this.#ends.keys()) {
      void this.#server.stop(id).then((action) => action && this.#dispatch(action));
    }
    this.#changed();
  }

  async #runRow(row: RowState): Promise<void> {
    const answer = this.#isStopped ? null : await this.#server.start(row.row);
    if (answer && "columns" in answer) {
      row.run = answer;
      for (const [index, cell] of row.cells.entries()) {
        const reply = answer.columns[index];
        if (reply) Object.assign(cell, { reply, phase: PHASES[reply.state] });
      }
      this.#changed();
      await Promise.all(answer.columns.map((reply) => this.#followReply(reply)));
    } else if (answer) {
      row.refusal = [...Object.values(answer.fields), answer.detail].filter(Boolean)[0] ?? "";
    } else row.refusal = gettext("Stopped before its turn");
    row.isOver = true;
    this.#changed();
  }

  #followReply(reply: Reply): Promise<void> {
    return new Promise((resolve) => {
      const leave = this.#server.follow(reply.id, (action) => this.#dispatch(action));
      this.#ends.set(reply.id, () => {
        leave();
        this.#ends.delete(reply.id);
        resolve();
      });
      if (this.#isStopped) void this.#server.stop(reply.id).then((action) => action && this.#dispatch(action));
    });
  }

  #dispatch(action: Action): void {
    if (!("id" in action)) return;
    const cell = this.rows.flatMap((row) => row.cells).find((candidate) => candidate.reply?.id === action.id);
    if (!cell?.reply) return;
    if (action.type === "textCame") {
      cell.reply = { ...cell.reply, text: (action.isWhole ? "" : cell.reply.text) + action.text };
      Object.assign(cell, { phase: "running", waiting: null });
    } else if (action.type === "waitingCame") {
      Object.assign(cell, { phase: "waiting", waiting: { detail: action.detail, until: action.until } });
    } else if (action.type === "ended") {
      this.#end(cell, action.reply);
    } else if (action.type === "lost") {
      this.#end(cell, {
        ...cell.reply,
        state: "failed",
        problem: { detail: action.detail, retry_after: action.retryAfter },
      });
    }
    this.#changed();
  }

  #end(cell: Column, reply: Reply): void {
    Object.assign(cell, { reply, phase: PHASES[reply.state], waiting: null });
    for (const row of this.rows) {
      if (row.run && row.cells.includes(cell))
        row.run = { ...row.run, columns: row.cells.flatMap((c) => c.reply ?? []) };
    }
    this.#ends.get(reply.id)?.();
  }
}
