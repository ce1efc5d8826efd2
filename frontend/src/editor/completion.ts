// Completion of keys, values, input names and filters in the source.
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete";
import { type EditorState, type Extension, Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { gettext } from "../language.ts";
import { findFrontMatterEnd, readFormat } from "./language.ts";
import type { Schema } from "./types.ts";

/** Known names: declared inputs, filters allowed by the renderer, functions with their signatures. */
export interface Vocabulary {
  inputs: Record<string, Schema>;
  names: string[];
  filters: string[];
  functions: Record<string, string>;
}

const makeKeyCompletion = (label: string, detail: string): Completion => ({
  label,
  detail,
  type: "property",
  apply: `${label}: `,
});
const makeWordCompletion = (label: string, type = "constant", detail?: string): Completion =>
  detail ? { label, type, detail } : { label, type };

const FRONT_KEYS = [
  makeKeyCompletion("description", gettext("what the template does")),
  makeKeyCompletion("format", gettext("parts, text, shaped or prompter")),
  makeKeyCompletion("model", gettext("the provider's model id")),
  makeKeyCompletion("profile", gettext("a profile by name, instead of the model's own")),
  makeKeyCompletion("settings", gettext("given to the model call as they are")),
  makeKeyCompletion("token_limit", gettext("at most the profile's context size")),
  makeKeyCompletion("reserve", gettext("tokens kept free for the reply")),
  makeKeyCompletion("truncation_step", gettext("tokens cut at a time")),
  makeKeyCompletion("inputs", gettext("JSON Schema for each variable")),
  makeKeyCompletion("tools", gettext("function tools, OpenAI form")),
  makeKeyCompletion("output", gettext("how a reply is read")),
  makeKeyCompletion("tags", gettext("words to find it by")),
];
const SCHEMA_KEYS = [
  makeKeyCompletion("type", "string, number, integer, boolean, array, object"), // no text: words of JSON Schema
  makeKeyCompletion("description", gettext("what callers should send")),
  makeKeyCompletion("default", gettext("makes the input optional")),
  makeKeyCompletion("enum", gettext("the only values allowed")),
  makeKeyCompletion("items", gettext("schema of each item")),
  makeKeyCompletion("properties", gettext("schema of each property")),
  makeKeyCompletion("required", gettext("properties that must be there")),
  makeKeyCompletion("maxLength", gettext("at most this many characters")),
  makeKeyCompletion("maxItems", gettext("at most this many items")),
  makeKeyCompletion("minimum", gettext("smallest value")),
  makeKeyCompletion("maximum", gettext("largest value")),
  makeKeyCompletion("untrusted", gettext("comes from outside: never in a system part")),
];
const PART_KEYS = [
  makeKeyCompletion("name", gettext("shown in the budget and the logs")),
  makeKeyCompletion("role", "system, user, assistant, tool"), // no text: words of the document
  makeKeyCompletion("content", gettext("what the model reads")),
  makeKeyCompletion("truncation_priority", gettext("higher is cut first, 0 never")),
];
const VALUES: Record<string, Completion[]> = {
  format: ["parts", "text", "shaped", "prompter"].map((keyword) => makeWordCompletion(keyword)),
  role: ["system", "user", "assistant", "tool"].map((keyword) => makeWordCompletion(keyword)),
  type: ["string", "number", "integer", "boolean", "array", "object"].map((keyword) => makeWordCompletion(keyword)),
  untrusted: [makeWordCompletion("true")],
};
const TAGS = "for endfor if elif else endif set endset macro endmacro include raw endraw".split(" "); // no text: Jinja
const BLOCK_WORDS = ["in", "not", "and", "or", "is", "loop", "defined", "none", "true", "false"];
const LOOP = ["index", "index0", "first", "last", "length", "previtem", "nextitem", "cycle", "changed"];

/** The schema at a dotted path of names, resolved through loops over the inputs. */
function findSchemaAt(path: string[], names: Map<string, Schema>): Schema | undefined {
  let schema = names.get(path[0] ?? "");
  for (const step of path.slice(1)) schema = schema?.properties?.[step];
  return schema;
}

/** All names available in an expression here: inputs, and names from loops and set tags above. */
function listNames(state: EditorState, pos: number, vocabulary: Vocabulary): Map<string, Schema> {
  const names = new Map<string, Schema>(vocabulary.names.map((name) => [name, {}]));
  for (const [name, schema] of Object.entries(vocabulary.inputs)) names.set(name, schema);
  const before = state.sliceDoc(0, pos);
  for (const [, first, second, over] of before.matchAll(/{%-?\s*for\s+(\w+)(?:\s*,\s*(\w+))?\s+in\s+([\w.]+)/g)) {
    const items = findSchemaAt((over ?? "").split("."), names)?.items ?? {};
    if (first) names.set(first, second ? {} : items);
    if (second) names.set(second, {});
    names.set("loop", { properties: Object.fromEntries(LOOP.map((name) => [name, {}])) });
  }
  for (const [, name] of before.matchAll(/{%-?\s*set\s+(\w+)/g)) if (name) names.set(name, {});
  return names;
}

const describeSchema = (schema: Schema): string =>
  [schema.enum ? schema.enum.join(" or ") : schema.type, schema.untrusted ? gettext("untrusted") : ""]
    .filter(Boolean)
    .join(", ");

const listFunctions = (vocabulary: Vocabulary): Completion[] =>
  Object.entries(vocabulary.functions).map(([name, signature]) =>
    makeWordCompletion(name, "function", signature.slice(name.length)),
  );

/** Inside `{ }` of a shaped document: inputs and functions. */
function completeShaped(context: CompletionContext, opened: string, vocabulary: Vocabulary): CompletionResult | null {
  const typed = /\w*$/.exec(opened)?.[0] ?? "";
  if (!typed && !context.explicit && opened.length > 1) return null;
  const inputs = [...listNames(context.state, context.pos, vocabulary)];
  const options = inputs.map(([name, schema]) => ({
    ...makeWordCompletion(name, "variable", describeSchema(schema)),
    boost: 2,
  }));
  options.push(...listFunctions(vocabulary).map((option) => ({ ...option, boost: 1 })));
  return { from: context.pos - typed.length, options, validFor: /^\w*$/ };
}

function completeExpression(
  context: CompletionContext,
  opened: string,
  vocabulary: Vocabulary,
): CompletionResult | null {
  const isTag = opened.startsWith("{%");
  const inside = opened.slice(2).replace(/^-/, "");
  const validFor = /^\w*$/;
  const filter = /\|\s*(\w*)$/.exec(inside);
  if (filter) {
    const options = vocabulary.filters.map((name) => makeWordCompletion(name, "function", vocabulary.functions[name]));
    return { from: context.pos - (filter[1] ?? "").length, options, validFor };
  }
  const dotted = /((?:\w+\.)+)(\w*)$/.exec(inside);
  const names = listNames(context.state, context.pos, vocabulary);
  if (dotted) {
    const schema = findSchemaAt((dotted[1] ?? "").slice(0, -1).split("."), names);
    const options = Object.entries(schema?.properties ?? {}).map(([name, property]) =>
      makeWordCompletion(name, "property", describeSchema(property)),
    );
    return options.length ? { from: context.pos - (dotted[2] ?? "").length, options, validFor } : null;
  }
  const typed = /\w*$/.exec(inside)?.[0] ?? "";
  if (!typed && !context.explicit && !/^\s?$/.test(inside)) return null;
  const options = [...names].map(([name, schema]) => ({
    ...makeWordCompletion(name, "variable", describeSchema(schema)),
    boost: 2,
  }));
  if (isTag && /^\s*\w*$/.test(inside))
    options.unshift(...TAGS.map((tag) => ({ ...makeWordCompletion(tag, "keyword"), boost: 3 })));
  else options.push(...BLOCK_WORDS.map((keyword) => ({ ...makeWordCompletion(keyword, "keyword"), boost: 0 })));
  if (!isTag) {
    options.push({ ...makeWordCompletion("fragment", "function", gettext("a pinned fragment")), boost: 1 });
    options.push(...listFunctions(vocabulary).map((option) => ({ ...option, boost: 0 })));
  }
  return { from: context.pos - typed.length, options, validFor };
}

function completeYaml(context: CompletionContext): CompletionResult | null {
  const { state, pos } = context;
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const validFor = /^[\w-]*$/;
  const value = /(\w+):\s+([\w-]*)$/.exec(before);
  if (value) {
    const options = VALUES[value[1] ?? ""];
    return options ? { from: pos - (value[2] ?? "").length, options, validFor } : null;
  }
  const typed = /[\w-]*$/.exec(before)?.[0] ?? "";
  if (!typed && !context.explicit) return null;
  const front = line.number < findFrontMatterEnd(state);
  let options: Completion[] | null = null;
  if (front) {
    if (/^\w*$/.test(before)) options = FRONT_KEYS;
    else if (/[{,]\s*\w*$/.test(before) || /^\s+\w*$/.test(before)) options = SCHEMA_KEYS;
  } else if (/^\s*(-\s+)?\w*$/.test(before)) options = PART_KEYS;
  return options ? { from: pos - typed.length, options, validFor } : null;
}

/** Completion at the cursor: in `{{ }}` and `{% %}` names, properties, tags and filters, else keys and values. */
export function completeAt(context: CompletionContext, vocabulary: Vocabulary): CompletionResult | null {
  const before = context.state.sliceDoc(Math.max(0, context.pos - 2000), context.pos);
  const line = context.state.doc.lineAt(context.pos).number;
  if (readFormat(context.state) === "shaped" && line > findFrontMatterEnd(context.state)) {
    const brace = /(?<!{){(?!{)[^{}]*$/.exec(before)?.[0];
    return brace ? completeShaped(context, brace, vocabulary) : null;
  }
  const opened = /{[{%](?:(?!}}|%})[\s\S])*$/.exec(before)?.[0];
  return opened ? completeExpression(context, opened, vocabulary) : completeYaml(context);
}

export function completion(vocabulary: () => Vocabulary): Extension {
  return [
    autocompletion({ override: [(context) => completeAt(context, vocabulary())], icons: false }),
    Prec.high(keymap.of(completionKeymap)),
  ];
}
