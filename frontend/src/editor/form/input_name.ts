// The name of an input in its row, where it can be changed, and what is new about it against the version begun from.
import { createElement } from "../../dom.ts";
import { gettext, ngettext } from "../../language.ts";
import type { Schema } from "../types.ts";

/** The inputs of the version that the text was begun from, and the services that get what is published next. */
export interface Published {
  inputs: Record<string, Schema>;
  services: string[];
}

/** Renames an input everywhere; null where that was done, else why not. */
export type Rename = (name: string, next: string) => Promise<string | null>;

/** The services that would get an error: an input is required which they do not have to send so far. */
export function brokenServices(name: string, schema: Schema, published: Published): string[] {
  const before = published.inputs[name];
  const wasRequired = before !== undefined && before.default === undefined;
  return schema.default === undefined && !wasRequired ? published.services : [];
}

/** The name as a field, with `new` beside it where the version begun from has no such input. */
export function drawName(name: string, published: Published, rename: Rename, tell: (words: string) => void): Node[] {
  const box = createElement("input", {
    "aria-label": gettext("Name of the input {name}", { name }),
    autocapitalize: "none",
    spellcheck: "false",
    size: Math.max(name.length, 4),
    value: name,
  });
  box.addEventListener("change", async () => {
    const next = box.value.trim();
    if (next === name) return;
    const refusal = await rename(name, next);
    box.setAttribute("aria-invalid", String(refusal !== null));
    tell(refusal ?? "");
  });
  if (name in published.inputs) return [box];
  return [box, createElement("span", { class: "badge" }, gettext("new"))];
}

/** That services would get an error, where that is so: `breaks 2 keys`. */
export function drawBreak(name: string, schema: Schema, published: Published): Node[] {
  const services = brokenServices(name, schema, published);
  if (!services.length) return [];
  const words = ngettext("breaks {count} key", "breaks {count} keys", services.length);
  return [createElement("span", { class: "warn form-break", title: services.join(", ") }, words)];
}
