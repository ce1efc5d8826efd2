// The button that approves templates of a release says how many are ticked.

import { gettext, ngettext } from "../language.ts";

const BOX = "input[name=digest]";

export function installApproveCount(): void {
  document.addEventListener("change", (event) => {
    if (event.target instanceof HTMLInputElement && event.target.matches(BOX)) showApproveCount();
  });
  document.addEventListener("reset", () => window.setTimeout(showApproveCount));
  showApproveCount();
}

/** Counts the ticked boxes, also those that were restored from this browser. */
function showApproveCount(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-ticked]")) {
    const button = form.querySelector("[data-approve]");
    const count = form.querySelectorAll(`${BOX}:checked`).length;
    if (button) button.textContent = count ? describeApproval(count) : gettext("Approve");
  }
}

function describeApproval(count: number): string {
  return ngettext("Approve {count} template", "Approve {count} templates", count);
}
