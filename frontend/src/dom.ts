// Helpers for creating and reading elements; every text becomes a text node, never markup.
import { gettext, ngettext } from "./language.ts";

type Attributes = Record<string, string | number | boolean | undefined>;

/** Creates an element; `true` sets an empty attribute, `false` and `undefined` omit it. */
export function createElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An icon of the sprite, hidden from screen readers, because there is always a word next to it. */
export function createIcon(name: string): SVGSVGElement {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${document.documentElement.dataset.icons ?? ""}#${name}`);
  drawing.append(use);
  return drawing;
}

/** The matching element; throws an error that names the selector if there isn't one. */
export function findElement<T extends Element = HTMLElement>(root: ParentNode, selector: string): T {
  const element = root.querySelector<T>(selector);
  if (!element) throw new Error(`The page has no ${selector}`);
  return element;
}

/** The parsed content of a `<script type="application/json" id=…>` of the page. */
export function readJson<T>(id: string): T {
  return JSON.parse(findElement(document, `#${id}`).textContent ?? "null") as T;
}

/** A sentence from the server with its `names` formatted as code. */
export function createCodeSpans(sentence: string): (Node | string)[] {
  return sentence.split("`").map((piece, index) => (index % 2 ? createElement("code", {}, piece) : piece));
}

/** A problem's code as a link to its help page, in a new tab because the text here may be unsaved. */
export function createCodeLink(code: string): HTMLAnchorElement {
  const attributes = { class: "cm-problem-code", href: `/help/problems/${code}`, target: "_blank" };
  return createElement("a", { ...attributes, title: gettext("What {code} means (in a new tab)", { code }) }, code);
}

/** How long ago, worded as on the pages: `12 s ago`, `3 min ago`, `2 h ago`, `4 days ago`. */
export function formatTimeAgo(moment: number, now = Date.now()): string {
  const seconds = Math.max(0, (now - moment) / 1000);
  if (seconds < 1) return gettext("just now");
  if (seconds < 60) return gettext("{count} s ago", { count: Math.round(seconds) });
  if (seconds < 3600) return gettext("{count} min ago", { count: Math.round(seconds / 60) });
  if (seconds < 86400) return gettext("{count} h ago", { count: Math.round(seconds / 3600) });
  return ngettext("{count} day ago", "{count} days ago", Math.round(seconds / 86400));
}
