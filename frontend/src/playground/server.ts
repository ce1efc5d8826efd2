// Requests to the playground's URLs.
import { CallError, callServer } from "../editor/api.ts";
import type { Data } from "../editor/types.ts";
import { gettext } from "../language.ts";
import { DRAFT, type Plan } from "./columns.ts";
import type { NewRow, Refusal } from "./row_form.ts";
import type { Action, RunState } from "./state.ts";
import type { Choices, PlannedRow, Reply, RowPlan, Run } from "./types.ts";

type Answer<T> = T | { detail: string; fields?: Record<string, string> };

const MAX_NAME = 60; // longest row name that its run is stored under
const NO_ANSWER = gettext("That did not work. Try again.");

const isRefused = <T>(answer: Answer<T>): answer is { detail: string; fields?: Record<string, string> } =>
  typeof answer === "object" && answer !== null && "detail" in answer;

function describeError(error: unknown): string {
  return error instanceof CallError ? error.message : NO_ANSWER;
}

/** The columns' requests in the server's format. */
export function describeColumns(columns: Plan[], document: string): object[] {
  return columns.map(({ source, model, settings }) => ({
    source,
    ...(source === DRAFT ? { document } : {}),
    model,
    settings,
  }));
}

/** The URLs below `base` (`/t/<name>/-/run/`), for one of the author's drafts. */
export class RunServer {
  readonly #base: string;
  readonly #draftName: string;

  constructor(base: string, draftName: string) {
    this.#base = base;
    this.#draftName = draftName;
  }

  /** Loads the options, as an action. */
  async loadChoices(): Promise<Action> {
    try {
      const choices = await callServer<Answer<Choices>>("GET", `${this.#base}choices`, null);
      return isRefused(choices)
        ? { type: "choicesFailed", trouble: choices.detail }
        : { type: "choicesLoaded", choices };
    } catch (error) {
      return { type: "choicesFailed", trouble: describeError(error) };
    }
  }

  /** Loads runs before the one with this id, by default the newest; null if that failed. */
  async loadHistory(before: Run["id"] | null): Promise<Action | null> {
    const query = before === null ? "" : `?before=${encodeURIComponent(before)}`;
    try {
      const page = await callServer<Answer<{ runs: Run[]; next: Run["id"] | null }>>(
        "GET",
        `${this.#base}history${query}`,
        null,
      );
      if (isRefused(page)) return null;
      return { type: "historyLoaded", runs: page.runs, next: page.next, isMore: before !== null };
    } catch {
      return null;
    }
  }

  /** Starts the columns with these keys; no model is called before their streams are opened. */
  async startRun(state: RunState, keys: number[]): Promise<Action> {
    const columns = describeColumns(
      state.columns.filter((column) => keys.includes(column.key)),
      state.document,
    );
    const inputs = JSON.parse(state.data) as Data;
    const body = {
      columns,
      inputs,
      ...(state.sample ? { sample: state.sample } : {}),
    };
    try {
      const run = await callServer<Answer<Pick<Run, "id" | "at" | "columns">>>("POST", `${this.#base}start`, body);
      if (isRefused(run)) return { type: "runRefused", keys, detail: run.detail, fields: run.fields ?? {} };
      const document = columns.some((column) => "document" in column) ? state.document : null;
      return { type: "runStarted", keys, run: { ...run, sample: state.sample || null, inputs, document } };
    } catch (error) {
      return { type: "runRefused", keys, detail: describeError(error), fields: {} };
    }
  }

  /** Which rows of a dataset these columns would run, or the error. No model is called. */
  async planRows(columns: object[], dataset: string, pick: string, tag: string): Promise<RowPlan | Refusal> {
    try {
      const body = { columns, dataset, pick, tag };
      const plan = await callServer<Answer<RowPlan>>("POST", `${this.#base}rows`, body);
      return isRefused(plan) ? { detail: plan.detail, fields: plan.fields ?? {} } : plan;
    } catch (error) {
      return { detail: describeError(error), fields: {} };
    }
  }

  /** Starts a run of one row of a dataset; the caller opens the streams of its replies. */
  async startRow(columns: object[], dataset: string, row: PlannedRow): Promise<Run | Refusal> {
    const body = { columns, inputs: row.inputs, sample: row.name.slice(0, MAX_NAME), dataset };
    try {
      const run = await callServer<Answer<Run>>("POST", `${this.#base}start`, body);
      return isRefused(run) ? { detail: run.detail, fields: run.fields ?? {} } : run;
    } catch (error) {
      return { detail: describeError(error), fields: {} };
    }
  }

  /** Asks the server to stop a reply; null if it didn't respond. */
  async stopReply(id: Reply["id"]): Promise<Action | null> {
    try {
      const reply = await callServer<Answer<Reply>>("POST", `${this.#base}columns/${id}/stop`, {});
      const isOver = !isRefused(reply) && !["ready", "running"].includes(reply.state);
      return isOver ? { type: "ended", id, reply } : null;
    } catch {
      return null;
    }
  }

  /** Adds a reply to a dataset: returns the title and URL of the dataset, or the refusal. */
  async addRow(id: Reply["id"], row: NewRow): Promise<{ title: string; url: string } | Refusal> {
    try {
      const added = await callServer<Answer<{ title: string; url: string }>>(
        "POST",
        `${this.#base}columns/${id}/row`,
        row,
      );
      return isRefused(added) ? { detail: added.detail, fields: added.fields ?? {} } : added;
    } catch (error) {
      return { detail: describeError(error), fields: {} };
    }
  }

  /** Restores the draft of a run; returns the URL of the editor, or the reason why not. */
  async restoreDraft(id: Run["id"]): Promise<{ url: string } | string> {
    try {
      const answer = await callServer<Answer<{ url: string }>>("POST", `${this.#base}history/${id}/draft`, {
        draft: this.#draftName,
      });
      return isRefused(answer) ? answer.detail : answer;
    } catch (error) {
      return describeError(error);
    }
  }
}
