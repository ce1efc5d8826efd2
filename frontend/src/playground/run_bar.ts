// The bar above the columns: whether a run can start and why not, its estimated cost, and on phones the column switch.
import { createElement, createIcon, findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { type Column, MAX_COLUMNS } from "./columns.ts";
import { formatMoney, formatMostMoney } from "./money.ts";
import {
  type Blocker,
  describeVerdict,
  estimateRun,
  findBlocker,
  findSource,
  listUnpricedModels,
} from "./selectors.ts";
import type { RunState } from "./state.ts";

const NEARLY = 0.8; // the share of the daily limit above which the amount is a warning

interface BarHost {
  /** Shows a column on narrow screens. */
  show(key: number): void;
  goToProblem(): void;
  openInputs(path: string): void;
}

/** A sentence with its `{amount}` in bold. */
function splitAtBold(sentence: string, amount: string): (Node | string)[] {
  const [before = "", after = ""] = sentence.split("{amount}");
  return [before, createElement("b", {}, amount), after];
}

/** The text of the button that runs all columns. */
function describeRun(count: number): string {
  if (count < 2) return gettext("Run");
  return count === 2 ? gettext("Run both") : gettext("Run all {count}", { count });
}

/** The source of a column in a few words, such as "production v2". */
function describeColumn(state: RunState, column: Column): string {
  const { value, title, number } = findSource(state, column.source);
  return number !== null && !title.includes(`v${number}`) && value !== "draft" ? `${title} v${number}` : title;
}

/** The bar above the columns, drawn again with each change of the state. */
export class RunBar {
  readonly #root: HTMLElement;
  readonly #host: BarHost;

  constructor(root: HTMLElement, host: BarHost) {
    this.#root = root;
    this.#host = host;
  }

  update(state: RunState): void {
    const blocker = findBlocker(state);
    const run = findElement<HTMLButtonElement>(this.#root, "[data-play-run]");
    run.classList.toggle("button-primary", !blocker);
    run.setAttribute("aria-disabled", String(blocker !== null));
    run.setAttribute("aria-busy", String(state.isStarting));
    const count = state.columns.length;
    findElement(run, "[data-play-text]").textContent = describeRun(count);
    this.#drawReason(blocker, state.refusal);
    findElement(this.#root, "[data-play-rows]").setAttribute("aria-disabled", String(!state.choices?.can_run));
    const add = findElement(this.#root, "[data-play-add]");
    add.setAttribute("aria-disabled", String(count >= MAX_COLUMNS || count === 0));
    add.title = count >= MAX_COLUMNS ? gettext("At most four columns") : "";
    this.#drawMoney(state);
    this.#drawSwitch(state);
  }

  #drawReason(blocker: Blocker | null, refusal: string): void {
    const container = findElement(this.#root, "[data-play-reason]");
    const key = JSON.stringify([blocker, refusal]);
    if (container.dataset.drawn === key) return;
    container.dataset.drawn = key;
    container.classList.toggle("is-bad", !blocker && refusal !== "");
    if (!blocker) {
      container.replaceChildren(refusal);
      return;
    }
    const act = blocker.input !== undefined || blocker.isProblem;
    if (!act) {
      const link = blocker.link && createElement("a", { href: blocker.link.url }, blocker.link.text);
      container.replaceChildren(link ? `${blocker.text.replace(/\.$/, "")}. ` : blocker.text, link ?? "");
      return;
    }
    const button = createElement("button", { type: "button", class: "link" }, blocker.text);
    button.addEventListener("click", () => {
      if (blocker.input === undefined) this.#host.goToProblem();
      else this.#host.openInputs(blocker.input);
    });
    container.replaceChildren(button);
  }

  #drawMoney(state: RunState): void {
    const container = findElement(this.#root, "[data-play-cost]");
    const estimate = estimateRun(state);
    const [unpriced] = listUnpricedModels(state);
    const lines: (Node | string)[][] = [];
    if (estimate) lines.push(splitAtBold(gettext("Up to {amount} a run"), formatMostMoney(estimate)));
    else if (unpriced !== undefined) lines.push([gettext("Cost unknown for {model}", { model: unpriced })]);
    const spent = state.choices?.spent;
    const cap = spent?.cap == null ? null : Number(spent.cap);
    const isNear = spent != null && cap !== null && Number(spent.today) >= cap * NEARLY;
    if (spent) {
      const today = formatMoney({ amount: spent.today, currency: spent.currency }, 0.01);
      const text =
        cap === null
          ? gettext("{amount} today")
          : gettext("{amount} of your {cap} today", { cap: formatMoney({ amount: cap, currency: spent.currency }) });
      lines.push([...(isNear ? [createIcon("triangle-alert")] : []), ...splitAtBold(text, today)]);
    }
    const spans = lines.map((line) => createElement("span", {}, ...line));
    if (isNear) spans.at(-1)?.classList.add("warn");
    container.replaceChildren(...spans);
  }

  /** The switch between columns on narrow screens: two buttons, or a select for more columns. */
  #drawSwitch(state: RunState): void {
    const container = findElement(this.#root, "[data-play-switch]");
    container.hidden = state.columns.length < 2;
    const isSelect = state.columns.length > 2;
    container.classList.toggle("segments", !isSelect);
    if (isSelect) this.#drawSelect(container, state);
    else this.#drawButtons(container, state);
  }

  #drawButtons(container: HTMLElement, state: RunState): void {
    const focused = container.contains(document.activeElement) ? document.activeElement?.id : undefined;
    const buttons = state.columns.map((column) => {
      const verdict = describeVerdict(column, Date.now());
      const button = createElement(
        "button",
        { type: "button", id: `play-switch-${column.key}`, "aria-pressed": String(column.key === state.shown) },
        createElement("b", {}, describeColumn(state, column)),
        createElement("span", { class: "play-verdict", "data-kind": verdict?.kind ?? "plain" }, verdict?.text ?? ""),
      );
      button.addEventListener("click", () => this.#host.show(column.key));
      return button;
    });
    container.replaceChildren(...buttons);
    if (focused) document.getElementById(focused)?.focus();
  }

  /** The options are changed in place: a select that is drawn again would close while it is open. */
  #drawSelect(container: HTMLElement, state: RunState): void {
    let select = container.querySelector("select");
    if (!select) {
      const newSelect = createElement("select", { "aria-label": container.getAttribute("aria-label") ?? "" });
      newSelect.addEventListener("change", () => this.#host.show(Number(newSelect.value)));
      container.replaceChildren(createElement("span", { class: "select" }, newSelect, createIcon("chevrons-up-down")));
      select = newSelect;
    }
    const keys = state.columns.map((column) => String(column.key));
    if (keys.join() !== Array.from(select.options, (option) => option.value).join()) {
      select.replaceChildren(...keys.map((value) => createElement("option", { value })));
    }
    for (const [index, column] of state.columns.entries()) {
      const verdict = describeVerdict(column, Date.now());
      const label = describeColumn(state, column);
      const text = verdict?.text ? `${label}: ${verdict.text}` : label;
      const option = select.options[index];
      if (option && option.textContent !== text) option.textContent = text;
    }
    select.value = String(state.shown);
  }
}
