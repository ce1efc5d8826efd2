// The counts of the top bar on an open page: fetched again after events of the journal.
import { createElement } from "../dom.ts";
import { JOURNAL } from "./panel_watch.ts";

const WAIT = 500; // ms: debounces events in quick succession
const SPREAD = 1000; // ms: spreads the requests of open pages

/** Follows the journal if the bar has the URL of its counts (`data-counts`). */
export function installCounts(): void {
  const address = document.querySelector<HTMLElement>("[data-counts]")?.dataset.counts;
  let timer: number | undefined;
  if (!address) return;
  document.addEventListener(JOURNAL, () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void readCounts(address), WAIT + Math.random() * SPREAD);
  });
}

async function readCounts(address: string): Promise<void> {
  const answer = await fetch(address, { headers: { Accept: "application/json" } }).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const counts = (await answer.json()) as Record<string, number>;
  for (const link of document.querySelectorAll<HTMLElement>("[data-count]"))
    showCount(link, counts[link.dataset.count ?? ""] ?? 0);
}

/** The number after the link's text; omitted for 0. */
function showCount(link: HTMLElement, count: number): void {
  const badge = link.querySelector(".count");
  if (count === 0) badge?.remove();
  else if (badge) badge.textContent = String(count);
  else link.append(" ", createElement("span", { class: "count", title: link.dataset.countTitle }, String(count)));
}
