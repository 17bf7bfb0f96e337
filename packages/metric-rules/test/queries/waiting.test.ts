import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import type { Decided } from "../../src/compile/compiled.ts";
import { createWaiting } from "../../src/queries/waiting.ts";

const refused: Decided = { type: "refused", refusal: { reason: "Unparsable", message: "no" } };
const never = new AbortController().signal;

function setUp() {
  const clock = manualClock(0);
  const known = new Map<string, Decided>();
  const waiting = createWaiting(clock, (namespace, metric) => known.get(`${namespace}/${metric}`));
  let ended = 0;
  const ask = (namespace: string, count: number, signal = never): void => {
    for (let at = 0; at < count; at += 1)
      void waiting.wait(namespace, `x${at}`, signal).then(() => (ended += 1));
  };
  return { clock, known, waiting, ask, ended: () => ended };
}

test("requests of others leave each namespace a few places of its own", async () => {
  const { clock, known, waiting, ask, ended } = setUp();
  ask("hostile", 80);
  ask("accomplice", 80);
  await clock.advance(0);
  expect(ended()).toBe(60);
  const asked = waiting.wait("shop", "x", never);
  known.set("shop/x", refused);
  waiting.decided("shop");
  expect(await asked).toBe(refused);
  ask("shop", 10);
  await clock.advance(0);
  expect(ended()).toBe(66);
  await clock.advance(1_500);
  expect(ended()).toBe(170);
});

test("however many namespaces ask, half of the requests in flight do not wait", async () => {
  const { clock, ask, ended } = setUp();
  for (let at = 0; at < 100; at += 1) ask(`hostile-${at}`, 4);
  await clock.advance(0);
  expect(ended()).toBe(200);
});

test("who has gone waits no more, and leaves the place", async () => {
  const { clock, waiting, ask, ended } = setUp();
  const gone = new AbortController();
  ask("hostile", 50, gone.signal);
  gone.abort();
  ask("hostile", 50);
  await clock.advance(0);
  expect(ended()).toBe(50);
  waiting.stop();
  await clock.advance(0);
  expect(ended()).toBe(100);
});
