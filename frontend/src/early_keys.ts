// Records the keys that are pressed while the page is shown and its script is still loading; `app/keys.ts` acts on them.
const pressed: KeyboardEvent[] = [];
const recordKey = (event: KeyboardEvent): void => {
  pressed.push(event);
};

addEventListener("keydown", recordKey);
window.takeEarlyKeys = () => {
  removeEventListener("keydown", recordKey);
  return pressed.splice(0);
};
