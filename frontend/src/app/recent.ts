// Recently viewed templates of this browser, by user: for the command palette and the home page.
import { createElement, findElement } from "../dom.ts";

const LIMIT = 8;

interface Item {
  title: string;
  href: string;
}

/** Remembers the template of this page, and fills the home page's list of earlier ones. */
export function installRecent(): void {
  const viewed = document.querySelector<HTMLElement>("[data-viewed]")?.dataset.viewed;
  if (viewed) remember(viewed);
  const section = document.querySelector<HTMLElement>("[data-recent]");
  if (section) void fillSection(section);
}

/** The names of recently viewed templates, newest first; empty if the browser stores nothing. */
export function readRecent(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey()) ?? "[]");
    return Array.isArray(stored) ? stored.filter((name) => typeof name === "string").slice(0, LIMIT) : [];
  } catch {
    return []; // storage is disabled or contains something else
  }
}

/** The query of the palette's request for this search. */
export function buildPaletteQuery(query: string): string {
  return new URLSearchParams([["q", query], ...readRecent().map((name) => ["recent", name])]).toString();
}

function remember(name: string): void {
  const names = [name, ...readRecent().filter((recentName) => recentName !== name)].slice(0, LIMIT);
  try {
    localStorage.setItem(storageKey(), JSON.stringify(names));
  } catch {
    // storage is disabled or full: the list stays unchanged
  }
}

/** Users who share a browser don't see each other's lists. */
function storageKey(): string {
  return `recent:${document.body.dataset.person ?? ""}`;
}

async function fillSection(section: HTMLElement): Promise<void> {
  if (!readRecent().length) return;
  const answer = await fetch(`${section.dataset.recent}?${buildPaletteQuery("")}`, {
    headers: { Accept: "application/json" },
  });
  if (!answer.ok) return;
  const { groups } = (await answer.json()) as { groups: { kind: string; items: Item[] }[] };
  const items = groups.find((group) => group.kind === "recent")?.items ?? [];
  findElement(section, "ul").replaceChildren(
    ...items.map((item) => createElement("li", {}, createElement("a", { href: item.href }, item.title))),
  );
  section.hidden = items.length === 0;
}
