// When the console looks for an autoscaler, and when it gives one up: counted, on a clock of the test.
import { ApiError, ConnectionError } from "@plimsoll/kube";
import { describe, expect, test } from "vitest";
import { createDecisionsNow, type Looked } from "../../src/commands/console/data/decisions-now.ts";
import type { DecisionData } from "../../src/commands/console/data/source.ts";
import type { RecordedSource } from "../../src/decisions/source.ts";

const unused = () => Promise.reject(new Error("not read"));
const unread = { rows: unused, decisions: unused, record: unused, shadow: unused };

function dataOf(source: DecisionData["source"], via: string, more: Partial<DecisionData> = {}): DecisionData {
  const part = { ok: true } as const;
  return { source, via, records: part, shadowPart: part, ...unread, ...more };
}

function setUp(first: "found" | "missing", { isFixed = false } = {}) {
  const world = {
    nowMs: 0,
    looks: 0,
    probes: 0,
    closed: 0,
    isThere: first === "found",
    summary: (): Promise<unknown> => Promise.resolve({}),
    problem: undefined as string | undefined,
    changes: [] as string[],
  };
  const found = (): Looked =>
    world.isThere
      ? {
          ok: true,
          recorded: {
            data: dataOf("recorded", "port-forward", {
              shadow: () => world.summary() as never,
              subscribe: () => Promise.resolve(oneEvent()),
            }),
            source: { kind: "recorded" } as RecordedSource,
            probe() {
              world.probes++;
              return Promise.resolve(world.problem);
            },
            close() {
              world.closed++;
              return Promise.resolve();
            },
          },
        }
      : { ok: false, reason: "no lease" };
  const now = createDecisionsNow(found(), {
    clock: { nowMs: () => world.nowMs, after: () => () => undefined },
    look() {
      world.looks++;
      return Promise.resolve(found());
    },
    recompute: (reason) => dataOf("recomputed", reason),
    isFixed,
    onChange: (text) => world.changes.push(text),
  });
  const sourceAt = async (seconds: number) => {
    world.nowMs = seconds * 1_000;
    return (await now.data()).source;
  };
  return { world, now, sourceAt };
}

async function* oneEvent(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(new Uint8Array(1));
}

const gone = (): Promise<never> => Promise.reject(new ConnectionError("refused", "nothing listens there"));

/** A request of a page that fails. */
async function failed(data: Promise<DecisionData>): Promise<void> {
  await expect((await data).shadow()).rejects.toThrow(/nothing listens there|no/);
}

describe("without an autoscaler", () => {
  test("it is looked for while pages ask, ever less often, and at least every 30 s", async () => {
    const { world, sourceAt } = setUp("missing");
    const at: number[] = [];
    for (let second = 0; second <= 200; second++) {
      const before = world.looks;
      expect(await sourceAt(second)).toBe("recomputed");
      if (world.looks > before) at.push(second);
    }
    expect(at).toEqual([2, 6, 14, 30, 60, 90, 120, 150, 180]);
    await sourceAt(100_000);
    expect(world.looks).toBe(at.length + 1);
  });

  test("one that appears is shown with the next look, and said once", async () => {
    const { world, now, sourceAt } = setUp("missing");
    world.isThere = true;
    expect(await sourceAt(1)).toBe("recomputed");
    expect(now.recorded()).toBeUndefined();
    expect(await sourceAt(2)).toBe("recorded");
    expect(now.recorded()).toBeDefined();
    await sourceAt(3);
    expect(world.changes).toEqual(["an autoscaler answers: its decisions are shown from now on"]);
    expect(world.looks).toBe(1);
  });

  test("where a way is named, nothing is looked for", async () => {
    const { world, sourceAt } = setUp("missing", { isFixed: true });
    world.isThere = true;
    expect(await sourceAt(1_000)).toBe("recomputed");
    expect(world.looks).toBe(0);
  });
});

describe("an autoscaler", () => {
  test("is given up once it has failed for 15 s, and found again", async () => {
    const { world, now, sourceAt } = setUp("found");
    world.summary = gone;
    world.problem = "nothing listens there";
    world.isThere = false;
    for (const second of [1, 5, 10, 14]) {
      expect(await sourceAt(second)).toBe("recorded");
      await failed(now.data());
    }
    await sourceAt(20);
    expect(await sourceAt(21)).toBe("recomputed");
    expect((await now.data()).via).toBe("nothing listens there");
    expect(world.closed).toBe(1);
    expect(now.recorded()).toBeUndefined();
    world.isThere = true;
    expect(await sourceAt(23)).toBe("recorded");
  });

  test("stays where the next probe is answered: another process has the lease", async () => {
    const { world, now, sourceAt } = setUp("found");
    world.summary = gone;
    await failed(now.data());
    for (const second of [1, 7, 60]) expect(await sourceAt(second)).toBe("recorded");
    expect(world.closed).toBe(0);
    expect(world.changes).toEqual([]);
  });

  test("that refuses answers", async () => {
    const { world, now, sourceAt } = setUp("found");
    world.summary = () => Promise.reject(new ApiError({ code: 403, reason: "Forbidden", message: "no" }));
    for (let second = 0; second < 100; second++) {
      world.nowMs = second * 1_000;
      await failed(now.data());
    }
    expect(await sourceAt(100)).toBe("recorded");
    expect(world.probes).toBe(0);
  });

  test("is asked nothing while its stream is heard, and probed when it ends or is silent for 30 s", async () => {
    const { world, now, sourceAt } = setUp("found");
    const data = await now.data();
    const signal = new AbortController().signal;
    const parts = (await data.subscribe?.({ signal }))?.[Symbol.asyncIterator]();
    world.nowMs = 29_000;
    await parts?.next();
    await sourceAt(58);
    expect(world.probes).toBe(0);
    await parts?.next();
    await sourceAt(59);
    expect(world.probes).toBe(1);
    await sourceAt(88);
    expect(world.probes).toBe(1);
    await sourceAt(90);
    expect(world.probes).toBe(2);
  });
});
