// The table of the grid's rows: only visible rows are rendered, with a spacer above and below.
import { createElement, findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { type CellPlace, drawHead, drawRows, type RowFacts } from "./table_view.ts";
import type { Column, GridRow } from "./types.ts";
import { computeRowTops, findVisibleRange } from "./visible_rows.ts";

/** Renders rows into its scrolling box. */
export class GridTable {
  readonly #box: HTMLElement;
  readonly #table: HTMLTableElement;
  #rows: readonly GridRow[] = [];
  #tops: number[] = [0];
  #headHeight = 0;
  #drawnColumns: readonly Column[] | null = null;
  #drawnRange = "";

  constructor(box: HTMLElement) {
    this.#box = box;
    this.#table = createElement("table", { role: "grid", "aria-label": gettext("Rows"), class: "grid-table" });
    box.replaceChildren(this.#table);
  }

  /** Sets the rows to show; those with a fault are taller. */
  update(rows: readonly GridRow[], faults: ReadonlyMap<number, unknown>): void {
    this.#rows = rows;
    this.#tops = computeRowTops(rows.length, (index) => faults.has(rows[index]?.key ?? 0));
    this.#table.setAttribute("aria-rowcount", String(rows.length + 1));
  }

  drawHead(columns: readonly Column[]): void {
    if (this.#drawnColumns === columns) return;
    this.#drawnColumns = columns;
    const { group, head, width } = drawHead(columns);
    this.#table.replaceChildren(group, head, createElement("tbody"));
    this.#table.style.width = `${width}px`;
    this.#table.setAttribute("aria-colcount", String(columns.length + 1));
    this.#headHeight = head.offsetHeight;
  }

  /** Renders the visible rows; without `isForced` only if the range changed. */
  drawBody(facts: RowFacts, isForced: boolean): void {
    const top = Math.max(0, this.#box.scrollTop - this.#headHeight);
    const range = findVisibleRange(this.#tops, top, this.#box.clientHeight);
    const key = `${range.first}-${range.end}`;
    if (!isForced && key === this.#drawnRange) return;
    this.#drawnRange = key;
    const body = findElement(this.#table, "tbody");
    const focused = body.contains(document.activeElement) ? document.activeElement : null;
    const fix = focused?.closest<HTMLElement>("[data-fix]"); // its button keeps the focus while it exists
    const row = fix?.closest<HTMLElement>("[data-row]")?.dataset.row;
    body.replaceChildren(...drawRows(this.#rows, range, facts));
    if (!focused) return;
    const sameFix = fix && body.querySelector<HTMLElement>(`[data-row="${row}"] [data-fix="${fix.dataset.fix}"]`);
    (sameFix ?? this.findCell(facts.active) ?? this.#box).focus({ preventScroll: true });
  }

  /** The rendered cell at a place. */
  findCell(place: CellPlace | null): HTMLElement | null {
    if (!place) return null;
    const row = this.#table.querySelector(`[data-row="${place.row}"]`);
    return row?.querySelector<HTMLElement>(`[data-column="${CSS.escape(place.column)}"]`) ?? null;
  }

  /** Scrolls until the row of a cell is rendered. */
  reveal(place: CellPlace | null): void {
    const index = this.#rows.findIndex((row) => row.key === place?.row);
    if (index < 0) return;
    const [top, bottom] = [this.#tops[index] ?? 0, this.#tops[index + 1] ?? 0];
    const height = this.#box.clientHeight - this.#headHeight;
    if (top < this.#box.scrollTop) this.#box.scrollTop = top;
    else if (bottom > this.#box.scrollTop + height) this.#box.scrollTop = bottom - height;
  }
}
