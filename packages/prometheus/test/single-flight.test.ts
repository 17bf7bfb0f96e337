import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createSingleFlight } from "../src/index.ts";

interface Work {
  readonly run: (signal: AbortSignal) => Promise<string>;
  readonly finish: (value: string) => void;
  readonly signals: AbortSignal[];
}

function work(): Work {
  const signals: AbortSignal[] = [];
  let finish: (value: string) => void = () => undefined;
  const done = new Promise<string>((resolve) => {
    finish = resolve;
  });
  return {
    signals,
    finish: (value) => finish(value),
    run: async (signal) => {
      signals.push(signal);
      return await done;
    },
  };
}

test("callers of one key share one run; later callers start another", async () => {
  const flights = createSingleFlight<string>();
  const first = work();
  const results = [
    flights.run("k", first.run),
    flights.run("k", first.run),
    flights.run("other", async () => "o"),
  ];
  first.finish("v");
  expect(await Promise.all(results)).toEqual(["v", "v", "o"]);
  expect(first.signals).toHaveLength(1);
  expect(await flights.run("k", async () => "again")).toBe("again");
  expect(flights.size).toBe(0);
});

test("a caller that aborts leaves alone; the work ends with the last one", async () => {
  const flights = createSingleFlight<string>();
  const shared = work();
  const one = new AbortController();
  const two = new AbortController();
  const first = flights.run("k", shared.run, one.signal);
  const second = flights.run("k", shared.run, two.signal);
  one.abort(new Error("first left"));
  await expect(first).rejects.toThrow("first left");
  expect(shared.signals[0]?.aborted).toBe(false);
  two.abort(new Error("second left"));
  await expect(second).rejects.toThrow("second left");
  expect(shared.signals[0]?.aborted).toBe(true);
  expect(flights.size).toBe(0);
});

test("a failure reaches every caller and is not kept", async () => {
  const flights = createSingleFlight<string>();
  const fail = async (): Promise<string> => {
    throw new Error("no");
  };
  const both = [flights.run("k", fail), flights.run("k", fail)];
  for (const result of await Promise.allSettled(both)) expect(result.status).toBe("rejected");
  expect(await flights.run("k", async () => "yes")).toBe("yes");
});

test("work that aborts itself ends for all its callers", async () => {
  const flights = createSingleFlight<string>();
  let abortAll: (reason: unknown) => void = () => undefined;
  const work = (signal: AbortSignal, abort: (reason: unknown) => void): Promise<string> => {
    abortAll = abort;
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  };
  const callers = Promise.allSettled([flights.run("a", work), flights.run("a", work)]);
  abortAll(new Error("gave way"));
  expect(await callers).toMatchObject([
    { status: "rejected", reason: { message: "gave way" } },
    { status: "rejected", reason: { message: "gave way" } },
  ]);
  expect(flights.size).toBe(0);
});

test("a caller that leaves work that goes on leaves nothing behind", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const flights = createSingleFlight<string>();
  let end = (_value: string): void => {};
  const work = () =>
    new Promise<string>((resolve) => {
      end = resolve;
    });
  const stays = flights.run("a", work, new AbortController().signal);
  const left: WeakRef<object>[] = [];
  for (let i = 0; i < 1_000; i += 1) {
    const caller = new AbortController();
    const run = flights.run("a", work, caller.signal).catch((error: unknown) => error);
    caller.abort(new Error("left"));
    left.push(new WeakRef((await run) as Error));
  }
  // A WeakRef holds its target until the turn ends.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  collect();
  expect(left.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(10);
  end("there");
  expect(await stays).toBe("there");
});
