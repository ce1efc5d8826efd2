// One column of the playground: version, model and settings, and the reply.
import type { Reply, Settings } from "./types.ts";

export const DRAFT = "draft";
export const MOST_COLUMNS = 4;

export type View = "fields" | "reply" | "prompt" | "raw";
export type Phase = "idle" | "starting" | "running" | "waiting" | "done" | "stopped" | "failed";

/** What a column asks: a text, a model, settings. */
export interface Plan {
  source: string;
  model: string;
  settings: Settings;
}

/** One column: what it asks next, and its last reply. */
export interface Column extends Plan {
  key: number;
  /** The view that the reader picked; null: the one that suits the reply. */
  view: View | null;
  phase: Phase;
  reply: Reply | null;
  /** The text and the inputs that the reply is of; `document` is null where they are of an earlier visit. */
  ran: (Plan & { document: string | null; data: string }) | null;
  startedAt: number;
  /** What the call waits for; `until` is null where nobody knows how long. */
  waiting: { detail: string; until: number | null } | null;
  /** Whether the server was asked to stop the reply; it does within a second or two. */
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

/** Whether a reply is under way in this column. */
export const isBusy = (column: Column): boolean => ["starting", "running", "waiting"].includes(column.phase);

/** What a column does while its reply is in each of the server's states. */
export const PHASES: Record<Reply["state"], Phase> = {
  ready: "running",
  running: "running",
  done: "done",
  stopped: "stopped",
  failed: "failed",
};
