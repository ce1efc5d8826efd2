// The bar for what is ticked: it appears with the first template, names what is chosen and has a button a namespace.
import { findElement } from "../dom.ts";
import { ngettext } from "../language.ts";

/** Follows the boxes of each form marked `data-bulk`, also of one that htmx brings; without scripts the bar stands below
 * the table. */
export function installBulkBar(): void {
  const update = (event: Event): void => {
    const form = (event.target as Element).closest<HTMLFormElement>("form[data-bulk]");
    if (form) showChosen(form);
  };
  document.addEventListener("change", update);
  document.addEventListener("reset", (event) => window.setTimeout(() => update(event)));
  showBulkBars();
}

/** Brings the bars in line with the boxes that are ticked now. */
export function showBulkBars(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-bulk]")) showChosen(form);
}

function showChosen(form: HTMLFormElement): void {
  const bar = form.querySelector<HTMLElement>("[data-bulk-bar]");
  if (!bar) return;
  const boxes = [...form.querySelectorAll<HTMLInputElement>("input[name=template]:checked")];
  bar.hidden = boxes.length === 0;
  findElement(bar, "[data-bulk-count]").textContent = ngettext(
    "{count} template selected",
    "{count} templates selected",
    boxes.length,
  );
  findElement(bar, "[data-bulk-names]").textContent = boxes.map((box) => box.value).join(", ");
  for (const button of bar.querySelectorAll<HTMLButtonElement>("button[data-namespace]")) {
    const count = boxes.filter((box) => box.dataset.namespace === button.dataset.namespace).length;
    button.hidden = count === 0;
    findElement(button, "[data-bulk-number]").textContent = String(count);
  }
}
