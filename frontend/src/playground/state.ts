// The state of the playground: a pure reducer of actions.
import { type Column, DRAFT, MAX_COLUMNS, makeColumn, PHASES, type Phase, type Plan, type View } from "./columns.ts";
import type { Choices, DraftFacts, Reply, Run, Settings, ToolCall } from "./types.ts";

export interface RunState {
  labels: { live: string; protected: string[] };
  columns: Column[];
  nextKey: number;
  /** The column shown on narrow screens. */
  shown: number;
  choices: Choices | null;
  /** Why the options couldn't be loaded. */
  trouble: string;
  facts: DraftFacts;
  document: string;
  /** The inputs as JSON. */
  data: string;
  sample: string;
  /** Whether a run is being started. */
  isStarting: boolean;
  refusal: string;
  /** Refusals of inputs, by path. */
  inputProblems: Record<string, string>;
  runs: Run[];
  /** The id for loading older runs; null: there aren't any. */
  next: string | number | null;
  isHistoryOpen: boolean;
  /** The id of the run in the columns. */
  runId: string | number | null;
}

export type Action =
  | { type: "choicesLoaded"; choices: Choices }
  | { type: "choicesFailed"; trouble: string }
  | { type: "factsChanged"; facts: DraftFacts }
  | { type: "textChanged"; document: string }
  | { type: "inputsChanged"; data: string; sample: string }
  | { type: "columnAdded" }
  | { type: "columnRemoved"; key: number }
  | { type: "columnShown"; key: number }
  | { type: "sourceChosen"; key: number; source: string }
  | { type: "modelChosen"; key: number; model: string }
  | { type: "settingsChosen"; key: number; settings: Settings }
  | { type: "viewChosen"; key: number; view: View }
  | { type: "runStarting"; keys: number[]; at: number }
  | { type: "runStarted"; keys: number[]; run: Run }
  | { type: "runRefused"; keys: number[]; detail: string; fields: Record<string, string> }
  /** A chunk of the text, or with `isWhole` the whole text so far. */
  | { type: "textCame"; id: Reply["id"]; text: string; isWhole: boolean }
  | { type: "toolCame"; id: Reply["id"]; tool: ToolCall }
  | { type: "waitingCame"; id: Reply["id"]; detail: string; until: number | null }
  | { type: "stopAsked"; id: Reply["id"] }
  | { type: "ended"; id: Reply["id"]; reply: Reply }
  | { type: "lost"; id: Reply["id"]; detail: string; retryAfter: number | null }
  | { type: "historyLoaded"; runs: Run[]; next: string | number | null; isMore: boolean }
  | { type: "historyToggled" }
  | { type: "runOpened"; run: Run };

export const NO_FACTS: DraftFacts = {
  model: "",
  settings: {},
  reserve: 0,
  tokens: null,
  hasOutput: false,
  context: null,
  errors: 0,
  missing: [],
};

export function makeState(
  labels: RunState["labels"],
  { document, data, sample }: { document: string; data: string; sample: string },
): RunState {
  return {
    labels,
    columns: [],
    nextKey: 1,
    shown: 1,
    choices: null,
    trouble: "",
    facts: NO_FACTS,
    document,
    data,
    sample,
    isStarting: false,
    refusal: "",
    inputProblems: {},
    runs: [],
    next: null,
    isHistoryOpen: false,
    runId: null,
  };
}

function addColumn(state: RunState, plan: Plan): RunState {
  if (state.columns.length >= MAX_COLUMNS) return state;
  const columns = [...state.columns, makeColumn(state.nextKey, plan)];
  return { ...state, columns, nextKey: state.nextKey + 1, shown: columns.length === 1 ? state.nextKey : state.shown };
}

/** The two initial columns: the draft, and the live version if there is one. */
function beginColumns(state: RunState, choices: Choices): RunState {
  const named = choices.models.find((model) => model.name === state.facts.model);
  const model = (named ?? choices.models[0])?.name ?? "";
  const begun = addColumn(state, { source: DRAFT, model, settings: {} });
  const live = choices.sources.find((source) => source.value === state.labels.live);
  return live ? addColumn(begun, { source: live.value, model, settings: {} }) : begun;
}

