// Importing samples from a file or from rows of a dataset: a dialog lists the rows, and adds the ticked ones.
import { createElement, createIcon } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { CallError } from "./api.ts";
import { SampleColumns } from "./sample_columns.ts";
import { describeValues, MAX_SAMPLES, type OfferedRow, type OfferedRows } from "./sample_rows.ts";

/** What the dialog needs from the editor. */
export interface SampleSourceHost {
  /** Asks the server, which maps the source to the inputs of the current text. */
  ask<Answer>(parameters: Record<string, unknown>): Promise<Answer>;
  count(): number;
  add(rows: OfferedRow[], source: string): void;
  newDatasetUrl: string;
  /** The template, for which the mapping is remembered. */
  template: string;
}

const MAX_BYTES = 1024 * 1024; // as on the server
const ENDINGS = ".csv,.tsv,.jsonl,.ndjson,.json,.yml,.yaml";

/** Installs the buttons that open a file and the rows of a dataset; a file can also be dropped on `pane`. */
export function installSampleSources(pane: HTMLElement, host: SampleSourceHost): void {
  const field = createElement("input", { type: "file", accept: ENDINGS, hidden: true });
  field.addEventListener("change", () => {
    const file = field.files?.[0];
    field.value = ""; // so that the same file can be selected again
    if (file) void openFile(file, host);
  });
  pane.append(field);
  pane.addEventListener("click", (event) => {
    const clicked = event.target as Element;
    if (clicked.closest("[data-import-samples]")) field.click();
    else if (clicked.closest("[data-dataset-samples]")) void openDatasets(host);
  });
  const isFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false; // no text: a type
  pane.addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    pane.classList.add("is-drop-target");
  });
  pane.addEventListener("dragleave", (event) => {
    if (!pane.contains(event.relatedTarget as Node | null)) pane.classList.remove("is-drop-target");
  });
  pane.addEventListener("drop", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    pane.classList.remove("is-drop-target");
    const file = event.dataTransfer?.files[0];
    if (file) void openFile(file, host);
  });
}

/** The message that says what was added. */
export const describeAdded = (count: number, source: string): string =>
  ngettext("Added {count} sample from {source}.", "Added {count} samples from {source}.", count, { source });

async function openFile(file: File, host: SampleSourceHost): Promise<void> {
  const dialog = new RowsDialog(gettext("Add samples from {name}", { name: file.name }), host);
  if (file.size > MAX_BYTES) {
    dialog.refuse(gettext("The file is larger than 1 MB, which is more than samples can take."));
    return;
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    dialog.refuse(gettext("The file is not UTF-8 text. Save it as UTF-8 and choose it again."));
    return;
  }
  await dialog.load({ file: file.name, text }, true, file.name);
}

async function openDatasets(host: SampleSourceHost): Promise<void> {
  const dialog = new RowsDialog(gettext("Add samples from a dataset"), host);
  let names: string[];
  try {
    names = (await host.ask<{ datasets: string[] }>({})).datasets;
  } catch (error) {
    dialog.refuse(describeError(error));
    return;
  }
  if (names.length) dialog.offerDatasets(names);
  else {
    const link = createElement("a", { href: host.newDatasetUrl }, gettext("Create a dataset"));
    dialog.refuse(gettext("There is no dataset here yet."), link);
  }
}

const describeError = (error: unknown): string =>
  error instanceof CallError ? error.message : gettext("The rows could not be read.");

/** The rows of one source, each with a box to tick. */
class RowsDialog {
  readonly #host: SampleSourceHost;
  readonly #columns: SampleColumns;
  readonly #dialog: HTMLDialogElement;
  readonly #head = createElement("div", { class: "sample-source" });
  readonly #facts = createElement("p", { class: "note", role: "status" });
  readonly #error = createElement("p", { class: "field-error", role: "alert" });
  readonly #hint = createElement("p", { class: "note" });
  readonly #rows = createElement("tbody");
  readonly #all = createElement("input", { type: "checkbox", "aria-label": gettext("Tick all rows") });
  readonly #table: HTMLElement;
  readonly #more = createElement("button", { type: "button", class: "button button-small" }, gettext("Show more rows"));
  readonly #add = createElement("button", { type: "button", class: "button button-primary" });
  readonly #cancel = createElement("button", { type: "button", class: "button" }, gettext("Cancel"));
  #offered: OfferedRow[] = [];
  #source: Record<string, unknown> = {};
  #name = "";
  #total = 0;
  #requests = 0;

