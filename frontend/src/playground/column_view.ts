// One column of the playground: what it runs, the reply as it is streamed, and its figures.
import { createElement, createIcon } from "../dom.ts";
import { formatNumber, gettext, ngettext } from "../language.ts";
import { type Column, DRAFT, isBusy, type View } from "./columns.ts";
import { createMenu, createMenuItem, createSelect, setOptions } from "./menus.ts";
import { formatMoney } from "./money.ts";
import { drawReply } from "./reply_views.ts";
import {
  describeStaleness,
  describeVerdict,
  findChosenView,
  findSource,
  listViews,
  type Verdict,
} from "./selectors.ts";
import { SettingsMenu } from "./settings.ts";
import type { Action, RunState } from "./state.ts";

const VIEW_WORDS: Record<View, string> = {
  fields: gettext("Fields"),
  reply: gettext("Reply"),
  prompt: gettext("Prompt"),
  raw: gettext("Raw"),
};
const VERDICT_ICONS: Record<Verdict["kind"], string> = {
  ok: "circle-check",
  warn: "triangle-alert",
  bad: "circle-x",
  plain: "check",
  busy: "loader",
};
const NEAR_END = 24; // distance in pixels from the end of the text within which scrolling follows it

/** What a column needs from the page. */
export interface ColumnHost {
  dispatch(action: Action): void;
  run(keys: number[]): void;
  stop(key: number): void;
  copyToDraft(key: number): void;
  openRowForm(key: number): void;
}