/** The source of a new column: the first one that no column shows yet, else the draft. */
function chooseNextSource(state: RunState): string {
  const usedSources = new Set(state.columns.map((column) => column.source));
  const sources = state.choices?.sources ?? [];
  return (sources.find((source) => source.value !== DRAFT && !usedSources.has(source.value)) ?? { value: DRAFT }).value;
}

function changeColumn(state: RunState, key: number, change: (column: Column) => Column): RunState {
  return { ...state, columns: state.columns.map((column) => (column.key === key ? change(column) : column)) };
}

/** Updates the column with this reply; does nothing if no column shows it any more. */
function changeReply(state: RunState, id: Reply["id"], change: (column: Column, reply: Reply) => Column): RunState {
  return {
    ...state,
    columns: state.columns.map((column) => (column.reply?.id === id ? change(column, column.reply) : column)),
  };
}

function startColumns(state: RunState, keys: number[], at: number): RunState {
  const columns = state.columns.map((column) => {
    if (!keys.includes(column.key)) return column;
    const { source, model, settings } = column;
    const ran = { source, model, settings, document: state.document, data: state.data };
    return { ...column, phase: "starting" as const, ran, startedAt: at, waiting: null, isStopping: false, refusal: "" };
  });
  return { ...state, columns, isStarting: true, refusal: "", inputProblems: {} };
}

function takeRun(state: RunState, keys: number[], run: Run): RunState {
  const columns = state.columns.map((column) => {
    const reply = run.columns[keys.indexOf(column.key)];
    return keys.includes(column.key) && reply ? { ...column, reply, phase: PHASES[reply.state] } : column;
  });
  return { ...state, columns, isStarting: false, runId: run.id, runs: [run, ...state.runs] };
}

/** A refused start: errors of a column are shown in it, errors of an input at its field, others next to Run. */
function refuseRun(state: RunState, keys: number[], detail: string, fields: Record<string, string>): RunState {
  const refusals = new Map<number, string[]>();
  const inputProblems: Record<string, string> = {};
  const others: string[] = [];
  for (const [path, sentence] of Object.entries(fields)) {
    const [head, ...rest] = path.split(".");
    const key = head === "columns" ? keys[Number(rest[0])] : undefined;
    if (key !== undefined) refusals.set(key, [...(refusals.get(key) ?? []), sentence]);
    else if (head === "inputs" && rest.length) inputProblems[rest.join(".")] = sentence;
    else others.push(sentence);
  }
  const columns = state.columns.map((column) => {
    if (!keys.includes(column.key)) return column;
    const phase: Phase = column.reply ? PHASES[column.reply.state] : "idle";
    return { ...column, phase, refusal: (refusals.get(column.key) ?? []).join(" "), ran: column.reply && column.ran };
  });
  const refusal = others.join(" ") || (Object.keys(fields).length ? "" : detail);
  return { ...state, columns, isStarting: false, refusal, inputProblems };
}

function openRun(state: RunState, run: Run): RunState {
  const data = JSON.stringify(run.inputs);
  const columns = run.columns.slice(0, MAX_COLUMNS).map((reply, index) => {
    const plan = { source: reply.source, model: reply.model, settings: reply.settings };
    const ran = { ...plan, document: null, data };
    return { ...makeColumn(state.nextKey + index, plan), reply, ran, phase: PHASES[reply.state] };
  });
  const nextKey = state.nextKey + columns.length;
  return { ...state, columns, nextKey, shown: columns[0]?.key ?? state.shown, runId: run.id, refusal: "" };
}

/** Updates the runs with the finished reply, so that the list and the columns match. */
function updateRuns(runs: Run[], reply: Reply): Run[] {
  return runs.map((run) =>
    run.columns.some((column) => column.id === reply.id)
      ? { ...run, columns: run.columns.map((column) => (column.id === reply.id ? reply : column)) }
      : run,
  );
}

