// The form of a dataset's next version with its grid: loading, the bar above the rows, files, and saving.
import { createElement, findElement, readJson } from "../dom.ts";
import { formatNumber, gettext, ngettext } from "../language.ts";
import { describeChanges, listSearchColumns, nameSteps, showBulkBar, showNoMatch, showSaveLine } from "./bar_view.ts";
import { describeReadError } from "./cells.ts";
import { addColumn } from "./column_changes.ts";
import { type DelimitedTable, guessDelimiter, parseDelimited } from "./delimited.ts";
import { fixFault } from "./fault_fixes.ts";
import { placeFaults } from "./faults.ts";
import { installFileButton } from "./file_button.ts";
import { readText } from "./file_text.ts";
import { drawFilterSelects, readPicks } from "./filter_selects.ts";
import { NO_FILTER, type Show } from "./filters.ts";
import { GridView } from "./grid.ts";
import { drawColumnMenu, HiddenColumns } from "./hidden_columns.ts";
import { openImport } from "./import_view.ts";
import { applyImport } from "./mapping.ts";
import { copyRows, duplicateRows, removeRows, tagRows } from "./row_acts.ts";
import { RowAutosave } from "./row_autosave.ts";
import { formatRows, makeRow, parseRows, TAGS_COLUMN } from "./rows.ts";
import { saveRows } from "./save.ts";
import type { DeclaredInput, Grid } from "./types.ts";

/** Replaces the text by the grid, if the page has one and its rows can be parsed. */
export function installDatasetForm(): void {
  const section = document.querySelector<HTMLElement>("[data-dataset-grid]");
  const form = section?.closest<HTMLFormElement>("form");
  if (section && form) void startGrid(section, form);
}

async function startGrid(section: HTMLElement, form: HTMLFormElement): Promise<void> {
  const text = findElement<HTMLTextAreaElement>(form, "[name=text]");
  const declared = readJson<DeclaredInput[]>("declared-inputs");
  const url = section.dataset.rowsUrl;
  try {
    const loaded = url && !text.value.trim() ? await (await fetch(url)).text() : text.value;
    new DatasetForm(section, form, parseRows(loaded, declared), declared);
  } catch (error) {
    const message = gettext("The rows are shown as text: {reason}", { reason: describeReadError(error) });
    text.before(createElement("p", { class: "note" }, message));
  }
}

/** A grid without rows starts with an empty row, and without columns with a question and its answer. */
function addFirstRow(grid: Grid): Grid {
  if (grid.rows.length) return grid;
  const row = makeRow();
  const answer = parseRows('{"inputs": {"question": ""}, "expected": {"answer": ""}}').columns;
  const expected = answer.filter((column) => column.section === "expected");
  const hasInputs = grid.columns.some((column) => column.section === "inputs");
  return { columns: hasInputs ? [...grid.columns.slice(0, -1), ...expected, TAGS_COLUMN] : answer, rows: [row] };
}

class DatasetForm {
  readonly #section: HTMLElement;
  readonly #form: HTMLFormElement;
  readonly #view: GridView;
  readonly #declared: readonly DeclaredInput[];
  readonly #autosave: RowAutosave;
  #isText = false;
  #isSaved = false;
  #pendingFile: Promise<void> = Promise.resolve();

