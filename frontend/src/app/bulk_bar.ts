// The bar for what is ticked: it appears with the first template, and names what is chosen and how many releases that
// makes.
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
  const primary = bar.querySelector<HTMLElement>("[data-bulk-primary]");
  if (!primary) return;
  const namespaces = new Set(boxes.map((box) => box.dataset.namespace)).size;
  findElement(bar, "[data-bulk-releases]").textContent = ngettext(
    "Makes {count} release. Its templates go live together, or none.",
    "Makes {count} releases, one for each namespace. The templates of a release go live together, or none.",
    namespaces,
  );
  primary.textContent = ngettext("Promote {count} template", "Promote {count} templates", boxes.length);
}
