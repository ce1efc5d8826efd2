// One column of the playground: version, model and settings, and the reply.
import type { Reply, Settings } from "./types.ts";

export const DRAFT = "draft";
export const MAX_COLUMNS = 4;

export type View = "fields" | "reply" | "prompt" | "raw";
export type Phase = "idle" | "starting" | "running" | "waiting" | "done" | "stopped" | "failed";

/** The request of a column: a text, a model, settings. */
export interface Plan {
  source: string;
  model: string;
  settings: Settings;
}

/** One column: its next request, and its last reply. */
export interface Column extends Plan {
  key: number;
  /** The view that the reader selected; null for the default of the reply. */
  view: View | null;
  phase: Phase;
  reply: Reply | null;
  /** The text and the inputs of the reply; `document` is null if they are from an earlier visit. */
  ran: (Plan & { document: string | null; data: string }) | null;
  startedAt: number;
  /** What the call waits for; `until` is null if unknown. */
  waiting: { detail: string; until: number | null } | null;
  /** Whether the server was asked to stop the reply, which takes a second or two. */
  isStopping: boolean;
  /** Why the server refused to start this column. */
  refusal: string;
}

export const makeColumn = (key: number, plan: Plan): Column => ({
  key,
  ...plan,
  view: null,
  phase: "idle",
  reply: null,
  ran: null,
  startedAt: 0,
  waiting: null,
  isStopping: false,
  refusal: "",
});

/** Whether a reply is in progress in this column. */
export const isBusy = (column: Column): boolean => ["starting", "running", "waiting"].includes(column.phase);

/** The phase of a column for each of the server's reply states. */
export const PHASES: Record<Reply["state"], Phase> = {
  ready: "running",
  running: "running",
  done: "done",
  stopped: "stopped",
  failed: "failed",
};