  constructor(section: HTMLElement, form: HTMLFormElement, saved: Grid, declared: readonly DeclaredInput[]) {
    this.#section = section;
    this.#form = form;
    this.#declared = declared;
    delete form.dataset.warn; // the grid tracks its changes itself
    section.hidden = false;
    this.#hidePlain(true);
    const hidden = new HiddenColumns(section.dataset.dataset ?? "");
    const box = findElement(section, "[data-grid-box]");
    this.#view = new GridView(box, saved, addFirstRow(saved), hidden, () => this.#drawBar());
    this.#view.mapPasted = (rows) => this.#import("", { rows, problems: [] });
    this.#autosave = new RowAutosave(this.#view, saved, {
      name: section.dataset.dataset ?? "",
      base: findElement<HTMLInputElement>(form, "[name=base]").value,
      line: document.querySelector<HTMLElement>("[data-kept-line]"),
    });
    this.#drawBar();
    this.#listen();
    this.#autosave.restore(section);
  }

  #hidePlain(isHidden: boolean): void {
    for (const field of this.#form.querySelectorAll<HTMLElement>("[data-plain]")) field.hidden = isHidden;
    for (const part of this.#section.querySelectorAll<HTMLElement>("[data-grid-only]")) part.hidden = !isHidden;
  }

  #listen(): void {
    const actions: Record<string, () => void> = {
      undo: () => this.#view.undo(),
      redo: () => this.#view.redo(),
      "add-row": () => this.#view.addRow(),
      "add-column": () => addColumn(this.#view),
      tag: () => tagRows(this.#view),
      "tick-shown": () => this.#view.tickShown(),
      "untick-all": () => this.#view.untickAll(),
      "clear-filters": () => this.#clearFilters(),
      duplicate: () => duplicateRows(this.#view),
      "copy-to": () => copyRows(this.#view, this.#section),
      remove: () => removeRows(this.#view),
      text: () => this.#switchToText(),
      grid: () => this.#switchToGrid(),
    };
    this.#section.addEventListener("click", (event) => {
      const button = (event.target as Element).closest<HTMLElement>("button");
      if (!button) return;
      if (button.dataset.fix) fixFault(this.#view, button);
      if (button.dataset.act) actions[button.dataset.act]?.();
      if (button.dataset.show) this.#view.setFilter({ show: button.dataset.show as Show });
    });
    const search = findElement<HTMLInputElement>(this.#section, "[data-search]");
    search.value = new URLSearchParams(location.search).get("search") ?? ""; // a link to specific rows
    if (search.value) this.#view.setFilter({ query: search.value });
    search.addEventListener("input", () => this.#view.setFilter({ query: search.value }));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") event.preventDefault();
    });
    const column = findElement<HTMLSelectElement>(this.#section, "[data-search-column]");
    column.addEventListener("change", () => this.#view.setFilter({ column: column.value }));
    const picks = findElement(this.#section, "[data-selection]");
    picks.addEventListener("change", () => this.#view.setFilter({ picks: readPicks(picks) }));
    const file = findElement<HTMLInputElement>(this.#form, "[name=file]");
    installFileButton(file);
    file.addEventListener("change", () => {
      if (!this.#isText) this.#pendingFile = this.#readFile(file);
    });
    this.#form.addEventListener("submit", (event) => this.#submit(event));
    window.addEventListener("beforeunload", (event) => {
      if (this.#isSaved || this.#autosave.flush()) return;
      if (this.#view.undoWords && this.#view.isChanged()) event.preventDefault();
    });
  }

  async #readFile(input: HTMLInputElement): Promise<void> {
    const file = input.files?.[0];
    if (!file || /\.ya?ml$/i.test(file.name)) return; // the server parses YAML when the form is submitted
    try {
      const text = readText(new Uint8Array(await file.arrayBuffer()));
      if (/\.[ct]sv$/i.test(file.name)) this.#import(file.name, parseDelimited(text, guessDelimiter(text)));
      else this.#view.apply(parseRows(text.replace(/^\ufeff/, ""), this.#declared), gettext("load a file"));
      this.#report([]);
    } catch (error) {
      this.#report([`${file.name}: ${describeReadError(error)}`]);
    }
    input.value = "";
  }

  /** Shows the import of a table, and adds its rows. file: its name, empty for pasted cells. */
  #import(file: string, table: DelimitedTable): void {
    const grid = this.#dropEmptyRow(); // it doesn't count as a row with the same name
    const takesNew = !this.#declared.length && !grid.rows.length;
    const chooseFile = (): void => findElement(this.#form, "[name=file]").click();
    const source = { file, table, dataset: this.#section.dataset.dataset ?? "", takesNew, chooseFile };
    openImport(findElement(this.#section, "[data-import]"), source, grid, (mapping, rows) => {
      this.#view.apply(applyImport(this.#dropEmptyRow(), mapping, rows), gettext("import"));
    });
  }

  /** The grid without an unfilled first row. */
  #dropEmptyRow(): Grid {
    const { grid } = this.#view;
    return { ...grid, rows: grid.rows.filter((row) => Object.keys(row.cells).length) };
  }

  #switchToText(): void {
    this.#view.closeEditor();
    findElement<HTMLTextAreaElement>(this.#form, "[name=text]").value = formatRows(this.#dropEmptyRow());
    findElement<HTMLSelectElement>(this.#form, "[name=form]").value = "jsonl";
    this.#isText = true;
    this.#hidePlain(false);
    findElement<HTMLElement>(this.#section, "[data-act=grid]").hidden = false;
  }

  #switchToGrid(): void {
    const text = findElement<HTMLTextAreaElement>(this.#form, "[name=text]").value;
    try {
      const grid = parseRows(text, this.#declared);
      if (text !== formatRows(this.#dropEmptyRow())) this.#view.apply(grid, gettext("edit as text"));
    } catch (error) {
      this.#report([error instanceof Error ? error.message : gettext("The text can't be read.")]);
      return;
    }
    this.#report([]);
    this.#isText = false;
    this.#hidePlain(true);
    findElement<HTMLElement>(this.#section, "[data-act=grid]").hidden = true;
    this.#view.refresh();
  }

  #drawBar(): void {
    const view = this.#view;
    if (!view) return;
    const changes = view.countChanges();
    const counts: Record<Show, number> = {
      all: view.grid.rows.length,
      changed: changes.added + changes.edited + changes.removed,
      faults: view.faults.size,
    };
    for (const button of this.#section.querySelectorAll<HTMLElement>("[data-show]")) {
      const show = button.dataset.show as Show;
      button.setAttribute("aria-pressed", String(view.filter.show === show));
      findElement(button, "[data-count]").textContent = formatNumber(counts[show]);
    }
    nameSteps(this.#section, view.undoWords, view.redoWords);
    showBulkBar(this.#section, view.tickedCounts, view.shownCount);
    showNoMatch(this.#section, view.filter, view.shownCount === 0 && counts.all > 0);
    const isFiltered = view.shownCount > 0 && view.shownCount < counts.all;
    findElement(this.#section, "[data-shown]").textContent = isFiltered
      ? ngettext("{count} row shown.", "{count} rows shown.", view.shownCount)
      : "";
    const summary = describeChanges(changes) || (view.isChanged() ? gettext("Rows moved") : "");
    showSaveLine(findElement(this.#form, "[data-save-line]"), summary, counts.faults);
    this.#autosave?.update(summary);
    const menu = findElement(this.#section, "[data-columns]");
    drawColumnMenu(menu, view.grid.columns, view.hidden, (key, isHidden) => {
      view.closeEditor();
      view.hidden.set(key, isHidden);
      view.refresh();
    });
    drawFilterSelects(findElement(this.#section, "[data-selection]"), view.grid, view.filter.picks);
    listSearchColumns(findElement(this.#section, "[data-search-column]"), view.grid.columns, view.filter.column);
  }

  #clearFilters(): void {
    const search = findElement<HTMLInputElement>(this.#section, "[data-search]");
    search.value = "";
    this.#view.setFilter(NO_FILTER);
    search.focus();
  }

  #report(messages: readonly string[], link?: { text: string; url: string }): void {
    const line = findElement(this.#section, "[data-problems]");
    line.replaceChildren(...messages.map((message) => createElement("p", {}, message)));
    if (link) line.append(createElement("a", { href: link.url, target: "_blank" }, link.text));
    line.hidden = !messages.length;
    if (messages.length) line.scrollIntoView({ block: "nearest" });
  }

  #submit(event: SubmitEvent): void {
    const file = findElement<HTMLInputElement>(this.#form, "[name=file]");
    if (this.#isText || /\.ya?ml$/i.test(file.files?.[0]?.name ?? "")) {
      this.#isSaved = true; // the form is submitted as without scripts
      this.#autosave.forget();
      return;
    }
    event.preventDefault();
    void this.#save();
  }

  async #save(): Promise<void> {
    const button = findElement(this.#form, "[data-save]");
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    await this.#pendingFile;
    this.#view.closeEditor();
    const sent = this.#dropEmptyRow();
    // Faults from the server's last response are checked again by the server.
    this.#view.refuse([]);
    if (this.#view.faults.size) {
      this.#view.setFilter({ show: "faults", query: "" });
      this.#report([
        ngettext(
          "Nothing is saved. Fix {count} row first.",
          "Nothing is saved. Fix {count} rows first.",
          this.#view.faults.size,
        ),
      ]);
      button.removeAttribute("aria-busy");
      return;
    }
    const answer = await saveRows(this.#form, sent);
    button.removeAttribute("aria-busy");
    if ("url" in answer) {
      this.#isSaved = true;
      this.#autosave.forget();
      location.assign(answer.url);
      return;
    }
    const { placed, others } = placeFaults(answer.fields, sent);
    this.#view.refuse(placed);
    if (placed.length) this.#view.setFilter({ show: "faults", query: "" });
    const message = placed.length
      ? [
          ngettext(
            "Nothing is saved. {count} value can’t be taken.",
            "Nothing is saved. {count} values can’t be taken.",
            placed.length,
          ),
        ]
      : [];
    const link = answer.diffUrl
      ? { text: gettext("What changed in version {number}", { number: answer.latest ?? "" }), url: answer.diffUrl }
      : undefined;
    this.#report([...message, ...others, ...(placed.length + others.length ? [] : [answer.detail])], link);
  }
}
