// Records the keys that are pressed while the page is shown and its script is still loading; `app/keys.ts` acts on them.
const pressed: KeyboardEvent[] = [];
const record = (event: KeyboardEvent): void => {
  pressed.push(event);
};

addEventListener("keydown", record);
window.takeEarlyKeys = () => {
  removeEventListener("keydown", record);
  return pressed.splice(0);
};
