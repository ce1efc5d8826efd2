// The count of problems in the head of the draft pane.
import { findElement, pluralize } from "../dom.ts";
import type { Problem } from "./types.ts";

const ANNOUNCE_DELAY = 1500; // milliseconds without a change before a screen reader hears of it

/** Installs the button that says how many problems there are; `go` leads to the next one. Gives the function that
 * shows the count of others. */
export function installProblemCount(root: HTMLElement, go: () => void): (problems: Problem[]) => void {
  const button = findElement(root, "[data-problem-count]");
  let timer: number | undefined;
  button.hidden = false;
  button.addEventListener("click", go);
  return (problems) => {
    const of = (severity: string): number => problems.filter((each) => each.severity === severity).length;
    const severities = ["error", "warning", "note"] as const;
    const present = severities.filter((severity) => of(severity));
    button.dataset.worst = present[0] ?? "none";
    const words = present.map((severity) => pluralize(of(severity), severity)).join(", ") || "no problems";
    if (button.textContent === words) return;
    button.textContent = words;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      findElement(root, "[data-problem-say]").textContent = words;
    }, ANNOUNCE_DELAY);
  };
}
