import { expect, test } from "vitest";
import { createAnnouncer } from "../../src/context/announcer.ts";
import { manualClock } from "../manual-clock.ts";

test("what changes each second is said every 10 s, the last of it", () => {
  const clock = manualClock();
  const { say, text } = createAnnouncer(clock);
  const said: string[] = [];
  text.subscribe((next) => said.push(`${clock.nowMs() / 1000} ${next}`));
  for (let second = 0; second <= 35; second++) {
    say(`${second} replicas`);
    clock.advance(1_000);
  }
  expect(said.slice(1)).toEqual(["0 0 replicas", "10 9 replicas", "20 19 replicas", "30 29 replicas"]);
});

test("what a reader did is said at once, and takes the place of what waits", () => {
  const clock = manualClock();
  const { say, answer, text } = createAnnouncer(clock);
  say("one");
  clock.advance(1_000);
  say("two");
  answer("Copied");
  expect(text.value).toBe("Copied");
  clock.advance(60_000);
  expect(text.value).toBe("Copied");
});
