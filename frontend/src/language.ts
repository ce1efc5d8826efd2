// Texts in the reader's language, from the catalogue that the page loads before the scripts; English without one.

type Values = Record<string, string | number>;

interface Catalogue {
  gettext(text: string): string;
  pgettext(context: string, text: string): string;
  ngettext(singular: string, plural: string, count: number): string;
}

function catalogue(): Partial<Catalogue> {
  return (globalThis as { django?: Partial<Catalogue> }).django ?? {};
}

function fillIn(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

/** A text in the reader's language; `{name}` is replaced by that value. The text must be a literal at the call. */
export function gettext(text: string, values: Values = {}): string {
  return fillIn(catalogue().gettext?.(text) ?? text, values);
}

/** A text with a context that distinguishes it from other meanings of the same word. */
export function pgettext(context: string, text: string): string {
  return catalogue().pgettext?.(context, text) ?? text;
}

/** A text with a count, replacing `{count}`, in the plural form of the reader's language. */
export function ngettext(singular: string, plural: string, count: number, values: Values = {}): string {
  const text = catalogue().ngettext?.(singular, plural, count) ?? (count === 1 ? singular : plural);
  return fillIn(text, { count: formatNumber(count), ...values });
}

/** The language of the page, for `Intl` and `toLocaleString`. */
export function readPageLanguage(): string {
  return globalThis.document?.documentElement.lang || "en";
}

/** The text with its first letter in upper case. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A number with the separators of the reader's language. */
export function formatNumber(number: number, options: Intl.NumberFormatOptions = {}): string {
  return number.toLocaleString(readPageLanguage(), options);
}
