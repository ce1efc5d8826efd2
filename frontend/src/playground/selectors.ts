// Selectors of the playground's state: why a run isn't possible, its estimated cost, the verdict on a reply.
import { formatNumber, gettext, ngettext, readPageLanguage } from "../language.ts";
import { type Column, DRAFT, isBusy, type View } from "./columns.ts";
import { computeCost, findLongestReply, sumCosts } from "./money.ts";
import { looksLikeObject } from "./partial_json.ts";
import type { RunState } from "./state.ts";
import type { Choices, Money, Reply, Source } from "./types.ts";

/** Why nothing can be run, and where the reader can fix it. */
export interface Blocker {
  text: string;
  /** The input that lacks a value. */
  input?: string;
  isProblem?: boolean;
  link?: { text: string; url: string };
}

/** The first blocker of a run of these columns, by default all; null if it can start. */
export function findBlocker(state: RunState, columns: readonly Column[] = state.columns): Blocker | null {
  const { choices, facts } = state;
  if (!choices) return { text: state.trouble || gettext("Loading the models…") };
  if (!choices.can_run) {
    const text = choices.why_not || gettext("No model connected");
    if (!choices.can_connect || !choices.connect_url) return { text };
    return { text, link: { text: gettext("Connect a model"), url: choices.connect_url } };
  }
  const refused = findRefusedModel(choices, columns);
  if (refused) return isDayOver(choices) ? { text: gettext("Daily limit reached, resets at 00:00 UTC") } : refused;
  if (!columns.some((column) => column.source === DRAFT)) return null;
  if (facts.errors) return { text: ngettext("Fix {count} error", "Fix {count} errors", facts.errors), isProblem: true };
  const input = facts.missing[0];
  return input === undefined ? null : { text: gettext("{name} needs a value", { name: input }), input };
}

/** Whether the reader has reached the daily cap; a cap of 0 disables calls permanently. */
function isDayOver({ spent }: Choices): boolean {
  return spent?.cap != null && Number(spent.cap) > 0 && Number(spent.today) >= Number(spent.cap);
}

/** The first model of the columns that the spending caps don't allow; an admin can give it a price. */
function findRefusedModel(choices: Choices, columns: readonly Column[]): Blocker | null {
  const names = new Set(columns.map((column) => column.model));
  const text = choices.models.find((model) => names.has(model.name) && model.why_not)?.why_not;
  if (!text) return null;
  if (!choices.can_connect || !choices.connect_url) return { text };
  return { text, link: { text: gettext("Models"), url: choices.connect_url } };
}

/** The maximum cost of the next run of all columns; null if a model has no price. */
export function estimateRun(state: RunState): Money | null {
  return sumCosts(state.columns.map((column) => estimateColumn(state, column)));
}

function estimateColumn(state: RunState, { source, model: name, settings, reply, ran }: Column): Money | null {
  const { facts } = state;
  const model = state.choices?.models.find((candidate) => candidate.name === name);
  // For another version, the last reply's figures are better than the draft's.
  const knownReply = source !== DRAFT && ran?.source === source ? reply : null;
  const tokens = knownReply?.prompt?.tokens ?? facts.tokens;
  if (tokens === null) return null;
  const saved = knownReply?.longest_reply ? { max_tokens: knownReply.longest_reply } : facts.settings;
  return computeCost(model, tokens, findLongestReply(settings, saved, facts.reserve));
}

/** Names of the columns' models without a price. */
export function listUnpricedModels(state: RunState): string[] {
  const models = new Map(state.choices?.models.map((model) => [model.name, model]));
  const names = new Set(state.columns.map((column) => column.model));
  return [...names].filter((name) => models.get(name)?.price === null);
}

/** Why a reply is outdated compared with the page; empty if it isn't. */
export function describeStaleness(state: RunState, column: Column): string {
  const { ran } = column;
  if (!ran || !column.reply || isBusy(column)) return "";
  if (ran.source !== column.source) return gettext("Another version was chosen since this run");
  if (ran.model !== column.model) return gettext("Another model was chosen since this run");
  if (ran.document !== null && column.source === DRAFT && ran.document !== state.document) {
    return gettext("Draft changed since this run");
  }
  if (ran.data !== state.data) return gettext("Inputs changed since this run");
  const isSame = JSON.stringify(ran.settings) === JSON.stringify(column.settings);
  return isSame ? "" : gettext("Settings changed since this run");
}

/** The verdict on a reply, as a word with an icon. */
export interface Verdict {
  kind: "ok" | "warn" | "bad" | "plain" | "busy";
  text: string;
}

const REFUSALS = new Set(["content_filter", "refusal", "safety"]);

/** A verdict's text within a sentence; other languages keep the capitals of their nouns. */
export const fitIntoSentence = (text: string): string => (readPageLanguage() === "en" ? text.toLowerCase() : text);

