import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createResponseBudgets } from "../../../../src/backends/prometheus/query/response-budgets.ts";

const mib = 1024 * 1024;

function setUp() {
  const clock = manualClock(0);
  // The wall clock is set back all the time.
  const set = { ...clock, nowMs: () => -clock.nowMs(), steadyMs: clock.nowMs };
  const budgets = createResponseBudgets(set, { namespaceBytes: 10 * mib, allBytes: 20 * mib });
  const givenUp: string[] = [];
  const enter = (namespace: string, name: string) => {
    const share = budgets.of(namespace).memory?.enter((why) => givenUp.push(`${name}: ${why ?? ""}`));
    if (share === undefined) throw new Error("no share");
    return share;
  };
  return { budgets, clock, givenUp, enter };
}

test("the largest response of a namespace is given up when its responses take too much together", () => {
  const { givenUp, enter } = setUp();
  const [small, large, other] = [enter("a", "small"), enter("a", "large"), enter("b", "other")];
  other.grow(9 * mib);
  small.grow(3 * mib);
  large.grow(7 * mib);
  expect(givenUp).toEqual([]);
  small.grow(1);
  expect(givenUp).toEqual([
    expect.stringMatching(/^large: large responses for namespace a exceed 10 MiB together: /),
  ]);
  // What it had is free.
  small.grow(6 * mib);
  expect(givenUp).toHaveLength(1);
});

test("of all namespaces the one that takes the most gives up a response, not the one whose response came last", () => {
  const { givenUp, enter } = setUp();
  const hostile = Array.from({ length: 3 }, (_, at) => enter("hostile", `hostile ${String(at)}`));
  for (const one of hostile) one.grow(3 * mib);
  const [a, b] = [enter("a", "a"), enter("b", "b")];
  a.grow(6 * mib);
  b.grow(5 * mib);
  expect(givenUp).toEqual([]);
  b.grow(1);
  expect(givenUp).toEqual([expect.stringMatching(/^hostile 0: .* together, mostly for namespace hostile: /)]);
});

test("a response that has ended counts no more, and neither does one that was given up", () => {
  const { givenUp, enter } = setUp();
  for (let turn = 0; turn < 100; turn += 1) {
    const share = enter("a", "one");
    share.grow(9 * mib);
    share.leave();
    share.grow(9 * mib);
  }
  expect(givenUp).toEqual([]);
});

test("a response may have what its namespace has, or less", () => {
  const { budgets } = setUp();
  expect(budgets.of("a")).toMatchObject({ namespace: "a", maxBytes: 10 * mib });
  expect(budgets.of("a", mib).maxBytes).toBe(mib);
  expect(budgets.of("a", 100 * mib).maxBytes).toBe(10 * mib);
});

test("a namespace has four of its responses read at a time, and the next one when one of them ends, is given up, or is slow", async () => {
  const { clock, enter } = setUp();
  const started: string[] = [];
  const begin = (namespace: string, name: string) => {
    const share = enter(namespace, name);
    if (share.turn === undefined) started.push(name);
    else void share.turn.then(() => started.push(name));
    return share;
  };
  const [one, two, , , five] = ["1", "2", "3", "4", "5", "6", "7", "8"].map((name) => begin("a", name));
  begin("b", "other");
  expect(started).toEqual(["1", "2", "3", "4", "other"]);
  one?.leave();
  one?.leave();
  await Promise.resolve();
  expect(started.at(-1)).toBe("5");
  two?.grow(11 * mib);
  two?.leave();
  await Promise.resolve();
  expect(started.at(-1)).toBe("6");
  five?.leave();
  await Promise.resolve();
  expect(started.slice(5)).toEqual(["5", "6", "7"]);
  // 3, 4, 6 and 7 do not end, and nothing else begins or ends.
  await clock.advance(4_999);
  expect(started).toHaveLength(8);
  await clock.advance(1);
  expect(started.slice(8)).toEqual(["8"]);
  begin("a", "9");
  expect(started.slice(9)).toEqual(["9"]);
  expect(clock.pendingTimers).toBe(0);
});
