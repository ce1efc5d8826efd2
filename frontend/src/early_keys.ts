// Records the keys that are pressed before the page's script has loaded; `app/keys.ts` acts on them.
const pressed: KeyboardEvent[] = [];
const recordKey = (event: KeyboardEvent): void => {
  pressed.push(event);
};

addEventListener("keydown", recordKey);
window.takeEarlyKeys = () => {
  removeEventListener("keydown", recordKey);
  return pressed.splice(0);
};