export function describeVerdict(column: Column, now: number): Verdict | null {
  const { reply, phase } = column;
  if (column.isStopping && isBusy(column)) return { kind: "busy", text: gettext("Stopping") };
  if (phase === "starting") return { kind: "busy", text: gettext("Starting") };
  if (phase === "waiting" && column.waiting) {
    return { kind: "busy", text: describeWaiting(column.waiting, now) };
  }
  if (phase === "running") return { kind: "busy", text: gettext("Writing") };
  if (!reply || phase === "idle") return null;
  if (phase === "failed") return { kind: "bad", text: gettext("Failed") };
  if (phase === "stopped") return { kind: "warn", text: describeStopped(reply) };
  return describeReply(reply);
}

function describeWaiting({ detail, until }: { detail: string; until: number | null }, now: number): string {
  if (until === null) return detail;
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  // The seconds are counted down here, so the server's own are removed.
  const cause = detail.replace(/\s*Retrying in \S+ s\.?$/, "").replace(/[.\s]+$/, "");
  return gettext("{cause}. Retrying in {seconds} s", { cause, seconds });
}

function describeStopped(reply: Reply): string {
  if (!reply.tokens) return gettext("Stopped");
  return ngettext("Stopped after {count} token", "Stopped after {count} tokens", reply.tokens.completion);
}

/** The verdict on a finished reply. */
export function describeReply(reply: Reply): Verdict {
  if (reply.finish_reason && REFUSALS.has(reply.finish_reason))
    return { kind: "bad", text: gettext("Refused by the provider") };
  if (reply.finish_reason === "length") {
    const limit = reply.longest_reply ?? reply.tokens?.completion;
    const text = limit
      ? gettext("Cut off at the limit of {limit}", { limit: formatNumber(limit) })
      : gettext("Cut off at the limit");
    return { kind: "warn", text };
  }
  const { output } = reply;
  const calls = reply.tools.length;
  const isPlainText = !output || (output.kind === "text" && output.valid);
  if (calls && isPlainText) return { kind: "plain", text: ngettext("{count} tool call", "{count} tool calls", calls) };
  if (!calls && reply.is_stored !== false && !reply.text.trim()) return { kind: "warn", text: gettext("Empty reply") };
  if (!output) return { kind: "plain", text: gettext("Done") };
  if (output.kind === "text" && output.valid) return { kind: "plain", text: gettext("Text") };
  if (output.valid) return { kind: "ok", text: gettext("Output valid") };
  const invalid = output.fields.filter((field) => field.problem).length;
  if (invalid) return { kind: "bad", text: ngettext("{count} field invalid", "{count} fields invalid", invalid) };
  return { kind: "bad", text: isJson(reply.text) ? gettext("Output invalid") : gettext("Not JSON") };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\s*```(?:json)?\s*|\s*```\s*$/gi, ""));
    return true;
  } catch {
    return false;
  }
}

/** The views that a column offers, with the default for a successful reply first. */
export function listViews(state: RunState, column: Column): View[] {
  const { reply } = column;
  const isObject = reply?.output
    ? reply.output.kind === "json"
    : column.source === DRAFT && !reply?.text
      ? state.facts.hasOutput
      : looksLikeObject(reply?.text ?? "");
  return [isObject ? "fields" : "reply", "prompt", "raw"];
}

/** The view to show: the reader's choice, else Raw for a reply that should be JSON and isn't. */
export function findChosenView(state: RunState, column: Column): View {
  const views = listViews(state, column);
  if (column.view && views.includes(column.view)) return column.view;
  const first = views[0] ?? "reply";
  const isUnread = column.phase === "done" && first === "fields" && column.reply?.output?.fields.length === 0;
  return isUnread && !column.reply?.output?.valid ? "raw" : first;
}

/** The source of a column, for its title. */
export function findSource(state: RunState, value: string): Source {
  const source = state.choices?.sources.find((candidate) => candidate.value === value);
  if (source) return source;
  return {
    value,
    title: value === DRAFT ? gettext("This draft") : /^\d+$/.test(value) ? `v${value}` : value,
    number: null,
  };
}

/** The announcement for screen readers when a reply has ended. */
export function announceReply(state: RunState, column: Column, now: number): string {
  const verdict = describeVerdict(column, now);
  const tokens = column.reply?.tokens?.completion;
  const facts = [
    column.phase === "done" ? gettext("done") : "",
    tokens !== undefined && column.phase === "done" ? ngettext("{count} token", "{count} tokens", tokens) : "",
    verdict ? fitIntoSentence(verdict.text) : "",
    column.phase === "failed" ? (column.reply?.problem?.detail ?? "") : "",
  ].filter(Boolean);
  return `${findSource(state, column.source).title}: ${facts.join(", ")}`;
}