export class ColumnView {
  readonly element: HTMLElement;
  readonly #key: number;
  readonly #host: ColumnHost;
  readonly #title = createElement("span", { class: "play-title-text", "aria-hidden": "true" });
  readonly #source: HTMLSelectElement;
  readonly #modelBox: HTMLElement;
  readonly #model: HTMLSelectElement;
  readonly #settings: SettingsMenu;
  readonly #verdict = createElement("span", { class: "play-verdict" });
  readonly #copy: HTMLButtonElement;
  readonly #remove: HTMLButtonElement;
  readonly #views = createElement("span", {
    class: "segments play-views",
    role: "group",
    "aria-label": gettext("Shown as"),
  });
  readonly #stale = createElement("p", { class: "play-stale" });
  readonly #body = createElement("div", { class: "play-body", role: "region", tabindex: 0 });
  readonly #newer = createElement("button", { type: "button", class: "button button-small play-newer", hidden: true });
  readonly #figures = createElement("dl", { class: "play-figures" });
  readonly #buttons = createElement("span", { class: "buttons play-acts" });
  #follows = true;
  #drawnBody: unknown[] = [];
  #drawnActs = "";
  #drawnViews = "";

  constructor(key: number, host: ColumnHost) {
    this.#key = key;
    this.#host = host;
    this.#source = createElement("select", { "aria-label": gettext("What this column runs") });
    this.#source.addEventListener("change", () => {
      host.dispatch({ type: "sourceChosen", key, source: this.#source.value });
    });
    [this.#modelBox, this.#model] = createSelect(gettext("Model"), (model) =>
      host.dispatch({ type: "modelChosen", key, model }),
    );
    this.#settings = new SettingsMenu(key, (settings) => host.dispatch({ type: "settingsChosen", key, settings }));
    this.#copy = createMenuItem("pencil", gettext("Use as draft"), () => host.copyToDraft(key));
    this.#remove = createMenuItem("x", gettext("Remove column"), () => host.dispatch({ type: "columnRemoved", key }));
    this.#newer.append(createIcon("arrow-down"), gettext("New text below"));
    this.#newer.addEventListener("click", () => this.#scrollToEnd());
    this.#body.addEventListener("scroll", () => this.#noteScroll());
    this.element = createElement("section", { class: "play-column" }, ...this.#drawHead(), this.#stale);
    this.element.append(
      createElement("div", { class: "play-reply" }, this.#body, this.#newer),
      createElement("div", { class: "play-foot" }, this.#figures, this.#buttons),
    );
  }

  #drawHead(): HTMLElement[] {
    const title = createElement("span", { class: "play-title" }, this.#title, createIcon("chevron-down"), this.#source);
    const summary = createElement("summary", { class: "icon-button", "aria-label": gettext("More for this column") });
    summary.append(createIcon("ellipsis"));
    const sheet = createElement("div", { class: "play-sheet play-items" });
    sheet.append(
      createMenuItem("play", gettext("Run this column"), () => this.#host.run([this.#key])),
      this.#copy,
      this.#remove,
    );
    const menu = createMenu(summary, sheet);
    return [
      createElement("div", { class: "play-head" }, title, this.#verdict, menu),
      createElement("div", { class: "play-controls" }, this.#modelBox, this.#settings.element, this.#views),
    ];
  }

  update(state: RunState, column: Column): void {
    const source = findSource(state, column.source);
    this.element.setAttribute("aria-label", source.title);
    this.#body.setAttribute("aria-label", gettext("Reply of {title}", { title: source.title }));
    this.#drawTitle(state, column);
    const models = (state.choices?.models ?? []).map(({ name }) => ({ value: name, label: name }));
    setOptions(this.#model, models.length ? models : [{ value: "", label: gettext("No model") }], column.model);
    this.#settings.update(state, column);
    this.#copy.hidden = column.source === DRAFT;
    this.#remove.hidden = state.columns.length < 2;
    this.#drawVerdict(describeVerdict(column, Date.now()));
    this.#drawViews(state, column);
    const stale = column.refusal || describeStaleness(state, column);
    this.#stale.textContent = stale;
    this.#stale.hidden = !stale;
    this.#stale.classList.toggle("is-bad", column.refusal !== "");
    this.element.classList.toggle("is-stale", stale !== "" && !column.refusal);
    this.element.classList.toggle("is-shown", state.shown === column.key);
    this.#drawBody(state, column);
    this.#drawFigures(state, column);
    this.#drawActs(state, column);
  }

  #drawTitle(state: RunState, column: Column): void {
    const sources = state.choices?.sources ?? [];
    const options = sources.map(({ value, title, number }) => ({
      value,
      label: number === null || title.includes(`v${number}`) ? title : `${title} v${number}`,
    }));
    setOptions(this.#source, options, column.source);
    const { value, title, number } = findSource(state, column.source);
    const isLabel = value !== DRAFT && !/^\d+$/.test(value);
    const version = number === null ? "" : `v${number}`;
    const key = isLabel ? `${value} ${version}` : title;
    if (this.#title.dataset.drawn === key) return;
    this.#title.dataset.drawn = key;
    this.#title.replaceChildren(
      ...(isLabel ? [createPill(value, state.labels.protected.includes(value)), version] : [title]),
    );
  }

  #drawVerdict(verdict: Verdict | null): void {
    const text = verdict?.text ?? "";
    if (this.#verdict.textContent === text && this.#verdict.dataset.kind === verdict?.kind) return;
    this.#verdict.dataset.kind = verdict?.kind ?? "plain";
    const icon = verdict ? createIcon(VERDICT_ICONS[verdict.kind]) : "";
    if (icon && verdict?.kind === "busy") icon.classList.add("spin");
    this.#verdict.replaceChildren(icon, text);
  }

  #drawViews(state: RunState, column: Column): void {
    const views = listViews(state, column);
    const chosen = findChosenView(state, column);
    this.#views.hidden = column.reply === null;
    if (this.#drawnViews !== views.join()) {
      this.#drawnViews = views.join();
      this.#views.replaceChildren(
        ...views.map((view) => {
          const button = createElement("button", { type: "button", "data-reply-view": view }, VIEW_WORDS[view]);
          button.addEventListener("click", () => {
            this.#host.dispatch({ type: "viewChosen", key: this.#key, view });
          });
          return button;
        }),
      );
    }
    for (const button of this.#views.querySelectorAll<HTMLElement>("[data-reply-view]")) {
      button.setAttribute("aria-pressed", String(button.dataset.replyView === chosen));
    }
  }

  #drawBody(state: RunState, column: Column): void {
    const view = findChosenView(state, column);
    const isWriting = isBusy(column);
    const drawn = [column.reply, view, isWriting];
    if (drawn.every((node, index) => node === this.#drawnBody[index]) && this.#drawnBody.length) return;
    const wasWriting = this.#drawnBody[2] === true && this.#drawnBody[1] === view;
    this.#drawnBody = drawn;
    if (column.phase === "starting") this.#follows = true;
    const isGrowing = isWriting && wasWriting && view !== "fields";
    if (!(isGrowing && this.#appendText(column))) {
      const text =
        column.source === DRAFT ? gettext("Run this draft to see what the model answers.") : gettext("Not run yet.");
      const empty = createElement("p", { class: "play-empty" }, text);
      this.#body.replaceChildren(...(column.reply ? drawReply(column, view) : [empty]));
      // A reply is read from its start; the reason for a failure or a stop is at its end.
      const isCut = column.phase === "failed" || column.phase === "stopped";
      if (column.reply && !isWriting && this.#follows) this.#body.scrollTop = isCut ? this.#body.scrollHeight : 0;
    }
    if (isWriting && this.#follows) this.#body.scrollTop = this.#body.scrollHeight;
    this.#newer.hidden = !isWriting || this.#follows;
  }

  /** Appends new text to the rendered one, so that a selection in it stays. */
  #appendText(column: Column): boolean {
    const node = this.#body.querySelector(".play-text, .play-raw")?.firstChild;
    const text = column.reply?.text ?? "";
    if (!(node instanceof Text) || column.reply?.tools.length || !text.startsWith(node.data)) return false;
    node.appendData(text.slice(node.data.length));
    return true;
  }

  #noteScroll(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.#body;
    this.#follows = scrollHeight - scrollTop - clientHeight < NEAR_END;
    if (this.#follows) this.#newer.hidden = true;
  }

  #scrollToEnd(): void {
    this.#follows = true;
    this.#newer.hidden = true;
    this.#body.scrollTop = this.#body.scrollHeight;
    this.#body.focus();
  }

  #drawFigures(state: RunState, column: Column): void {
    const figures = column.reply ? listFigures(state, column, Date.now()) : [];
    const rows = figures.map(([term, value, change]) => {
      const figure = createElement("dd", {}, createElement("b", {}, value));
      if (change) figure.append(createElement("span", { class: "note" }, ` ${change}`));
      return createElement("div", {}, createElement("dt", {}, term), figure);
    });
    this.#figures.replaceChildren(...rows);
    const first = column.reply?.first_token_milliseconds;
    this.#figures.title = first ? gettext("First word after {time}", { time: formatSeconds(first) }) : "";
  }

  #drawActs(state: RunState, column: Column): void {
    const isReady = column.reply !== null && (column.phase === "done" || column.phase === "stopped");
    const drawn = [isBusy(column), column.phase === "failed", isReady, state.choices?.datasets.length].join();
    if (drawn === this.#drawnActs) return;
    this.#drawnActs = drawn;
    const hadFocus = this.#buttons.contains(document.activeElement);
    const createAction = (icon: string, label: string, run: () => void): HTMLButtonElement => {
      const button = createElement("button", { type: "button", class: "button button-small" }, createIcon(icon), label);
      button.addEventListener("click", run);
      return button;
    };
    const buttons: HTMLElement[] = [];
    if (isBusy(column)) buttons.push(createAction("square", gettext("Stop"), () => this.#host.stop(this.#key)));
    if (column.phase === "failed")
      buttons.push(createAction("rotate-ccw", gettext("Retry"), () => this.#host.run([this.#key])));
    if (isReady)
      buttons.push(createAction("plus", gettext("Add as dataset row"), () => this.#host.openRowForm(this.#key)));
    this.#buttons.replaceChildren(...buttons);
    if (hadFocus) (buttons[0] ?? this.#body).focus();
  }
}

/** A label as rendered on every page. */
function createPill(label: string, isProtected: boolean): HTMLElement {
  const nodes = isProtected ? [createIcon("lock"), label] : [label];
  const kind = isProtected ? "pill pill-protected" : label === "latest" ? "pill pill-latest" : "pill";
  return createElement("span", { class: kind }, ...nodes);
}

const formatSeconds = (milliseconds: number): string =>
  gettext("{seconds} s", {
    seconds: formatNumber(milliseconds / 1000, {
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
      useGrouping: false,
    }),
  });

/** Name, value and change of each figure below a reply. */
function listFigures(state: RunState, column: Column, now: number): [string, string, string][] {
  const { reply } = column;
  if (!reply) return [];
  const figures: [string, string, string][] = [];
  const tokensIn = reply.tokens?.prompt ?? reply.prompt?.tokens;
  if (tokensIn != null) figures.push([gettext("Tokens in"), formatNumber(tokensIn), compareTokens(state, column)]);
  if (isBusy(column)) {
    const words = reply.text.trim().split(/\s+/).filter(Boolean).length;
    figures.push([gettext("Out so far"), ngettext("{count} word", "{count} words", words), ""]);
  } else if (reply.tokens) figures.push([gettext("Tokens out"), formatNumber(reply.tokens.completion), ""]);
  if (reply.cost) figures.push([gettext("Cost"), formatMoney(reply.cost), ""]);
  else if (reply.estimate && isBusy(column)) figures.push([gettext("Cost, at most"), formatMoney(reply.estimate), ""]);
  else if (!isBusy(column) && reply.state !== "failed") figures.push([gettext("Cost"), gettext("not known"), ""]);
  const milliseconds = isBusy(column) ? now - column.startedAt : reply.milliseconds;
  if (milliseconds !== null) figures.push([gettext("Time"), formatSeconds(milliseconds), ""]);
  return figures;
}

/** The token difference between the prompts of the first and the second column, both as counted by the registry. */
function compareTokens(state: RunState, column: Column): string {
  const [first, second] = state.columns;
  const [own, other] = [first?.reply?.prompt?.tokens, second?.reply?.prompt?.tokens];
  if (column !== first || first.reply?.state === "failed" || own == null || other == null || own === other) return "";
  const change = formatNumber(Math.abs(own - other));
  return own > other ? `+${change}` : `−${change}`;
}
