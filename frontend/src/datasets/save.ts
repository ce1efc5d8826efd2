// Sends the rows of the grid as the next version of the dataset.
import { gettext } from "../language.ts";
import { formatRows } from "./rows.ts";
import type { Grid } from "./types.ts";

/** What the server answered: where to go, or why nothing was saved. */
export type SaveAnswer =
  | { url: string }
  | { detail: string; fields: Record<string, string>; latest?: number; diffUrl?: string };

const SIGNED_OUT = gettext("You are signed out. Sign in in another tab, then save again: the rows stay here.");

/** Posts the form with the rows as a file of JSON lines, because a field of a form holds less than a file. */
export async function saveRows(form: HTMLFormElement, grid: Grid): Promise<SaveAnswer> {
  const data = new FormData(form);
  data.set("text", "");
  data.set("form", "jsonl");
  data.set("file", new File([formatRows(grid)], "rows.jsonl", { type: "application/x-ndjson" }));
  try {
    const response = await fetch(location.href, {
      method: "POST",
      body: data,
      headers: { Accept: "application/json" },
    });
    if (!response.headers.get("Content-Type")?.includes("json"))
      return {
        detail:
          response.redirected || response.status === 401
            ? SIGNED_OUT
            : gettext("The server answered with {status}. Nothing is saved.", { status: response.status }),
        fields: {},
      };
    return (await response.json()) as SaveAnswer;
  } catch {
    return { detail: gettext("The server could not be reached. Nothing is saved, the rows stay here."), fields: {} };
  }
}
