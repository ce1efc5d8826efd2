// Sends rows of the grid to the server: as the next version of the dataset, or to another dataset.
import { gettext } from "../language.ts";
import { formatRows } from "./rows.ts";
import type { Grid } from "./types.ts";

/** Why nothing was saved: a message, and messages by row and field. */
export interface Refusal {
  detail: string;
  fields: Record<string, string>;
  latest?: number;
  diffUrl?: string;
}

/** The server's response: the URL to open, or why nothing was saved. */
export type SaveAnswer = { url: string } | Refusal;

/** The result of copying: the new version, the columns that the other dataset lacks, or why nothing was copied. */
export type CopyAnswer =
  | { url: string; dataset: string; number: number; added: number; warnings: string[] }
  | { newColumns: string[] }
  | Refusal;

const SIGNED_OUT = gettext("You are signed out. Sign in in another tab, then save again: the rows stay here.");

/** Posts the form with the rows as the next version. */
export function saveRows(form: HTMLFormElement, grid: Grid): Promise<SaveAnswer> {
  return postRows<SaveAnswer>(location.href, new FormData(form), grid);
}

/** Posts the rows as a file of JSON lines, because a field of a form holds less than a file. */
export async function postRows<Answer>(url: string, data: FormData, grid: Grid): Promise<Answer | Refusal> {
  data.set("text", "");
  data.set("form", "jsonl");
  data.set("file", new File([formatRows(grid)], "rows.jsonl", { type: "application/x-ndjson" }));
  try {
    const response = await fetch(url, {
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
    return (await response.json()) as Answer;
  } catch {
    return { detail: gettext("The server could not be reached. Nothing is saved, the rows stay here."), fields: {} };
  }
}
