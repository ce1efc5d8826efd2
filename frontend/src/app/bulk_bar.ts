// The bar for what is ticked: it appears with the first template, names what is chosen and has a button a namespace.
import { findElement, pluralize } from "../dom.ts";

/** Follows the boxes of the form marked `data-bulk`; without scripts the bar stands below the table. */
export function installBulkBar(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-bulk]");
  const bar = form?.querySelector<HTMLElement>("[data-bulk-bar]");
  if (!form || !bar) return;
  const update = (): void => showChosen(form, bar);
  form.addEventListener("change", update);
  form.addEventListener("reset", () => window.setTimeout(update));
  update();
}

function showChosen(form: HTMLFormElement, bar: HTMLElement): void {
  const boxes = [...form.querySelectorAll<HTMLInputElement>("input[name=template]:checked")];
  bar.hidden = boxes.length === 0;
  findElement(bar, "[data-bulk-count]").textContent = `${pluralize(boxes.length, "template")} selected`;
  findElement(bar, "[data-bulk-names]").textContent = boxes.map((box) => box.value).join(", ");
  for (const button of bar.querySelectorAll<HTMLButtonElement>("button[data-namespace]")) {
    const count = boxes.filter((box) => box.dataset.namespace === button.dataset.namespace).length;
    button.hidden = count === 0;
    findElement(button, "[data-bulk-number]").textContent = String(count);
  }
}
