// The bulk bar: it appears with the first ticked template, names the selection, and shows the effects of promoting it.
import { findElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { type BulkFacts, shortenCount, sumFacts } from "./bulk_facts.ts";
import { installRangeClicks } from "./desk_keys.ts";

const BOX = "input[name=template]";

/** Follows the checkboxes of each form marked `data-bulk`, including forms swapped in by htmx. Without scripts the bar
 * is below the table. */
export function installBulkBar(): void {
  const update = (event: Event): void => {
    const pressed = event.target as Element;
    const form = pressed.closest<HTMLFormElement>("form[data-bulk]");
    if (!form) return;
    if (pressed.matches("[data-bulk-all]")) {
      for (const box of form.querySelectorAll<HTMLInputElement>(BOX))
        box.checked = (pressed as HTMLInputElement).checked;
    }
    showChosen(form);
  };
  document.addEventListener("change", update);
  document.addEventListener("reset", (event) => window.setTimeout(() => update(event)));
  document.addEventListener("click", (event) => {
    const opener = (event.target as Element).closest("[data-bulk-open]");
    if (opener) opener.setAttribute("aria-expanded", String(opener.getAttribute("aria-expanded") !== "true"));
  });
  installRangeClicks();
  showBulkBars();
}

/** Updates the bars for the boxes that are ticked now. */
export function showBulkBars(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-bulk]")) showChosen(form);
}

function showChosen(form: HTMLFormElement): void {
  const bar = form.querySelector<HTMLElement>("[data-bulk-bar]");
  if (!bar) return;
  const all = [...form.querySelectorAll<HTMLInputElement>(BOX)];
  const boxes = all.filter((box) => box.checked);
  bar.hidden = boxes.length === 0;
  findElement(bar, "[data-bulk-count]").textContent = ngettext(
    "{count} template selected",
    "{count} templates selected",
    boxes.length,
  );
  const facts = sumFacts(boxes.map((box) => ({ ...box.dataset, name: box.value })));
  findElement(bar, "[data-bulk-names]").textContent = facts.names.join(", ");
  if (bar.querySelector("[data-bulk-primary]")) showPromotion(bar, facts, all.length);
}

/** Shows the effects of promoting the selection, of `total` boxes. */
function showPromotion(bar: HTMLElement, facts: BulkFacts, total: number): void {
  const count = facts.names.length;
  const showText = (name: string, text: string): void => {
    findElement(bar, `[data-bulk-${name}]`).textContent = text;
  };
  const everything = findElement<HTMLInputElement>(bar, "[data-bulk-all]");
  everything.checked = count === total;
  everything.indeterminate = count < total;
  findElement(bar, "[data-bulk-passed]").hidden = facts.unchecked > 0;
  showText("unchecked", facts.unchecked ? describeUnchecked(facts.unchecked) : "");
  showText("reach", describeReach(facts));
  showText("needs", describeNeeds(facts.needs));
  const releases = facts.needs.length;
  showText(
    "releases",
    ngettext(
      "Makes {count} release. Its templates go live together, or none.",
      "Makes {count} releases, one for each namespace. The templates of a release go live together, or none.",
      releases,
    ),
  );
  showText("primary", ngettext("Promote {count} template", "Promote {count} templates", count));
}

function describeUnchecked(count: number): string {
  return ngettext(
    "Checks of {count} template have not all passed.",
    "Checks of {count} templates have not all passed.",
    count,
  );
}

function describeReach({ services, fetches }: BulkFacts): string {
  if (!services) return gettext("No service fetched them in the last 30 days.");
  const reached = ngettext("Reaches {count} service,", "Reaches {count} services,", services);
  const shown = shortenCount(fetches);
  const often = ngettext("{shown} fetch a day.", "{shown} fetches a day.", fetches, { shown });
  return `${reached} ${often}`;
}

/** `Needs 2 approvals in support, 1 in billing.` */
function describeNeeds(needs: BulkFacts["needs"]): string {
  const [first, ...others] = needs;
  if (!first) return "";
  const texts = [
    ngettext("Needs {count} approval in {namespace}", "Needs {count} approvals in {namespace}", first.approvals, first),
    ...others.map((need) => gettext("{approvals} in {namespace}", { ...need })),
  ];
  return `${texts.join(", ")}.`;
}
