// Values inside a sample by their path: the name of the input, then names of properties.
import type { Data, Json } from "./types.ts";

const isObject = (value: Json | undefined): value is Data =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** The value at a path, undefined if there isn't one. */
export function readValue(value: Json | undefined, path: readonly string[]): Json | undefined {
  let found = value;
  for (const step of path) found = isObject(found) ? found[step] : undefined;
  return found;
}

/** The object with the value at a path replaced, undefined to remove it; non-objects on the path become objects. */
export function writeValue(value: Json | undefined, path: readonly string[], next: Json | undefined): Data {
  const copy: Data = isObject(value) ? { ...value } : {};
  const [step = "", ...rest] = path;
  const inner = rest.length ? writeValue(copy[step], rest, next) : next;
  if (inner === undefined) delete copy[step];
  else copy[step] = inner;
  return copy;
}

/** The list with the item at `from` moved to `to`. */
export function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const moved = items.slice(from, from + 1);
  const rest = [...items.slice(0, from), ...items.slice(from + 1)];
  return moved.length ? [...rest.slice(0, to), ...moved, ...rest.slice(to)] : [...items];
}
