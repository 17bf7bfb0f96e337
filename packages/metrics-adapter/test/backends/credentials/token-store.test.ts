import { minuteMs } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import {
  createTokenStore,
  type Token,
  type TokenStore,
} from "../../../src/backends/credentials/token-store.ts";
import { type TestClock, testClock } from "./clock.ts";

interface Rig {
  readonly clock: TestClock;
  readonly store: TokenStore;
  /** How often a token was asked for. */
  readonly asked: () => number;
}

/** Tokens t1, t2, … of ten minutes, unless `next` says otherwise. */
function rig(next: (count: number, clock: TestClock) => Promise<Token> | undefined = () => undefined): Rig {
  const clock = testClock();
  let count = 0;
  const fetchToken = (): Promise<Token> => {
    count += 1;
    const usual = { value: `t${count}`, expiresAtMs: clock.nowMs() + 10 * minuteMs };
    return next(count, clock) ?? Promise.resolve(usual);
  };
  return { clock, store: createTokenStore({ fetchToken, clock }), asked: () => count };
}

test("requests that come together wait for one fetch, and keep its token", async () => {
  const { store, asked, clock } = rig();
  expect(await Promise.all([store.current(), store.current(), store.current()])).toEqual(["t1", "t1", "t1"]);
  clock.advance(7 * minuteMs);
  expect(await store.current()).toBe("t1");
  expect(asked()).toBe(1);
  expect(clock.timers).toBe(0);
});

test("a token is renewed in the background before it ends", async () => {
  const { store, asked, clock } = rig();
  await store.current();
  clock.advance(8 * minuteMs);
  expect(await store.current()).toBe("t1");
  expect(asked()).toBe(2);
  await expect.poll(() => store.current(), { interval: 1 }).toBe("t2");
  expect(asked()).toBe(2);
});

test("a token is not used in its last seconds", async () => {
  const { store, clock } = rig();
  await store.current();
  clock.advance(10 * minuteMs - 10_000);
  expect(await store.current()).toBe("t2");
});

test("a token whose end is not a number is fetched no more often than one without an end", async () => {
  const { store, asked, clock } = rig((count) =>
    Promise.resolve({ value: `t${count}`, expiresAtMs: Number.NaN }),
  );
  for (let count = 0; count < 20; count += 1) expect(await store.current()).toBe("t1");
  expect(asked()).toBe(1);
  clock.advance(5 * minuteMs);
  expect(await store.current()).toBe("t2");
});

test.each([
  ["has no end", undefined],
  ["ends in five minutes", 5 * minuteMs],
])("a token that %s is fetched again after five minutes", async (_what, lifetimeMs) => {
  const { store, clock } = rig((count, { nowMs }) =>
    Promise.resolve({
      value: `t${count}`,
      expiresAtMs: lifetimeMs === undefined ? undefined : nowMs() + lifetimeMs,
    }),
  );
  await store.current();
  clock.advance(5 * minuteMs);
  expect(await store.current()).toBe("t2");
});

test.each([1, -1e300, 0])(
  "a token that ended at %d, as one of two clocks says, is used until it may be fetched again",
  async (expiresAtMs) => {
    const { store, asked, clock } = rig((count) => Promise.resolve({ value: `t${count}`, expiresAtMs }));
    for (let count = 0; count < 20; count += 1) expect(await store.current()).toBe("t1");
    expect(asked()).toBe(1);
    clock.advance(5_000);
    expect(await store.current()).toBe("t2");
  },
);

test("a token that is said to last for ever is fetched again after a day", async () => {
  const { store, clock } = rig((count) =>
    Promise.resolve({ value: `t${count}`, expiresAtMs: Number.POSITIVE_INFINITY }),
  );
  await store.current();
  clock.advance(24 * 60 * minuteMs);
  expect(await store.current()).toBe("t2");
});

test("after a failure the next attempt is five seconds later, and says the reason until then", async () => {
  const { store, asked, clock } = rig((count) =>
    count === 1 ? Promise.reject(new Error("no connection")) : undefined,
  );
  await expect(store.current()).rejects.toThrow("no connection");
  clock.advance(4_999);
  await expect(store.current()).rejects.toThrow("no connection");
  expect(asked()).toBe(1);
  clock.advance(1);
  expect(await store.current()).toBe("t2");
});

test("a token that cannot be renewed is used until it ends", async () => {
  const { store, asked, clock } = rig((count) =>
    count === 1 ? undefined : Promise.reject(new Error("down")),
  );
  await store.current();
  clock.advance(9 * minuteMs);
  for (let count = 0; count < 20; count += 1) {
    expect(await store.current()).toBe("t1");
    await Promise.resolve();
  }
  expect(asked()).toBe(2);
  clock.advance(minuteMs);
  await expect(store.current()).rejects.toThrow("down");
});

test("a fetch has ten seconds", async () => {
  const { store, clock } = rig((count) => (count === 1 ? new Promise(() => {}) : undefined));
  const waiting = store.current();
  clock.advance(10_000);
  await expect(waiting).rejects.toThrow("no token within 10000 ms");
  clock.advance(5_000);
  expect(await store.current()).toBe("t2");
});

test("a fetch whose time is over is aborted, and one that came in time is not", async () => {
  const clock = testClock();
  const signals: AbortSignal[] = [];
  const store = createTokenStore({
    fetchToken: (signal) => {
      signals.push(signal);
      const token = { value: "t", expiresAtMs: undefined };
      return signals.length === 1 ? new Promise<Token>(() => {}) : Promise.resolve(token);
    },
    clock,
  });
  const waiting = store.current();
  clock.advance(10_000);
  await expect(waiting).rejects.toThrow("no token within");
  clock.advance(5_000);
  await store.current();
  clock.advance(10_000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test("a refused token is replaced, but not one that has just been fetched", async () => {
  const { store, clock } = rig();
  await store.current();
  expect(store.refused("t1")).toBe(false);
  expect(await store.current()).toBe("t1");
  clock.advance(5_000);
  expect(store.refused("t1")).toBe(true);
  expect(await store.current()).toBe("t2");
  // Another request had the old one.
  expect(store.refused("t1")).toBe(true);
  expect(await store.current()).toBe("t2");
});

test("a clock that is set back ends the waiting after a failure", async () => {
  const { store, clock } = rig((count) => (count === 1 ? Promise.reject(new Error("down")) : undefined));
  await expect(store.current()).rejects.toThrow("down");
  clock.set(0);
  expect(await store.current()).toBe("t2");
});

test.each(["", "two words", "line\nfeed", "ü"])("refuses the token %j", async (value) => {
  const { store } = rig(() => Promise.resolve({ value, expiresAtMs: undefined }));
  await expect(store.current()).rejects.toThrow("the token is empty, or can't be sent in a header");
});
