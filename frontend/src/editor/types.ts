// Types of the messages between server and editor. Lines and columns are 1-based code points of the whole document.
import type { NewerDraft } from "./draft.ts";
import type { PartSize } from "./form/part_sizes.ts";

export interface Edit {
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  text: string;
}

export interface Problem {
  code: string;
  severity: "error" | "warning" | "note";
  message: string;
  line: number;
  column: number;
  end_line: number | null;
  end_column: number | null;
  sample: string | null;
  fix: { title: string; edits: Edit[] } | null;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Data = { [key: string]: Json };
/** The subset of JSON Schema that the input fields support; the rest is edited as JSON. */
export interface Schema {
  type?: string | string[];
  description?: string;
  enum?: Json[];
  default?: Json;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  untrusted?: boolean;
}

export interface Setup {
  name: string;
  /** The name of the author's draft; empty for the default one. */
  draftName: string;
  base: { number: number; digest: string; document: string } | null;
  samples: Record<string, Data>;
  /** The names of the samples in order, which the object doesn't preserve. */
  sampleOrder: string[];
  /** The last saved samples. */
  savedSamples: Record<string, Data>;
  sample: string;
  data: Data;
  inputs: Record<string, Schema>;
  /** The inputs of the version that the text is based on. */
  baseInputs: Record<string, Schema>;
  /** The services that recently fetched a label of the template. */
  services: string[];
  /** Inputs that the text uses without declaring them, with inferred schemas. */
  undeclared: Record<string, Schema>;
  problems: Problem[];
  call: CallFacts;
  parts: PartSize[];
  /** The models that the namespace can use. */
  models: string[];
  rendered: boolean;
  /** The text is long: it is neither checked nor rendered yet. */
  isPending: boolean;
  standIn: string;
  /** Whether the text is an example from the page New, which is meant to be overwritten. */
  isExample: boolean;
  draftSavedAt: number | null;
  draftRevision: number;
  filters: string[];
  /** Shaping functions with their signatures. */
  functions: Record<string, string>;
  /** The label that counts as live in the namespace, and the protected ones. */
  labels: { live: string; protected: string[] };
  /** `run` is the prefix of the playground's URLs; `newDataset` creates a dataset for this template. */
  urls: {
    edit: string;
    preview: string;
    draft: string;
    startDraft: string;
    run: string;
    newDataset: string;
    import: string;
  };
}

/** The model call of a run: its model and settings, and the tokens of its prompt (null: not counted). */
export interface CallFacts {
  model: string;
  settings: Record<string, Json>;
  reserve: number;
  tokens: number | null;
  hasOutput: boolean;
  /** The model's context size in tokens; null if unknown. */
  context: number | null;
}

/** The response to a preview request: the problems, and HTML fragments. */
export interface PreviewAnswer {
  problems: Problem[];
  rendered: boolean;
  standIn: string;
  preview: string;
  budget: string;
  stopped: string;
  stoppedAt: { line: number; column: number } | null;
  inputs: Record<string, Schema> | null;
  /** Inputs that the text uses without declaring them, with inferred schemas. */
  undeclared: Record<string, Schema>;
  summary: string;
  /** The line of tokens below the values of a sample. */
  tokens: string;
  notices: string;
  placeholders: string[];
  /** Samples of an example document that were removed with its inputs. */
  spentSamples: string[];
  call: CallFacts;
  /** The rendered parts; empty if the text couldn't be rendered and counted. */
  parts: PartSize[];
  diff?: string;
  samples?: string;
}

export interface SaveOutcome {
  /** The draft that was saved elsewhere: nothing was saved. */
  newer?: NewerDraft;
  html: string;
  problems: Problem[] | null;
  saved: { number: number; digest: string; document: string } | null;
}

/** Where fields read and write: paths into the JSON object of the inputs panel. `isStep`: the edit is a separate step
 * of the history, instead of part of typing. */
export interface ValueStore {
  read(path: string[]): Json | undefined;
  /** The saved value, undefined if there isn't one; always undefined inside list items. */
  readSaved?(path: string[]): Json | undefined;
  write(path: string[], value: Json | undefined, isStep?: boolean): void;
}
