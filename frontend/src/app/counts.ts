// The counts of the top bar on an open page: asked for again once the journal tells of something.
import { createElement } from "../dom.ts";
import { JOURNAL } from "./panel_watch.ts";

const WAIT = 500; // ms: what happens at once is asked for once
const SPREAD = 1000; // ms: not all open pages ask at the same moment

/** Follows the journal where the bar says where its counts are (`data-counts`). */
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

/** The number behind the link's word; none is shown for 0. */
function showCount(link: HTMLElement, count: number): void {
  const shown = link.querySelector(".count");
  if (count === 0) shown?.remove();
  else if (shown) shown.textContent = String(count);
  else link.append(" ", createElement("span", { class: "count", title: link.dataset.countTitle }, String(count)));
}
