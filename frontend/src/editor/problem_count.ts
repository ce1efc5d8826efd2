// The count of problems in the head of the draft pane.
import { findElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import type { Problem } from "./types.ts";

const ANNOUNCE_DELAY = 1500; // milliseconds without a change before it is announced to screen readers

const SEVERITIES = ["error", "warning", "note"] as const;
const COUNTS: Record<Problem["severity"], (count: number) => string> = {
  error: (count) => ngettext("{count} error", "{count} errors", count),
  warning: (count) => ngettext("{count} warning", "{count} warnings", count),
  note: (count) => ngettext("{count} note", "{count} notes", count),
};

/** Installs the button with the number of problems, shown from the first count on; `go` moves to the next problem.
 * Returns a function that updates the count. */
export function installProblemCount(root: HTMLElement, go: () => void): (problems: Problem[]) => void {
  const button = findElement(root, "[data-problem-count]");
  let timer: number | undefined;
  button.addEventListener("click", go);
  return (problems) => {
    button.hidden = false;
    const count = (severity: string): number => problems.filter((problem) => problem.severity === severity).length;
    const present = SEVERITIES.filter((severity) => count(severity));
    button.dataset.worst = present[0] ?? "none";
    const text = present.map((severity) => COUNTS[severity](count(severity))).join(", ") || gettext("no problems");
    if (button.textContent === text) return;
    button.textContent = text;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      findElement(root, "[data-problem-announcement]").textContent = text;
    }, ANNOUNCE_DELAY);
  };
}