function endReply(state: RunState, reply: Reply): RunState {
  const ended = changeReply(state, reply.id, (column) => ({
    ...column,
    reply,
    phase: PHASES[reply.state],
    waiting: null,
  }));
  return { ...ended, runs: updateRuns(state.runs, reply) };
}

function failReply(state: RunState, id: Reply["id"], detail: string, retryAfter: number | null): RunState {
  const column = state.columns.find((candidate) => candidate.reply?.id === id);
  if (!column?.reply) return state;
  return endReply(state, { ...column.reply, state: "failed", problem: { detail, retry_after: retryAfter } });
}

function reduceColumns(state: RunState, action: Action): RunState | null {
  switch (action.type) {
    case "columnAdded": {
      const model = state.columns[0]?.model ?? state.choices?.models[0]?.name ?? "";
      return addColumn(state, { source: chooseNextSource(state), model, settings: {} });
    }
    case "columnRemoved": {
      if (state.columns.length < 2) return state;
      const columns = state.columns.filter((column) => column.key !== action.key);
      const nextShown = state.shown === action.key ? (columns[0]?.key ?? 0) : state.shown;
      return { ...state, columns, shown: nextShown };
    }
    case "columnShown":
      return { ...state, shown: action.key };
    case "sourceChosen":
      return changeColumn(state, action.key, (column) => ({ ...column, source: action.source, refusal: "" }));
    case "modelChosen":
      return changeColumn(state, action.key, (column) => ({ ...column, model: action.model, refusal: "" }));
    case "settingsChosen":
      return changeColumn(state, action.key, (column) => ({ ...column, settings: action.settings, refusal: "" }));
    case "viewChosen":
      return changeColumn(state, action.key, (column) => ({ ...column, view: action.view }));
    default:
      return null;
  }
}

function reduceStream(state: RunState, action: Action): RunState | null {
  switch (action.type) {
    case "textCame":
      return changeReply(state, action.id, (column, reply) => ({
        ...column,
        phase: "running",
        waiting: null,
        reply: { ...reply, state: "running", text: (action.isWhole ? "" : reply.text) + action.text },
      }));
    case "toolCame":
      return changeReply(state, action.id, (column, reply) => ({
        ...column,
        reply: { ...reply, tools: [...reply.tools, action.tool] },
      }));
    case "waitingCame":
      return changeReply(state, action.id, (column) => ({
        ...column,
        phase: "waiting",
        waiting: { detail: action.detail, until: action.until },
      }));
    case "stopAsked":
      return changeReply(state, action.id, (column) => ({ ...column, isStopping: true }));
    case "ended":
      return endReply(state, action.reply);
    case "lost":
      return failReply(state, action.id, action.detail, action.retryAfter);
    default:
      return null;
  }
}

/** The state after an action. */
export function reduce(state: RunState, action: Action): RunState {
  switch (action.type) {
    case "choicesLoaded": {
      const loaded = { ...state, choices: action.choices, trouble: "" };
      return state.columns.length ? loaded : beginColumns(loaded, action.choices);
    }
    case "choicesFailed":
      return { ...state, trouble: action.trouble };
    case "factsChanged":
      return { ...state, facts: action.facts };
    case "textChanged":
      return { ...state, document: action.document };
    case "inputsChanged":
      return { ...state, data: action.data, sample: action.sample, inputProblems: {} };
    case "runStarting":
      return startColumns(state, action.keys, action.at);
    case "runStarted":
      return takeRun(state, action.keys, action.run);
    case "runRefused":
      return refuseRun(state, action.keys, action.detail, action.fields);
    case "historyLoaded": {
      const knownRuns = new Set(action.isMore ? state.runs.map((run) => run.id) : []);
      const runs = [...(action.isMore ? state.runs : []), ...action.runs.filter((run) => !knownRuns.has(run.id))];
      return { ...state, runs, next: action.next };
    }
    case "historyToggled":
      return { ...state, isHistoryOpen: !state.isHistoryOpen };
    case "runOpened":
      return openRun(state, action.run);
    default:
      return reduceColumns(state, action) ?? reduceStream(state, action) ?? state;
  }
}
