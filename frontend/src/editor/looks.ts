// Views of the draft besides its source: the preview as messages or text, the diff, all samples.
import { findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { callServer } from "./api.ts";
import { showDialog } from "./save.ts";
import type { PreviewAnswer } from "./types.ts";

interface Wiring {
  url: string;
  body: () => Record<string, unknown>;
  /** The number of the version that the draft is based on; null for a new template. */
  base: () => number | null;
  refresh: () => void;
  chooseSample: (name: string) => void;
}

/** What the preview shows: `target` is `messages` or `text`, `prompt` the index if the inputs produce several. */
export interface PreviewChoice {
  target: string;
  prompt: string;
}

/** The page's functions for the views. */
export interface Looks {
  choice: PreviewChoice;
  loadSamples(): Promise<string>;
}

/** Installs the buttons. */
export function installLooks(root: HTMLElement, wiring: Wiring): Looks {
  const choice: PreviewChoice = { target: "messages", prompt: "0" };
  installPreviewChoice(root, choice, wiring.refresh);
  const askPreview = (parameters: Record<string, string>): Promise<PreviewAnswer> =>
    callServer<PreviewAnswer>("POST", wiring.url, { ...wiring.body(), ...parameters });
  const loadSamples = async (): Promise<string> => (await askPreview({ want: "samples" })).samples ?? "";
  const showDifference = async (title: string, against: string): Promise<void> => {
    showDialog(title, (await askPreview({ want: "diff", against })).diff ?? "");
  };
  const all = findElement(root, "[data-all]");
  all.hidden = false;
  all.addEventListener("click", async () => {
    const dialog = showDialog(gettext("The text on every sample"), await loadSamples());
    dialog.addEventListener("click", (event) => {
      const name = (event.target as Element).closest<HTMLElement>("[data-choose]")?.dataset.choose;
      if (name === undefined) return;
      wiring.chooseSample(name);
      dialog.close();
    });
  });
  root.addEventListener("click", (event) => {
    const compare = (event.target as Element).closest<HTMLElement>("[data-against]");
    if (!compare && !(event.target as Element).closest("[data-review]")) return;
    event.preventDefault();
    const number = compare?.dataset.against ?? "";
    const base = wiring.base();
    if (number) void showDifference(gettext("Your text against v{number}", { number }), number);
    else
      void showDifference(
        base === null ? gettext("The whole text is new") : gettext("What changes since v{number}", { number: base }),
        "",
      );
  });
  return { choice, loadSamples };
}

function installPreviewChoice(root: HTMLElement, choice: PreviewChoice, refresh: () => void): void {
  findElement(root, "[data-targets]").hidden = false;
  for (const button of root.querySelectorAll<HTMLButtonElement>("[data-target]")) {
    button.addEventListener("click", () => {
      const { target = "messages" } = button.dataset;
      root.dataset.target = target; // mark its tab as pressed
      if (target === choice.target) return;
      choice.target = target;
      refresh();
    });
  }
  findElement(root, "[data-preview]").addEventListener("click", (event) => {
    const chosen = (event.target as Element).closest<HTMLButtonElement>("button[name=prompt]");
    if (!chosen) return;
    event.preventDefault();
    choice.prompt = chosen.value;
    refresh();
  });
}
