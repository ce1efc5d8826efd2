// The dialog that runs the columns over rows of a dataset: selects the rows and shows the cost in advance.
import { createElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { createSelect, setOptions } from "./menus.ts";
import { formatMostMoney } from "./money.ts";
import type { Refusal } from "./row_form.ts";
import type { Choices, RowPlan } from "./types.ts";

/** What the dialog needs: a plan for its choices, and a callback for the confirmed plan. */
export interface RowsHost {
  plan(dataset: string, pick: string, tag: string): Promise<RowPlan | Refusal>;
  run(plan: RowPlan): void;
}

/** A plan as sentences: rows and calls, the cost, and rows that can't be run. */
export function describePlan(plan: RowPlan): string[] {
  const going = plan.rows.filter((row) => row.problem === null).length;
  const faulty = plan.rows.length - going;
  const rows = ngettext("{count} row of {total}", "{count} rows of {total}", going, { total: plan.total });
  const calls = ngettext("{count} call", "{count} calls", plan.calls);
  const cost = plan.estimate
    ? gettext("Up to {amount} for all of them.", { amount: formatMostMoney(plan.estimate) })
    : gettext("What they cost is not known: a model has no price.");
  const skipped = ngettext("{count} row can't be run.", "{count} rows can't be run.", faulty);
  return [gettext("{rows}, {calls}.", { rows, calls }), cost, ...(faulty ? [skipped] : [])];
}

/** Opens the dialog over the datasets of the namespace. */
export function openRowsForm(datasets: Choices["datasets"], newDataset: string, host: RowsHost): void {
  const dialog = createElement("dialog", { class: "dialog", "aria-label": gettext("Run on rows of a dataset") });
  const close = createElement("button", { type: "button", class: "button" }, gettext("Cancel"));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.append(createElement("h2", {}, gettext("Run on rows of a dataset")));
  if (datasets.length) dialog.append(drawForm(dialog, datasets, host, close));
  else {
    const link = createElement("a", { href: newDataset }, gettext("Create a dataset"));
    const paragraph = createElement("p", {}, gettext("There is no dataset here yet."), " ", link);
    dialog.append(paragraph, createElement("div", { class: "dialog-foot" }, close));
  }
  document.body.append(dialog);
  dialog.showModal();
}

function drawForm(
  dialog: HTMLDialogElement,
  datasets: Choices["datasets"],
  host: RowsHost,
  close: HTMLElement,
): HTMLElement {
  const facts = createElement("p", { class: "note", role: "status" });
  const error = createElement("p", { class: "field-error", role: "alert" });
  const run = createElement("button", { class: "button button-primary" }, gettext("Run these rows"));
  let plan: RowPlan | null = null;
  let requestNumber = 0;
  const update = async (): Promise<void> => {
    requestNumber += 1;
    const turn = requestNumber;
    plan = null;
    error.textContent = "";
    facts.textContent = gettext("Counting what the rows take…");
    run.setAttribute("aria-disabled", "true");
    const answer = await host.plan(dataset.value, pick.value, tag.value);
    if (turn !== requestNumber) return; // another choice was made meanwhile
    const isPlan = "rows" in answer;
    if (isPlan) showTags(answer.tags);
    plan = isPlan ? answer : null;
    facts.textContent = isPlan ? describePlan(answer).join(" ") : "";
    error.textContent = isPlan ? "" : ([...Object.values(answer.fields), answer.detail].filter(Boolean)[0] ?? "");
    run.setAttribute("aria-disabled", String(!isPlan));
  };
  const showTags = (tags: readonly string[]): void => {
    const names = tags.map((name) => ({ value: name, label: name }));
    setOptions(tag, [{ value: "", label: gettext("any tag") }, ...names], tag.value);
    tagField.hidden = tags.length === 0;
  };
  const [datasetBox, dataset] = createSelect(gettext("Dataset"), () => {
    tag.value = "";
    void update();
  });
  setOptions(
    dataset,
    datasets.map((dataset) => ({ value: dataset.name, label: dataset.title })),
    datasets[0]?.name ?? "",
  );
  const [pickBox, pick] = createSelect(gettext("Which rows"), () => void update());
  const picks = [
    { value: "first", label: gettext("The first 20") },
    { value: "random", label: gettext("20 at random") },
  ];
  setOptions(pick, picks, "first");
  const [tagBox, tag] = createSelect(gettext("Tag"), () => void update());
  setOptions(tag, [{ value: "", label: gettext("any tag") }], "");
  const createField = (label: string, box: HTMLElement): HTMLElement =>
    createElement("div", { class: "field" }, createElement("span", { class: "label" }, label), box);
  const tagField = createField(gettext("Tag"), tagBox);
  tagField.hidden = true;
  const form = createElement(
    "form",
    { class: "form" },
    createField(gettext("Dataset"), datasetBox),
    createField(gettext("Which rows"), pickBox),
    tagField,
    facts,
    error,
    createElement("div", { class: "dialog-foot" }, run, close),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!plan) return;
    dialog.close();
    host.run(plan);
  });
  void update();
  return form;
}
