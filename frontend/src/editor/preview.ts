// The preview pane.
import { createCodeSpans, createElement, createIcon, findElement, formatTimeAgo } from "../dom.ts";
import { gettext } from "../language.ts";
import { CallError, callServer } from "./api.ts";
import type { PreviewAnswer, Setup } from "./types.ts";

const DELAY = 280;
// Below this, the text "rendering" would only flicker.
const SLOW = 500;

interface Wiring {
  url: string;
  body: () => Record<string, unknown>;
  /** `isCurrent`: nothing was typed since the text was sent, so the result still applies. */
  onPreview: (look: PreviewAnswer, fresh: boolean, isCurrent: boolean) => void;
  goTo: (place: { line: number; column: number }) => void;
}

/** Keeps the preview, the budget and the problems up to date: asks the server shortly after each change, shows only the
 * latest response, and never clears what it shows. */
export class Preview {
  readonly #region: HTMLElement;
  readonly #budget: HTMLElement;
  readonly #state: HTMLElement;
  readonly #banner: HTMLElement;
  readonly #wiring: Wiring;
  #timer: number | undefined;
  #isWaiting = false;
  #current: AbortController | null = null;
  #goodAt: number | null;
  #standIn: string;
  #isPending: boolean;
  #asking = false;
  #stopped: PreviewAnswer | null = null;
  #trouble = "";

  constructor(root: HTMLElement, wiring: Wiring, initial: Pick<Setup, "rendered" | "isPending" | "standIn">) {
    this.#region = findElement(root, "[data-preview]");
    this.#budget = findElement(root, "[data-budget]");
    this.#state = findElement(root, "[data-preview-state]");
    this.#banner = findElement(root, "[data-preview-stopped]");
    this.#wiring = wiring;
    this.#goodAt = initial.rendered ? Date.now() : null;
    this.#standIn = initial.standIn;
    this.#isPending = initial.isPending;
    window.setInterval(() => this.#showStatus(), 5000);
    window.addEventListener("online", () => {
      if (this.#trouble) void this.refresh();
    });
  }

  /** Refreshes soon; further changes postpone it. */
  refreshSoon(): void {
    window.clearTimeout(this.#timer);
    this.#isWaiting = true;
    this.#timer = window.setTimeout(() => void this.refresh(), DELAY);
  }

  async refresh(): Promise<void> {
    window.clearTimeout(this.#timer);
    this.#isWaiting = false;
    this.#current?.abort();
    const mine = new AbortController();
    this.#current = mine;
    const slow = window.setTimeout(() => {
      this.#asking = true;
      this.#showStatus();
    }, SLOW);
    try {
      const look = await callServer<PreviewAnswer>("POST", this.#wiring.url, this.#wiring.body(), {
        signal: mine.signal,
      });
      if (this.#current === mine) this.#show(look);
    } catch (error) {
      if (this.#current !== mine) return;
      this.#trouble = error instanceof CallError ? error.message : gettext("The preview could not be refreshed.");
    } finally {
      window.clearTimeout(slow);
      if (this.#current === mine) {
        this.#asking = false;
        this.#showStatus();
      }
    }
  }

  #show(look: PreviewAnswer): void {
    this.#isPending = false;
    this.#trouble = "";
    this.#stopped = look.rendered ? null : look;
    if (look.rendered) {
      this.#goodAt = Date.now();
      replaceContent(this.#region, look.preview);
      replaceContent(this.#budget, look.budget);
    } else if (this.#goodAt === null) {
      this.#standIn = look.standIn;
      replaceContent(this.#region, look.preview);
      if (look.budget) replaceContent(this.#budget, look.budget);
    }
    this.#wiring.onPreview(look, look.rendered, !this.#isWaiting);
  }

  #showStatus(): void {
    const age = this.#goodAt === null ? "" : formatTimeAgo(this.#goodAt);
    const stale = this.#stopped !== null || this.#trouble !== "";
    this.#region.classList.toggle("is-stale", stale);
    this.#budget.classList.toggle("is-stale", stale);
    const text = this.#asking ? this.#describeShown(age) : age && !stale ? age : "";
    const icon = this.#asking ? createIcon("loader") : text ? createIcon("check") : "";
    this.#state.replaceChildren(icon, text);
    this.#state.title = age && !this.#asking ? gettext("rendered {when}", { when: age }) : "";
    this.#banner.hidden = !stale;
    if (stale) this.#banner.replaceChildren(...this.#reason());
  }

  #describeShown(age: string): string {
    if (age) return gettext("rendering; this text is from {when}", { when: age });
    return this.#isPending ? gettext("rendering") : gettext("rendering; this text is from before");
  }

  /** Describes what is shown instead of the current text. */
  #shownWords(): Node | string {
    if (this.#goodAt !== null)
      return createElement("b", {}, gettext("Last working preview, {when}.", { when: formatTimeAgo(this.#goodAt) }));
    return this.#standIn ? createElement("b", {}, gettext("Showing {version}.", { version: this.#standIn })) : "";
  }

  #reason(): (Node | string)[] {
    const age = this.#shownWords();
    if (this.#trouble) {
      const button = createElement(
        "button",
        { type: "button", class: "button button-quiet button-small" },
        gettext("Try again"),
      );
      button.addEventListener("click", () => void this.refresh());
      return [createIcon("clock"), createElement("p", {}, age, ` ${this.#trouble} `, button)];
    }
    const at = this.#stopped?.stoppedAt;
    const paragraph = createElement("p", {}, age, " ", ...createCodeSpans(this.#stopped?.stopped ?? ""), " ");
    if (at) {
      const go = createElement(
        "button",
        { type: "button", class: "link" },
        gettext("Go to line {line}", { line: at.line }),
      );
      go.addEventListener("click", () => this.#wiring.goTo(at));
      paragraph.append(go);
    }
    return [createIcon("circle-x"), paragraph];
  }
}

/** Inserts the server's markup; open folds stay open, and the pane keeps its scroll position. */
function replaceContent(region: HTMLElement, html: string): void {
  const open = new Set(
    [...region.querySelectorAll<HTMLDetailsElement>("details[data-fold][open]")].map((details) => details.dataset.fold),
  );
  region.innerHTML = html;
  for (const fold of region.querySelectorAll<HTMLDetailsElement>("details[data-fold]")) {
    if (open.has(fold.dataset.fold)) fold.open = true;
  }
}
