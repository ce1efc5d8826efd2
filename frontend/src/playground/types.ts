// Types of the messages between server and playground.
import type { CallFacts, Data, Json } from "../editor/types.ts";

/** Settings of one call; what is left out is as the document says. */
export interface Settings {
  temperature?: number;
  top_p?: number;
  seed?: number;
  max_tokens?: number;
}

export interface Money {
  amount: number | string;
  currency: string;
}

export interface Message {
  role: string;
  content: unknown;
}

/** One field of a reply that was read as JSON. */
export interface OutputField {
  name: string;
  value: Json;
  problem: string | null;
}

/** The reply as the document's output rules read it. */
export interface Output {
  kind: "text" | "json";
  valid: boolean;
  fields: OutputField[];
  problem: string | null;
}

export interface ToolCall {
  name: string;
  arguments: unknown;
}

export type ReplyState = "ready" | "running" | "done" | "stopped" | "failed";

/** One column of a run, as the server stores it. */
export interface Reply {
  id: string | number;
  source: string;
  title: string;
  number: number | null;
  model: string;
  /** What replaced the settings of the text. */
  settings: Settings;
  state: ReplyState;
  text: string;
  tools: ToolCall[];
  /** Null where the texts of runs are not stored. */
  prompt: { messages: Message[] | null; text: string | null; tokens: number | null; digest: string } | null;
  tokens: { prompt: number; completion: number } | null;
  cost: Money | null;
  estimate: Money | null;
  milliseconds: number | null;
  first_token_milliseconds: number | null;
  finish_reason: string | null;
  /** The most tokens that the reply may have, by the settings of the text and of the column. */
  longest_reply?: number;
  output: Output | null;
  problem: { detail: string; retry_after: number | null } | null;
  /** False where the texts were forgotten, so that an empty one says nothing. */
  is_stored?: boolean;
}

export interface Run {
  id: string | number;
  at: string;
  sample: string | null;
  inputs: Data;
  /** The draft that was tried; null where none was, or it is not stored. */
  document: string | null;
  columns: Reply[];
}

/** A row that a run over a dataset would take; `problem`: why it can't be run. */
export interface PlannedRow {
  name: string;
  inputs: Data;
  expected: Data | null;
  problem: string | null;
}

/** Which rows of a dataset would be run, and what their calls cost at most. */
export interface RowPlan {
  dataset: string;
  version: number;
  total: number;
  /** The tags of any row of the dataset. */
  tags: string[];
  rows: PlannedRow[];
  calls: number;
  estimate: Money | null;
  url: string;
}

/** The price of a million tokens. */
export interface Price {
  prompt: number | string;
  completion: number | string;
  currency: string;
}

export interface Model {
  name: string;
  price: Price | null;
  is_connection: boolean;
  /** Why the spending caps don't let the reader ask it now. */
  why_not: string | null;
}

/** What a column can run: the draft, a label or a version. */
export interface Source {
  value: string;
  title: string;
  number: number | null;
}

/** What can be chosen on the page, and whether anything can be run at all. */
export interface Choices {
  models: Model[];
  sources: Source[];
  spent: { today: number | string; cap: number | string | null; currency: string } | null;
  can_run: boolean;
  why_not: string | null;
  can_connect: boolean;
  connect_url: string | null;
  is_stored: boolean;
  /** fits: whether its rows are known to fit the template. */
  datasets: { name: string; title: string; fits: boolean }[];
}

/** What the last preview says of the draft. */
export interface DraftFacts extends CallFacts {
  errors: number;
  /** Paths of inputs that have no value. */
  missing: string[];
}