  constructor(title: string, host: SampleSourceHost) {
    this.#host = host;
    this.#columns = new SampleColumns(`samples of ${host.template}`, () => void this.#readAgain());
    const box = createElement("th", { scope: "col", class: "sample-tick" }, this.#all);
    const names = [gettext("Sample"), gettext("Values")];
    const head = createElement("tr", {}, box, ...names.map((name) => createElement("th", { scope: "col" }, name)));
    this.#table = createElement("table", { class: "table sample-offer" }, createElement("thead", {}, head), this.#rows);
    this.#table.hidden = this.#more.hidden = this.#add.hidden = true;
    const body = createElement("div", { class: "dialog-body", tabindex: 0 }, this.#head);
    body.append(this.#facts, this.#columns.element, this.#table, this.#more);
    const foot = createElement("div", { class: "dialog-foot" }, this.#add, this.#cancel, this.#hint, this.#error);
    this.#dialog = createElement("dialog", { class: "dialog dialog-wide", "aria-label": title });
    this.#dialog.append(createElement("h2", {}, title), body, foot);
    this.#cancel.addEventListener("click", () => this.#dialog.close());
    this.#dialog.addEventListener("close", () => this.#dialog.remove());
    this.#dialog.addEventListener("change", (event) => {
      if (event.target instanceof HTMLSelectElement) return;
      if (event.target === this.#all) for (const box of this.#boxes) box.checked = this.#all.checked;
      this.#count();
    });
    this.#more.addEventListener("click", () => void this.#loadMore());
    this.#add.addEventListener("click", () => this.#takeChosen());
    document.body.append(this.#dialog);
    this.#dialog.showModal();
  }

  get #boxes(): HTMLInputElement[] {
    return [...this.#rows.querySelectorAll<HTMLInputElement>("input")];
  }

  get #ticked(): OfferedRow[] {
    const boxes = this.#boxes;
    return this.#offered.filter((_, index) => boxes[index]?.checked);
  }

  /** Shows why there are no rows. */
  refuse(sentence: string, ...more: Node[]): void {
    this.#error.replaceChildren(sentence, " ", ...more);
    this.#cancel.focus();
  }

  /** Lists the datasets, and shows the rows of the first. */
  offerDatasets(names: string[]): void {
    const select = createElement("select", { id: "sample-dataset" }, ...names.map((name) => new Option(name, name)));
    const show = (): void => void this.load({ dataset: select.value }, false, select.value);
    select.addEventListener("change", show);
    const label = createElement("label", { for: select.id }, gettext("Dataset"));
    const box = createElement("span", { class: "select" }, select, createIcon("chevrons-up-down"));
    this.#head.append(createElement("div", { class: "field" }, label, box));
    select.focus();
    show();
  }

  /** Shows the rows of a source, either all ticked or none. */
  async load(source: Record<string, unknown>, isTicked: boolean, name: string): Promise<void> {
    this.#source = source;
    this.#name = name;
    this.#offered = [];
    this.#rows.replaceChildren();
    this.#columns.clear();
    this.#table.hidden = this.#more.hidden = this.#add.hidden = true;
    this.#error.replaceChildren();
    this.#hint.textContent = "";
    this.#facts.textContent = gettext("Reading the rows…");
    await this.#loadMore(isTicked);
  }

  async #loadMore(isTicked = false): Promise<void> {
    this.#requests += 1;
    const request = this.#requests;
    let answer: OfferedRows;
    try {
      answer = await this.#ask(this.#offered.length);
      if (request !== this.#requests) return; // another dataset was selected meanwhile
      if (!this.#offered.length && answer.columns.length && this.#columns.begin(answer.columns, answer.targets))
        answer = await this.#ask(0);
    } catch (error) {
      if (request !== this.#requests) return;
      this.#facts.textContent = "";
      this.refuse(describeError(error));
      return;
    }
    if (request !== this.#requests) return;
    this.#offered.push(...answer.rows);
    this.#rows.append(...answer.rows.map((row) => drawRow(row, isTicked)));
    this.#total = answer.total;
    this.#showFacts();
    this.#table.hidden = this.#add.hidden = false;
    this.#more.hidden = this.#offered.length >= answer.total;
    this.#count();
    if (isTicked) (this.#columns.hasInput ? this.#add : this.#columns.element.querySelector("select"))?.focus();
  }

  #ask(start: number): Promise<OfferedRows> {
    const { choice } = this.#columns;
    return this.#host.ask({ ...this.#source, start, ...(choice ? { columns: choice } : {}) });
  }

  /** Reloads the rows with another mapping; ticked rows stay ticked. */
  async #readAgain(): Promise<void> {
    this.#requests += 1;
    const request = this.#requests;
    const shownCount = this.#offered.length;
    const ticks = this.#boxes.map((box) => box.checked);
    const rows: OfferedRow[] = [];
    try {
      while (rows.length < shownCount) {
        const answer = await this.#ask(rows.length);
        if (request !== this.#requests) return;
        if (!answer.rows.length) break;
        rows.push(...answer.rows);
        this.#total = answer.total;
      }
    } catch (error) {
      if (request === this.#requests) this.refuse(describeError(error));
      return;
    }
    this.#offered = rows;
    this.#rows.replaceChildren(...rows.map((row, index) => drawRow(row, ticks[index] ?? false)));
    this.#showFacts();
    this.#count();
  }

  #showFacts(): void {
    const total = this.#total;
    const { leftOut, hasInput, isChosen } = this.#columns;
    const shownCount = this.#offered.length;
    const texts = [
      shownCount < total
        ? gettext("{shown} of {count} rows.", { shown: shownCount, count: total })
        : ngettext("{count} row.", "{count} rows.", total),
      hasInput ? "" : gettext("No column is called like an input of the text. Choose what the columns become."),
      leftOut.length && hasInput ? gettext("Not imported: {names}.", { names: leftOut.join(", ") }) : "",
      isChosen ? gettext("The columns are as you chose them.") : "",
      gettext("A sample whose name is taken gets a number."),
    ];
    this.#facts.textContent = texts.filter(Boolean).join(" ");
  }

  #count(): void {
    const { length } = this.#ticked;
    this.#all.checked = length > 0 && length === this.#offered.length;
    this.#all.indeterminate = length > 0 && length < this.#offered.length;
    this.#add.textContent = ngettext("Add {count} sample", "Add {count} samples", length);
    const room = MAX_SAMPLES - this.#host.count();
    const sentence = gettext("A template has at most {most} samples, and there is room for {room}.", {
      most: MAX_SAMPLES,
      room,
    });
    this.#error.textContent = length > room ? sentence : "";
    const { hasInput } = this.#columns;
    if (!hasInput) this.#hint.textContent = gettext("Choose at least one column that becomes an input.");
    else this.#hint.textContent = length ? "" : gettext("Tick the rows to add.");
    this.#add.setAttribute("aria-disabled", String(!length || length > room || !hasInput));
  }

  #takeChosen(): void {
    if (this.#add.getAttribute("aria-disabled") === "true") return;
    this.#columns.remember();
    this.#dialog.close();
    this.#host.add(this.#ticked, this.#name);
  }
}

function drawRow(row: OfferedRow, isTicked: boolean): HTMLElement {
  const box = createElement("input", { type: "checkbox", "aria-label": gettext("Add {name}", { name: row.name }) });
  box.checked = isTicked;
  return createElement(
    "tr",
    {},
    createElement("td", { class: "sample-tick" }, box),
    createElement("th", { scope: "row", dir: "auto" }, row.name),
    createElement("td", { dir: "auto" }, describeValues(row.values)),
  );
}
