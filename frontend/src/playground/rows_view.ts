// The small matrix of a run over rows: a line per row, a cell per column, redrawn as replies arrive.
import { createElement, createIcon } from "../dom.ts";
import type { Data } from "../editor/types.ts";
import { formatNumber, gettext, ngettext } from "../language.ts";
import { type Column, isBusy } from "./columns.ts";
import { formatMoney, sumCosts } from "./money.ts";
import type { RowState, RowsRun } from "./rows_run.ts";
import { describeVerdict, findSource } from "./selectors.ts";
import type { RunState } from "./state.ts";
import type { Run } from "./types.ts";

const HEAD_ID = "play-rows-head";
const MAX_TEXT = 300; // most characters of a reply in its cell; opening the row shows all of it

/** What the matrix needs from the playground. */
export interface RowsViewHost {
  /** Shows the replies of one row in the columns. */
  open(run: Run): void;
  stop(): void;
  close(): void;
}

/** The matrix of one run over rows; hidden while there is none. */
export class RowsView {
  readonly #element: HTMLElement;
  readonly #host: RowsViewHost;
  readonly #facts = createElement("p", { class: "note", role: "status" });
  readonly #act = createElement("button", { type: "button", class: "button button-small" });
  readonly #lines: { cells: HTMLElement; name: HTMLElement; drawn: string }[] = [];
  #run: RowsRun | null = null;

  constructor(element: HTMLElement, host: RowsViewHost) {
    this.#element = element;
    this.#host = host;
    this.#act.addEventListener("click", () => (this.#run?.isOver ? this.#host.close() : this.#host.stop()));
  }

  /** Shows another run instead of the previous one. */
  show(run: RowsRun, state: RunState): void {
    this.#run = run;
    const { dataset, version, url } = run.plan;
    const caption = gettext("Rows of {dataset} v{version}", { dataset: dataset.replace(/^[^/]*\//, ""), version });
    const title = createElement("h3", { id: HEAD_ID }, createElement("a", { href: url }, caption));
    const titles = run.columns.map(({ source, model }) =>
      createElement(
        "th",
        { scope: "col" },
        findSource(state, source).title,
        createElement("span", { class: "note" }, ` ${model}`),
      ),
    );
    const names = [gettext("Row"), gettext("Expected")].map((name) => createElement("th", { scope: "col" }, name));
    const head = createElement("thead", {}, createElement("tr", {}, ...names, ...titles));
    this.#lines.length = 0;
    const body = createElement("tbody", {}, ...run.rows.map((row) => this.#makeLine(row)));
    const scroller = createElement("div", { class: "play-rows-list", tabindex: 0, role: "group" });
    scroller.setAttribute("aria-labelledby", HEAD_ID);
    scroller.append(createElement("table", { class: "play-rows-table" }, head, body));
    const bar = createElement("div", { class: "play-rows-head" }, title, this.#facts, this.#act);
    this.#element.replaceChildren(bar, scroller);
    this.#element.hidden = false;
    this.update();
  }

  hide(): void {
    this.#element.hidden = true;
    this.#element.replaceChildren();
    this.#run = null;
  }

  update(): void {
    const run = this.#run;
    if (!run) return;
    this.#facts.textContent = describeProgress(run);
    this.#act.textContent = run.isOver ? gettext("Close") : gettext("Stop");
    for (const [index, row] of run.rows.entries()) this.#drawLine(index, row);
  }

  #makeLine(row: RowState): HTMLElement {
    const name = createElement("th", { scope: "row" }, row.row.name);
    const expected = createElement("td", { dir: "auto" }, describeExpected(row.row.expected));
    const cells = createElement("tr", {}, name, expected);
    this.#lines.push({ cells, name, drawn: "" });
    return cells;
  }

  #drawLine(index: number, row: RowState): void {
    const line = this.#lines[index];
    const facts = row.cells.map((cell) => [cell.phase, cell.reply?.text.length, cell.waiting?.detail]);
    const drawn = JSON.stringify([row.isOver, row.refusal, row.run?.id, facts]);
    if (!line || line.drawn === drawn) return;
    line.drawn = drawn;
    const { run } = row;
    if (run && row.isOver && !line.name.querySelector("button")) {
      const open = createElement("button", { type: "button", class: "link" }, row.row.name);
      open.title = gettext("Show this row in the columns");
      open.addEventListener("click", () => this.#host.open(row.run ?? run));
      line.name.replaceChildren(open);
    }
    const cells = row.refusal
      ? [createElement("td", { class: "bad", colspan: row.cells.length }, row.refusal)]
      : row.cells.map(drawCell);
    for (const old of [...line.cells.children].slice(2)) old.remove();
    line.cells.append(...cells);
  }
}

/** The progress of the run: finished rows, failed or invalid replies, and the amount spent. */
function describeProgress(run: RowsRun): string {
  const over = run.rows.filter((row) => row.isOver && !row.refusal).length;
  const cells = run.rows.flatMap((row) => row.cells);
  const bad = cells.filter((cell) => !isBusy(cell) && describeVerdict(cell, Date.now())?.kind === "bad").length;
  const refused = run.rows.filter((row) => row.refusal).length;
  const cost = sumCosts(run.costs);
  return [
    gettext("{over} of {count} rows done", { over: formatNumber(over), count: formatNumber(run.rows.length) }),
    bad ? ngettext("{count} reply failed or is not valid", "{count} replies failed or are not valid", bad) : "",
    refused ? ngettext("{count} row not run", "{count} rows not run", refused) : "",
    cost ? formatMoney(cost) : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** The expected output of the row: a single value unchanged, several with their names. */
export function describeExpected(expected: Data | null): string {
  const values = Object.entries(expected ?? {});
  const write = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
  if (values.length === 1 && values[0]) return write(values[0][1]);
  return values.map(([name, value]) => `${name}: ${write(value)}`).join("\n");
}

function drawCell(cell: Column): HTMLElement {
  const verdict = describeVerdict(cell, Date.now());
  const kind = verdict?.kind ?? "plain";
  const icons = { ok: "circle-check", warn: "triangle-alert", bad: "circle-x", plain: "check", busy: "loader" };
  const box = createElement("td", {});
  if (verdict) {
    const chip = createElement("span", { class: "play-verdict", "data-kind": kind }, createIcon(icons[kind]));
    chip.append(verdict.text);
    box.append(chip);
  }
  const text = cell.reply?.problem?.detail ?? cell.reply?.text ?? "";
  if (text) box.append(createElement("p", { dir: "auto" }, text.slice(0, MAX_TEXT)));
  return box;
}
