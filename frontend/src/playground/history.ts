// The reader's earlier runs: their results, with the draft at that time to restore.
import { createElement, createIcon, formatTimeAgo } from "../dom.ts";
import { formatNumber, gettext, ngettext, readPageLanguage } from "../language.ts";
import { countDifferentLines } from "../line_count.ts";
import { DRAFT } from "./columns.ts";
import { formatMoney, sumCosts } from "./money.ts";
import { describeReply, fitIntoSentence } from "./selectors.ts";
import type { RunState } from "./state.ts";
import type { Reply, Run } from "./types.ts";

const TYPING_PAUSE = 500; // milliseconds before changed lines are counted again
const FEW = 3; // runs shown while the list is collapsed

export interface HistoryHost {
  open(run: Run): void;
  restoreDraft(run: Run): void;
  toggle(): void;
  loadMore(): void;
}

const TITLE_ID = "play-history-title";

/** The text of the button that shows all runs; with their number if all are loaded. */
export const describeAll = (runs: readonly unknown[], next: RunState["next"]): string =>
  next === null ? gettext("All {count} runs", { count: runs.length }) : gettext("All runs");

export class RunHistory {
  readonly #element: HTMLElement;
  readonly #host: HistoryHost;
  readonly #table = createElement("table", { class: "play-runs" });
  readonly #note = createElement("p", { class: "note" });
  readonly #all = createElement("button", { type: "button", class: "link" });
  readonly #more = createElement(
    "button",
    { type: "button", class: "button button-small" },
    gettext("Show older runs"),
  );
  #drawn: unknown[] = [];
  #document = "";
  #timer = 0;

  constructor(element: HTMLElement, host: HistoryHost) {
    this.#element = element;
    this.#host = host;
    const title = createElement("h3", { id: TITLE_ID }, gettext("Earlier runs"));
    element.setAttribute("aria-labelledby", TITLE_ID);
    this.#all.addEventListener("click", () => host.toggle());
    this.#more.addEventListener("click", () => host.loadMore());
    const head = createElement("div", { class: "play-history-head" }, title, this.#note, this.#all);
    const scroller = createElement("div", { class: "play-history-list", tabindex: 0, role: "group" });
    scroller.setAttribute("aria-labelledby", TITLE_ID);
    scroller.append(this.#table, this.#more);
    element.append(head, scroller);
  }

  update(state: RunState): void {
    this.#followText(state);
    const minute = Math.floor(Date.now() / 60_000); // ages are updated every minute
    const drawn = [state.runs, state.next, state.isHistoryOpen, state.runId, state.choices, minute, this.#document];
    if (drawn.every((node, index) => node === this.#drawn[index]) && this.#drawn.length) return;
    this.#drawn = drawn;
    const isStored = state.choices?.is_stored ?? true;
    this.#note.textContent = isStored
      ? gettext("yours, kept for 30 days")
      : gettext("the texts of runs are not stored here");
    this.#element.classList.toggle("is-open", state.isHistoryOpen);
    this.#all.hidden = state.runs.length <= FEW && state.next === null && !state.isHistoryOpen;
    this.#all.textContent = state.isHistoryOpen ? gettext("Fewer") : describeAll(state.runs, state.next);
    this.#all.setAttribute("aria-expanded", String(state.isHistoryOpen));
    this.#more.hidden = !state.isHistoryOpen || state.next === null;
    const runs = state.isHistoryOpen ? state.runs : state.runs.slice(0, FEW);
    this.#element.hidden = runs.length === 0;
    this.#drawRows(runs, state.runId, isStored);
  }

  /** Redraws the rows once typing stops. */
  #followText(state: RunState): void {
    clearTimeout(this.#timer);
    if (!this.#document) this.#document = state.document;
    if (state.document === this.#document) return;
    this.#timer = window.setTimeout(() => {
      this.#document = state.document;
      this.update(state);
    }, TYPING_PAUSE);
  }

  #drawRows(runs: Run[], shown: Run["id"] | null, isStored: boolean): void {
    const focused = this.#table.contains(document.activeElement) ? document.activeElement?.id : undefined;
    const names = [
      gettext("When"),
      gettext("Sample"),
      gettext("Draft at that time"),
      gettext("This draft"),
      gettext("Compared with"),
    ];
    const heads = names.map((name) => createElement("th", { scope: "col" }, name));
    heads.push(createElement("th", { scope: "col", class: "play-run-cost" }, gettext("Cost")));
    const hiddenText = createElement("span", { class: "visually-hidden" }, gettext("Actions"));
    const actions = createElement("th", { scope: "col" }, hiddenText);
    const head = createElement("thead", {}, createElement("tr", {}, ...heads, actions));
    const body = createElement("tbody", {}, ...runs.map((run) => this.#drawRow(run, run.id === shown, isStored)));
    this.#table.replaceChildren(head, body);
    if (focused) document.getElementById(focused)?.focus();
  }

  #drawRow(run: Run, isShown: boolean, isStored: boolean): HTMLElement {
    const when = createElement("time", {
      datetime: run.at,
      title: new Date(run.at).toLocaleString(readPageLanguage()),
    });
    when.textContent = formatTimeAgo(Date.parse(run.at));
    const draw = (reply: Reply, title = ""): HTMLElement => drawResult(reply, title, isShown);
    const own = run.columns.find((column) => column.source === DRAFT);
    const others = run.columns.filter((column) => column !== own);
    const cost = sumCosts(run.columns.map((column) => column.cost));
    const row = createElement(
      "tr",
      { class: isShown ? "is-shown" : undefined },
      createElement("th", { scope: "row" }, when),
      createElement("td", { class: "play-run-sample" }, run.sample ?? ""),
      createElement("td", { class: "note" }, this.#describeDraft(run)),
      createElement("td", {}, ...(own ? [draw(own)] : [])),
      createElement("td", { class: "play-run-others" }, ...others.flatMap((reply) => [draw(reply, reply.title), " "])),
      createElement("td", { class: "play-run-cost" }, cost ? formatMoney(cost) : ""),
    );
    const isSame = run.document === this.#document;
    row.append(this.#drawActs(run, own !== undefined && isStored && !isSame, isShown));
    return row;
  }

  #describeDraft(run: Run): string {
    if (run.document === null) return "";
    const lines = countDifferentLines(run.document, this.#document);
    return lines ? ngettext("{count} line different", "{count} lines different", lines) : gettext("same as now");
  }

  #drawActs(run: Run, hasDraft: boolean, isShown: boolean): HTMLElement {
    const createLink = (name: string, label: string, action: () => void): HTMLElement => {
      const when = formatTimeAgo(Date.parse(run.at));
      const attributes = { type: "button", class: "link", id: `play-${name}-${run.id}` };
      const hiddenTime = createElement("span", { class: "visually-hidden" }, ` ${when}`);
      const button = createElement("button", attributes, label, hiddenTime);
      button.addEventListener("click", action);
      return button;
    };
    const cell = createElement("td", { class: "play-run-acts" });
    if (hasDraft) cell.append(createLink("restore", gettext("Restore draft"), () => this.#host.restoreDraft(run)));
    cell.append(
      isShown
        ? createElement("span", { class: "note" }, gettext("shown above"))
        : createLink("open", gettext("Open"), () => this.#host.open(run)),
    );
    return cell;
  }
}

const STATES: Record<Exclude<Reply["state"], "done">, string> = {
  ready: gettext("not started"),
  running: gettext("writing"),
  stopped: gettext("stopped"),
  failed: gettext("failed"),
};
const ICONS = { ok: "check", bad: "x", warn: "triangle-alert", plain: "check", busy: "loader" };

/** The result of one reply of a run, in a cell of the list. */
function drawResult(reply: Reply, title: string, isShown: boolean): HTMLElement {
  const verdict = reply.state === "done" ? describeReply(reply) : null;
  const kind = verdict?.kind ?? (reply.state === "failed" ? "bad" : "plain");
  const state = reply.state === "ready" && isShown ? "running" : reply.state;
  const text = verdict ? fitIntoSentence(verdict.text.replace(/^Output /, "")) : STATES[state as "ready"];
  const icon = createIcon(reply.state === "done" ? ICONS[kind] : reply.state === "failed" ? "x" : "circle-dashed");
  const tokens = reply.tokens ? [" ", gettext("{count} out", { count: formatNumber(reply.tokens.completion) })] : [];
  const result = createElement("span", { class: "play-result", "data-kind": kind }, title ? `${title} ` : "", icon);
  result.append(
    createElement("span", { class: "play-result-text" }, text),
    createElement("span", { class: "note" }, ...tokens),
  );
  return result;
}
