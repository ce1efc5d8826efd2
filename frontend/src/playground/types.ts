// Types of the messages between server and playground.
import type { CallFacts, Data, Json } from "../editor/types.ts";

/** Settings of one call; omitted ones are those of the document. */
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

/** One field of a reply that was parsed as JSON. */
export interface OutputField {
  name: string;
  value: Json;
  problem: string | null;
}

/** The reply as parsed by the document's output rules. */
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

/** One column of a run, as stored by the server. */
export interface Reply {
  id: string | number;
  source: string;
  title: string;
  number: number | null;
  model: string;
  /** Overrides of the text's settings. */
  settings: Settings;
  state: ReplyState;
  text: string;
  tools: ToolCall[];
  /** Null if the texts of runs aren't stored. */
  prompt: { messages: Message[] | null; text: string | null; tokens: number | null; digest: string } | null;
  tokens: { prompt: number; completion: number } | null;
  cost: Money | null;
  estimate: Money | null;
  milliseconds: number | null;
  first_token_milliseconds: number | null;
  finish_reason: string | null;
  /** The maximum length of the reply in tokens, by the settings of the text and of the column. */
  longest_reply?: number;
  output: Output | null;
  problem: { detail: string; retry_after: number | null } | null;
  /** False if the texts were deleted, so that an empty text is meaningless. */
  is_stored?: boolean;
}

export interface Run {
  id: string | number;
  at: string;
  sample: string | null;
  inputs: Data;
  /** The draft that was run; null if there wasn't one, or it isn't stored. */
  document: string | null;
  columns: Reply[];
}

/** A row that a run over a dataset would include; `problem`: why it can't be run. */
export interface PlannedRow {
  name: string;
  inputs: Data;
  expected: Data | null;
  problem: string | null;
}

/** Which rows of a dataset would be run, and the maximum cost of their calls. */
export interface RowPlan {
  dataset: string;
  version: number;
  total: number;
  /** All tags used in the dataset. */
  tags: string[];
  rows: PlannedRow[];
  calls: number;
  estimate: Money | null;
  url: string;
}

/** The price per million tokens. */
export interface Price {
  prompt: number | string;
  completion: number | string;
  currency: string;
}

export interface Model {
  name: string;
  price: Price | null;
  is_connection: boolean;
  /** Why the spending caps currently don't allow it. */
  why_not: string | null;
}

/** What a column can run: the draft, a label or a version. */
export interface Source {
  value: string;
  title: string;
  number: number | null;
}

/** The options of the page, and whether anything can be run at all. */
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

/** Facts about the draft from the last preview. */
export interface DraftFacts extends CallFacts {
  errors: number;
  /** Paths of inputs without a value. */
  missing: string[];
}
