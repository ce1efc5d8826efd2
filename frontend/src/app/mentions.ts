// Autocompletion of users and groups, after @ in a comment and for names in a field of owners.
import { gettext } from "../language.ts";

interface Person {
  name: string;
  title: string;
  group: boolean;
}

interface Mention {
  start: number;
  prefix: string;
}

type Field = HTMLInputElement | HTMLTextAreaElement;

const groupMark = "group:";

const mostShown = 8;
const peopleOf = new Map<string, Promise<Person[]>>();

/** The mention being typed before the caret: the position of its @ and the text after it; null if there isn't one. */
export function findMention(text: string, caret: number): Mention | null {
  const match = /(?:^|[^\w@.+/-])@([a-z0-9._-]*)$/.exec(text.slice(0, caret));
  return match ? { start: caret - (match[1]?.length ?? 0) - 1, prefix: match[1] ?? "" } : null;
}

/** The owner being typed before the caret: a user, or a group after `group:`. In a text of several lines, owners follow
 * the colon after the line's pattern. */
export function findOwner(text: string, caret: number, isInLines: boolean): Mention | null {
  const line = text.slice(0, caret).replace(/^.*\n/s, "");
  const before = isInLines ? /^[^:]*:(.*)$/.exec(line)?.[1] : line;
  const match = /(?:^|[,\s])((?:group:)?([\w.-]+))$/.exec(before ?? "");
  return match?.[1] && match[2] ? { start: caret - match[1].length, prefix: match[2] } : null;
}

/** Those whose name or title begins with the typed text, names first. */
export function matchPeople(people: Person[], prefix: string): Person[] {
  const typed = prefix.toLowerCase();
  const byName = people.filter((person) => person.name.startsWith(typed));
  const byTitle = people.filter(
    (person) =>
      !byName.includes(person) &&
      person.title
        .toLowerCase()
        .split(/\s+/)
        .some((word) => word.startsWith(typed)),
  );
  return [...byName, ...byTitle].slice(0, mostShown);
}

function readPeople(address: string): Promise<Person[]> {
  let people = peopleOf.get(address);
  if (!people) {
    people = fetch(address, { headers: { Accept: "application/json" } })
      .then((answer) => (answer.ok ? answer.json() : { results: [] }))
      .then((body: { results: Person[] }) => body.results)
      .catch(() => {
        peopleOf.delete(address);
        return [];
      });
    peopleOf.set(address, people);
  }
  return people;
}

/** The suggestion list of one field, which exists only while there is something to choose. */
class Picker {
  private list: HTMLUListElement | null = null;
  private shown: Person[] = [];
  private chosen = 0;
  private readonly field: Field;

  constructor(field: Field) {
    this.field = field;
  }

  get isOpen(): boolean {
    return this.list !== null;
  }

  async update(): Promise<void> {
    if (!this.find()) return this.close();
    const people = await readPeople(this.field.dataset.owners ?? this.field.dataset.mentions ?? "");
    const mention = this.find(); // the user continues typing meanwhile
    if (!mention || document.activeElement !== this.field) return this.close();
    this.shown = matchPeople(people, mention.prefix);
    if (this.shown.length === 0) return this.close();
    this.chosen = Math.min(this.chosen, this.shown.length - 1);
    this.draw();
  }

  move(step: number): void {
    this.chosen = (this.chosen + step + this.shown.length) % this.shown.length;
    this.draw();
  }

  insertChosen(index = this.chosen): void {
    const mention = this.find();
    const person = this.shown[index];
    if (!mention || !person) return;
    const text = this.isOfOwners ? `${this.nameOf(person)}, ` : `${this.nameOf(person)} `;
    this.field.setRangeText(text, mention.start, this.field.selectionStart ?? 0, "end");
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
    this.close();
  }

  close(): void {
    this.list?.remove();
    this.list = null;
    this.chosen = 0;
    for (const name of ["aria-activedescendant", "aria-controls"]) this.field.removeAttribute(name);
  }

  private get isOfOwners(): boolean {
    return this.field.dataset.owners !== undefined;
  }

  private find(): Mention | null {
    const caret = this.field.selectionStart ?? 0;
    if (!this.isOfOwners) return findMention(this.field.value, caret);
    return findOwner(this.field.value, caret, this.field instanceof HTMLTextAreaElement);
  }

  /** The user or group as written in the field. */
  private nameOf(person: Person): string {
    if (!this.isOfOwners) return `@${person.name}`;
    return person.group ? `${groupMark}${person.name}` : person.name;
  }

  private draw(): void {
    const list = this.list ?? this.open();
    const options = this.shown.map((person, index) => {
      const option = document.createElement("li");
      option.id = `${list.id}-${index}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", String(index === this.chosen));
      const name = document.createElement("b");
      name.textContent = this.nameOf(person);
      option.append(name, person.title && person.title !== person.name ? ` ${person.title}` : "");
      option.addEventListener("pointerdown", (event) => {
        event.preventDefault(); // the caret stays in the text
        this.insertChosen(index);
      });
      return option;
    });
    list.replaceChildren(...options);
    this.field.setAttribute("aria-activedescendant", `${list.id}-${this.chosen}`);
  }

  private open(): HTMLUListElement {
    const list = document.createElement("ul");
    list.id = `people-${Math.random().toString(36).slice(2)}`;
    list.className = "mention-list";
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", this.isOfOwners ? gettext("People and groups") : "@");
    this.field.after(list);
    this.field.setAttribute("aria-controls", list.id);
    this.list = list;
    return list;
  }
}

const pickers = new WeakMap<Field, Picker>();

function findPicker(target: EventTarget | null): Picker | null {
  const isField = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
  if (!isField || !(target.dataset.owners ?? target.dataset.mentions)) return null;
  const picker = pickers.get(target) ?? new Picker(target);
  pickers.set(target, picker);
  return picker;
}

function onKey(event: KeyboardEvent): void {
  const picker = findPicker(event.target);
  if (!picker?.isOpen || event.isComposing || event.ctrlKey || event.metaKey) return;
  const act = {
    ArrowDown: () => picker.move(1),
    ArrowUp: () => picker.move(-1),
    Enter: () => picker.insertChosen(),
    Tab: () => picker.insertChosen(),
    Escape: () => picker.close(),
  }[event.key];
  if (!act) return;
  act();
  event.preventDefault();
  event.stopPropagation();
}

export function installMentions(): void {
  document.addEventListener("input", (event) => void findPicker(event.target)?.update());
  document.addEventListener("focusout", (event) => findPicker(event.target)?.close());
  document.addEventListener("keydown", onKey, { capture: true }); // before the page's own shortcuts
}
