// Decodes a file of rows: spreadsheets also write Windows-1252 and UTF-16.
import { gettext } from "../language.ts";

/** Decodes these bytes. Throws if they aren't text. */
export function readText(bytes: Uint8Array): string {
  const text = decode(bytes);
  if (text.includes("\0")) throw new Error(gettext("This is not a text file."));
  if (!text.trim()) throw new Error(gettext("The file is empty."));
  return text;
}

function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
