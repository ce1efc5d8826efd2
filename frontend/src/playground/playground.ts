// The playground: runs the draft next to other versions, models and settings, before anything is saved.
import { showStatus } from "../app/status.ts";
import { findElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { ColumnList } from "./column_list.ts";
import { type Column, isBusy, MAX_COLUMNS } from "./columns.ts";
import { RunHistory } from "./history.ts";
import { type InputsFacts, InputsLine } from "./inputs_line.ts";
import { openRowForm } from "./row_form.ts";
import { RowsPanel } from "./rows_panel.ts";
import { RunBar } from "./run_bar.ts";
import { announceReply, findBlocker, findSource } from "./selectors.ts";
import { RunServer } from "./server.ts";
import { type Action, makeState, NO_FACTS, type RunState, reduce } from "./state.ts";
import { followReply } from "./stream.ts";
import type { DraftFacts, Reply, Run } from "./types.ts";

const TICK = 250; // milliseconds between clock updates while a reply is streamed

/** What the playground needs from the editor. */
export interface PlaygroundHost {
  /** The base URL of the playground's requests, with a trailing slash. */
  url: string;
  /** The draft that the editor shows; empty for the default one. */
  draftName: string;
  labels: RunState["labels"];
  newDatasetUrl: string;
  /** The selected sample, its values, and the facts about each. */
  inputs(): Omit<InputsFacts, "problems">;
  document(): string;
  chooseSample(name: string): void;
  askSampleName(opener: HTMLElement): void;
  openInputs(path?: string): void;
  goToProblem(): void;
  /** Saves the unsaved draft. */
  saveDraft(): Promise<void>;
  /** Starts a draft from a version and opens it; false if the server refused. */
  startDraft(ref: string): Promise<boolean>;
  /** Opens another URL of the editor. */
  open(url: string): void;
}

export class Playground {
  readonly #root: HTMLElement;
  readonly #host: PlaygroundHost;
  readonly #server: RunServer;
  readonly #columns: ColumnList;
  readonly #history: RunHistory;
  readonly #line: InputsLine;
  readonly #bar: RunBar;
  readonly #rows: RowsPanel;
  readonly #streams = new Map<Reply["id"], () => void>();
  #state: RunState;
  #isLoaded = false;
  #frame = 0;
  #timer: number | undefined;

  constructor(root: HTMLElement, host: PlaygroundHost) {
    this.#root = root;
    this.#host = host;
    this.#server = new RunServer(host.url, host.draftName);
    const { data, sample } = host.inputs();
    this.#state = makeState(host.labels, { document: host.document(), data: JSON.stringify(data), sample });
    this.#columns = new ColumnList(findElement(root, "[data-play-columns]"), {
      dispatch: (action) => this.#dispatch(action),
      run: (keys) => void this.run(keys),
      stop: (key) => void this.#stopByKey(key),
      copyToDraft: (key) => void this.#copyToDraft(key),
      openRowForm: (key) => this.#openRowForm(key),
    });
    this.#history = new RunHistory(findElement(root, "[data-play-history]"), {
      open: (run) => this.#openRun(run),
      restoreDraft: (run) => void this.#restoreDraft(run),
      toggle: () => this.#dispatch({ type: "historyToggled" }),
      loadMore: () => void this.#loadHistory(this.#state.next),
    });
    this.#line = new InputsLine(
      {
        values: findElement(root, "[data-play-values]"),
        picker: findElement(root, "[data-play-sample]"),
        position: findElement(root, "[data-play-position]"),
      },
      { choose: (name) => host.chooseSample(name), enterValue: (path) => host.openInputs(path) },
    );
    this.#bar = new RunBar(root, {
      show: (key) => this.#dispatch({ type: "columnShown", key }),
      goToProblem: () => host.goToProblem(),
      openInputs: (path) => host.openInputs(path),
    });
    this.#rows = new RowsPanel(findElement(root, "[data-play-rows-shown]"), this.#server, {
      state: () => this.#state,
      newDatasetUrl: host.newDatasetUrl,
      open: (run) => this.#openRun(run),
      announce: (text) => this.#announce(text),
      updateSpending: () => void this.#server.loadChoices().then((action) => this.#takeSpending(action)),
    });
    this.#wire();
  }

  /** Loads the options and the history, once. */
  open(): void {
    if (!this.#isLoaded) {
      this.#isLoaded = true;
      void this.#server.loadChoices().then((action) => this.#dispatch(action));
      void this.#loadHistory(null);
    }
    this.#draw();
  }

  /** Called after the text, the samples or the values changed. */
  followEdits(): void {
    const { data, sample } = this.#host.inputs();
    const document = this.#host.document();
    if (document !== this.#state.document) this.#dispatch({ type: "textChanged", document });
    const values = JSON.stringify(data);
    if (values !== this.#state.data || sample !== this.#state.sample) {
      this.#dispatch({ type: "inputsChanged", data: values, sample });
    } else this.#drawSoon();
  }

  /** Updates the draft's facts from the last preview; missing ones stay unchanged. */
  takeFacts(facts: Partial<DraftFacts>): void {
    this.#dispatch({ type: "factsChanged", facts: { ...NO_FACTS, ...this.#state.facts, ...facts } });
  }

  /** Runs all columns, or those with these keys; replies still being streamed there are stopped first. */
  async run(keys?: number[]): Promise<void> {
    const state = this.#state;
    if (state.isStarting) return;
    const chosen = state.columns.filter((column) => !keys || keys.includes(column.key));
    const blocker = findBlocker(state, chosen);
    if (blocker) {
      this.#announce(gettext("Can't run yet: {reason}", { reason: blocker.text }));
      findElement(this.#root, "[data-play-run]").focus();
      return;
    }
    await Promise.all(chosen.filter(isBusy).map((column) => this.#stopColumn(column)));
    const started = chosen.map((column) => column.key);
    this.#dispatch({ type: "runStarting", keys: started, at: Date.now() });
    this.#announce(ngettext("Running {count} column", "Running {count} columns", started.length));
    const action = await this.#server.startRun(this.#state, started);
    this.#dispatch(action);
    if (action.type === "runStarted") for (const reply of action.run.columns) this.#follow(reply);
    else if (action.type === "runRefused") this.#announce(gettext("Not started: {reason}", { reason: action.detail }));
  }

  /** Stops every reply that is being streamed. */
  stopAll(): boolean {
    return [this.#rows.stop(), this.#stopColumns()].includes(true);
  }

  #stopColumns(): boolean {
    const busy = this.#state.columns.filter(isBusy);
    for (const column of busy) void this.#stopColumn(column);
    return busy.length > 0;
  }

  #wire(): void {
    const root = this.#root;
    findElement(root, "[data-play-run]").addEventListener("click", () => void this.run());
    findElement(root, "[data-play-rows]").addEventListener("click", () => {
      if (this.#state.choices?.can_run) this.#rows.open();
    });
    findElement(root, "[data-play-add]").addEventListener("click", () => {
      if (this.#state.columns.length < MAX_COLUMNS) this.#dispatch({ type: "columnAdded" });
    });
    findElement(root, "[data-play-edit]").addEventListener("click", () => this.#host.openInputs());
    const keep = findElement(root, "[data-play-keep]");
    keep.addEventListener("click", () => this.#host.askSampleName(keep));
    root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if ((event.target as Element).closest(".inputs-keep")) return; // there it closes the name field of a sample
      if (this.stopAll()) event.preventDefault();
    });
  }

  #dispatch(action: Action): void {
    const before = this.#state;
    const removed = action.type === "columnRemoved" && before.columns.find((column) => column.key === action.key);
    if (removed && isBusy(removed)) void this.#stopColumn(removed); // it would keep costing money unseen
    this.#state = reduce(before, action);
    if (action.type === "ended" || action.type === "lost") this.#finishReply(action.id);
    if (this.#state !== before) this.#drawSoon();
  }

  #finishReply(id: Reply["id"]): void {
    this.#streams.get(id)?.();
    this.#streams.delete(id);
    const column = this.#state.columns.find((candidate) => candidate.reply?.id === id);
    if (column) this.#announce(announceReply(this.#state, column, Date.now()));
    if (this.#streams.size === 0) void this.#server.loadChoices().then((action) => this.#takeSpending(action));
  }

  /** Updates only the spending after a run; a failed request changes nothing. */
  #takeSpending(action: Action): void {
    if (action.type === "choicesLoaded") this.#dispatch(action);
  }

  #follow(reply: Reply): void {
    if (reply.state !== "ready" && reply.state !== "running") return;
    this.#streams.set(
      reply.id,
      followReply(reply.id, (action) => this.#dispatch(action)),
    );
  }

  async #stopColumn(column: Column): Promise<void> {
    const { reply } = column;
    if (!reply || column.phase === "starting") return;
    this.#dispatch({ type: "stopAsked", id: reply.id });
    const action = await this.#server.stopReply(reply.id);
    if (action) this.#dispatch(action);
  }

  async #loadHistory(before: Run["id"] | null): Promise<void> {
    const action = await this.#server.loadHistory(before);
    if (!action) return;
    this.#dispatch(action);
    const newest = this.#state.runs[0];
    const isUnderWay = newest?.columns.some((reply) => reply.state === "running");
    if (before === null && newest && isUnderWay && this.#state.runId === null) this.#openRun(newest);
  }

  #openRun(run: Run): void {
    this.#stopColumns();
    this.#dispatch({ type: "runOpened", run });
    for (const reply of run.columns) if (reply.state === "running") this.#follow(reply);
    this.#columns.scrollIntoView();
  }

  async #restoreDraft(run: Run): Promise<void> {
    await this.#host.saveDraft();
    const answer = await this.#server.restoreDraft(run.id);
    if (typeof answer === "string") this.#showTrouble(answer);
    else this.#host.open(answer.url);
  }

  async #copyToDraft(key: number): Promise<void> {
    const column = this.#state.columns.find((candidate) => candidate.key === key);
    if (!column) return;
    const { number, value } = findSource(this.#state, column.source);
    await this.#host.saveDraft();
    const isStarted = await this.#host.startDraft(String(number ?? value));
    if (!isStarted) this.#showTrouble(gettext("The draft could not be started from this version. Try again."));
  }

  #openRowForm(key: number): void {
    const reply = this.#state.columns.find((candidate) => candidate.key === key)?.reply;
    if (!reply) return;
    const name = this.#state.sample || "playground";
    const isObject = reply.output?.kind === "json" && reply.output.valid;
    openRowForm(this.#state.choices?.datasets ?? [], { name, text: reply.text, isObject }, async (row) => {
      const answer = await this.#server.addRow(reply.id, row);
      if (!("url" in answer)) return answer;
      if (row.new_dataset) void this.#server.loadChoices().then((action) => this.#dispatch(action));
      const message = gettext("Added {row} to {dataset}.", { row: row.name, dataset: answer.title });
      showStatus(message, undefined, { text: gettext("Open the dataset"), url: answer.url });
      return null;
    });
  }

  #announce(text: string): void {
    findElement(this.#root, "[data-play-announcement]").textContent = text;
  }

  #showTrouble(text: string): void {
    findElement(this.#root, "[data-play-error]").textContent = text;
  }

  #drawSoon(): void {
    if (this.#frame) return;
    this.#frame = window.requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    window.cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const state = this.#state;
    this.#columns.update(state);
    this.#bar.update(state);
    this.#history.update(state);
    const missing = Object.fromEntries(state.facts.missing.map((path) => [path, gettext("needs a value")]));
    this.#line.update({ ...this.#host.inputs(), problems: { ...missing, ...state.inputProblems } });
    this.#tick(state.columns.some(isBusy));
  }

  /** Keeps the clock of a streamed reply running between its chunks. */
  #tick(isWriting: boolean): void {
    if (isWriting && this.#timer === undefined) this.#timer = window.setInterval(() => this.#drawSoon(), TICK);
    else if (!isWriting && this.#timer !== undefined) {
      window.clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  async #stopByKey(key: number): Promise<void> {
    const column = this.#state.columns.find((candidate) => candidate.key === key);
    if (column) await this.#stopColumn(column);
  }
}
