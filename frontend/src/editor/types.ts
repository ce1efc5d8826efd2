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
/** The part of JSON Schema that the input fields know how to draw; the rest is edited as JSON. */
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
  /** Which of the author's drafts is edited; empty for the first one. */
  draftName: string;
  base: { number: number; digest: string; document: string } | null;
  samples: Record<string, Data>;
  /** The names of the samples in their order, which the object does not keep. */
  sampleOrder: string[];
  /** The samples as they were saved last. */
  savedSamples: Record<string, Data>;
  sample: string;
  data: Data;
  inputs: Record<string, Schema>;
  /** The inputs of the version that the text was begun from. */
  baseInputs: Record<string, Schema>;
  /** The services that fetched a label of the template lately. */
  services: string[];
  /** Inputs that the text uses and does not declare, with the schemas that fit their uses. */
  undeclared: Record<string, Schema>;
  problems: Problem[];
  call: CallFacts;
  parts: PartSize[];
  /** The models that the namespace can reach. */
  models: string[];
  rendered: boolean;
  standIn: string;
  /** Whether the text is an example of the page New, which is there to be written over. */
  isExample: boolean;
  draftSavedAt: number | null;
  draftRevision: number;
  filters: string[];
  /** Shaping functions with their signatures. */
  functions: Record<string, string>;
  /** The label that counts as live in the namespace, and the protected ones. */
  labels: { live: string; protected: string[] };
  /** `run` is what the addresses of the playground begin with; at `newDataset` a dataset for this template is made. */
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

/** What a run of the text would ask: its model and settings, and the tokens of its prompt (null: not counted). */
export interface CallFacts {
  model: string;
  settings: Record<string, Json>;
  reserve: number;
  tokens: number | null;
  hasOutput: boolean;
  /** How many tokens the model takes; null where that is not known. */
  context: number | null;
}

/** The answer to one look at the text: its problems, and the fragments that show it. */
export interface PreviewAnswer {
  problems: Problem[];
  rendered: boolean;
  standIn: string;
  preview: string;
  budget: string;
  stopped: string;
  stoppedAt: { line: number; column: number } | null;
  inputs: Record<string, Schema> | null;
  /** Inputs that the text uses and does not declare, with the schemas that fit their uses. */
  undeclared: Record<string, Schema>;
  summary: string;
  /** The line of tokens below the values of a sample. */
  tokens: string;
  notices: string;
  placeholders: string[];
  /** Samples of an example document that went with its inputs. */
  spentSamples: string[];
  call: CallFacts;
  /** The rendered parts; none where the text could not be rendered and counted. */
  parts: PartSize[];
  diff?: string;
  samples?: string;
}

export interface SaveOutcome {
  /** The draft that was written elsewhere: nothing was saved. */
  newer?: NewerDraft;
  html: string;
  problems: Problem[] | null;
  saved: { number: number; digest: string; document: string } | null;
}

/** Where the fields read and write: paths into the one JSON object of the inputs panel. `isStep`: the edit is a step of
 * its own in the history, and no key of a text that is being typed. */
export interface ValueStore {
  read(path: string[]): Json | undefined;
  /** The value as it was saved, undefined if it was not; inside the items of a list there is none. */
  readSaved?(path: string[]): Json | undefined;
  write(path: string[], value: Json | undefined, isStep?: boolean): void;
}
