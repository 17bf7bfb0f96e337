import { expect, test } from "vitest";
import { createAnnouncer } from "../../src/context/announcer.ts";
import { createKeyMap } from "../../src/context/keys.ts";
import { createSettings } from "../../src/context/settings.ts";
import { manualClock } from "../manual-clock.ts";

function press(key: string, more: Partial<KeyboardEvent> = {}): KeyboardEvent {
  return { key, target: null, preventDefault: () => undefined, ...more } as KeyboardEvent;
}

test("the newest part has a key first, and gives it back when it is gone", () => {
  const keys = createKeyMap();
  const ran: string[] = [];
  keys.add([{ key: "u", does: "up", run: () => ran.push("page") }]);
  const remove = keys.add([{ key: "u", does: "close", run: () => ran.push("part") }]);
  expect(keys.press(press("u"), true)).toBe(true);
  remove();
  keys.press(press("u"), true);
  expect(ran).toEqual(["part", "page"]);
});

test("letters are no commands where they are switched off, nor with a modifier", () => {
  const keys = createKeyMap();
  keys.add([
    { key: "w", does: "what if", run: () => undefined },
    { key: "ArrowDown", does: "next", run: () => undefined },
  ]);
  expect(keys.press(press("w"), false)).toBe(false);
  expect(keys.press(press("w", { ctrlKey: true }), true)).toBe(false);
  expect(keys.press(press("ArrowDown"), false)).toBe(true);
});

test("the live region says the last of several texts, ten seconds after the one before", () => {
  const clock = manualClock();
  const announcer = createAnnouncer(clock);
  announcer.say("one");
  announcer.say("two");
  announcer.say("three");
  expect(announcer.text.value).toBe("one");
  clock.advance(9_999);
  expect(announcer.text.value).toBe("one");
  clock.advance(1);
  expect(announcer.text.value).toBe("three");
});

test("settings survive in the storage, and what is none of ours there is ignored", () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  };
  const settings = createSettings(storage);
  settings.theme.value = "dark";
  settings.keys.value = false;
  const again = createSettings(storage);
  expect([again.theme.value, again.keys.value]).toEqual(["dark", false]);
  stored.set("plimsoll-console", '{"theme":"<b>","keys":"secret"}');
  const odd = createSettings(storage);
  expect([odd.theme.value, odd.keys.value]).toEqual(["auto", true]);
  expect(createSettings(undefined).theme.value).toBe("auto");
});
