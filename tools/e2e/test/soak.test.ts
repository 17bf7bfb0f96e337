import { minuteMs } from "@plimsoll/core/internal/values";
import { describe, expect, test } from "vitest";
import { type Action, createChurn } from "../soak/churn.ts";
import { disruptionKinds, planDisruptions } from "../soak/disruptions.ts";
import { readScrape } from "../soak/exposition.ts";
import { bounds, growthOf, growthOfCollections, type Sample } from "../soak/growth.ts";
import type { Collection } from "../soak/inspector.ts";
import { createPeriodCheck, createWriteCheck, remainsOf } from "../soak/invariants.ts";
import { readOptions } from "../soak/options.ts";
import { createRandom } from "../soak/random.ts";
import { outcomeOf, type SoakRecord, summaryLines } from "../soak/report.ts";

const level: Sample = {
  atMs: 0,
  lookMs: 0,
  heapMiB: 50,
  rssMiB: 100,
  handles: 60,
  timers: 20,
  series: 800,
  labelValues: 150,
  pods: 100,
  collections: [],
};

/** One a minute; each figure swings around its value as it does in life. */
function samples(count: number, change: (minute: number) => Partial<Sample> = () => ({})): readonly Sample[] {
  return Array.from({ length: count }, (_, minute) => ({
    ...level,
    atMs: minute * minuteMs,
    heapMiB: level.heapMiB + (minute % 2),
    ...change(minute),
  }));
}

const collection = (id: number, size: number): Collection => ({ id, size, sample: `key-${size}` });

describe("growth", () => {
  const tooMuch = (all: readonly Sample[]) =>
    growthOf(all)
      .filter(({ isTooMuch }) => isTooMuch)
      .map(({ what }) => what);

  test("a level life is fine", () => {
    expect(growthOf(samples(20)).map(({ what }) => what)).toEqual(bounds.map(({ what }) => what));
    expect(tooMuch(samples(20))).toEqual([]);
  });

  test.each(["heapMiB", "handles", "timers", "series", "labelValues"] as const)(
    "%s that grows past its bound is found, and below it is not",
    (what) => {
      const bound = bounds.find((one) => one.what === what);
      const allowed = Math.max(bound?.absolute ?? 0, (bound?.share ?? 0) * level[what] * 2);
      const growing = (by: number) => samples(20, (minute) => ({ [what]: level[what] + (by * minute) / 19 }));
      expect(tooMuch(growing(1.2 * allowed))).toEqual([what]);
      expect(tooMuch(growing(0.2 * allowed))).toEqual([]);
    },
  );

  test("records of all collections together are found to grow", () => {
    const growing = samples(20, (minute) => ({ collections: [collection(minute, 1000 + 200 * minute)] }));
    const rows = growthOfCollections(growing, 0).filter(({ isTooMuch }) => isTooMuch);
    expect(rows.map(({ what }) => what)).toEqual(["records"]);
  });

  test("single outliers are no growth", () => {
    expect(tooMuch(samples(20, (minute) => (minute === 19 ? { heapMiB: 500, handles: 900 } : {})))).toEqual(
      [],
    );
  });

  test("too few samples are not checked", () => {
    expect(growthOf(samples(3))).toEqual([]);
  });

  describe("of one collection", () => {
    const found = (count: number, sizeAt: (minute: number) => number, created = 100) =>
      growthOfCollections(
        samples(count, (minute) => ({ collections: [collection(1, 5000), collection(2, sizeAt(minute))] })),
        created,
      )
        .map(({ what }) => what)
        .filter((what) => what !== "records");

    test("that grows with the objects created is found among others", () => {
      expect(found(24, (minute) => 50 + 30 * minute)).toEqual(['a collection with "key-740"']);
      expect(found(24, (minute) => 50 + 30 * minute, 2000)).toEqual([]);
    });

    test("that is emptied every ten minutes is a cache", () => {
      expect(found(30, (minute) => 50 + 60 * (minute % 10) + 5 * minute)).toEqual([]);
    });

    test("that has not been watched for long may be a cache", () => {
      expect(found(15, (minute) => 50 + 30 * minute)).toEqual([]);
    });
  });
});

describe("writes", () => {
  const write = { target: "t", replicas: 3, writer: "a", leader: "a", atMs: 10_000 };
  const claimant = { name: "hpa-1", minReplicas: 2, maxReplicas: 5 };
  const checkOf = (...claims: readonly (readonly (typeof claimant)[])[]) => {
    const check = createWriteCheck(4000);
    for (const [index, claimants] of claims.entries()) check.claimed("t", claimants, index * 1000);
    return check;
  };

  test("the leader's, within the limits, is fine", () => {
    expect(checkOf([claimant]).written(write)).toEqual([]);
  });

  test.each([
    ["of another process", { writer: "b" }, "b wrote 3 replicas of t; the leader is a"],
    ["of a client that nothing is known of", { writer: undefined }, "an unknown client wrote"],
    ["while there is no leader", { leader: undefined }, "the leader is unknown"],
    ["below the minimum", { replicas: 1 }, "1 replicas of t are outside of hpa-1 2 to 5"],
    ["above the maximum", { replicas: 6 }, "6 replicas of t are outside of hpa-1 2 to 5"],
  ])("one %s is found", (_, change, finding) => {
    expect(
      checkOf([claimant])
        .written({ ...write, ...change })
        .join(),
    ).toContain(finding);
  });

  test("one to a target that several objects scale is found", () => {
    const [finding] = checkOf([claimant, { ...claimant, name: "wla-2" }]).written(write);
    expect(finding).toBe("3 replicas of t were written, which several objects scale: hpa-1, wla-2");
  });

  test("one to a target that no object scales is found", () => {
    expect(checkOf([claimant], []).written(write)).toEqual([
      "3 replicas of t were written, which no object scales",
    ]);
  });

  test("what was so a moment ago still counts, and what was long before does not", () => {
    const edited = checkOf([{ ...claimant, maxReplicas: 9 }], [claimant]);
    expect(edited.written({ ...write, replicas: 8, atMs: 4000 })).toEqual([]);
    expect(edited.written({ ...write, replicas: 8, atMs: 6000 })).toHaveLength(1);
  });
});

describe("periods", () => {
  test("an object that is not evaluated in time is found, and how long it took", () => {
    const check = createPeriodCheck();
    check.born("hpa-1", 0, 6000);
    check.happened("hpa-1", 5000);
    expect(check.look(10_000)).toEqual([]);
    expect(check.look(12_000)).toEqual([{ name: "hpa-1", tookMs: 7000, maxMs: 6000, isOver: false }]);
    expect(check.look(13_000)).toEqual([]);
    check.happened("hpa-1", 14_000);
    expect(check.look(14_000)).toEqual([{ name: "hpa-1", tookMs: 9000, maxMs: 6000, isOver: true }]);
    expect(check.takeMaxMs()).toBe(9000);
  });

  test("one that is never evaluated is found", () => {
    const check = createPeriodCheck();
    check.born("hpa-1", 0, 6000);
    expect(check.look(6001).map(({ name }) => name)).toEqual(["hpa-1"]);
  });

  test("one that was late between two looks is found", () => {
    const check = createPeriodCheck();
    check.born("hpa-1", 0, 6000);
    check.happened("hpa-1", 9000);
    expect(check.look(9001).map(({ tookMs }) => tookMs)).toEqual([9000]);
  });

  test("an excused time does not count, with an end or without one as yet", () => {
    const check = createPeriodCheck();
    check.born("hpa-1", 0, 6000);
    check.excuse(1000, 4000);
    const end = check.excuse(8000);
    expect(check.look(20_000)).toEqual([]);
    end(9000);
    expect(check.look(10_000)).toEqual([]);
    expect(check.excusedMs(3000, 8500)).toBe(1500);
    expect(check.look(10_001)).toHaveLength(1);
  });

  test("one that is gone is not waited for", () => {
    const check = createPeriodCheck();
    check.born("hpa-1", 0, 6000);
    check.gone("hpa-1");
    expect(check.look(100_000)).toEqual([]);
  });
});

describe("/metrics", () => {
  const scrape = readScrape(`# HELP x y
plimsoll_horizontalpodautoscaler_info{namespace="soak",horizontalpodautoscaler="wla-2",scaletargetref_name="hpa-1"} 1
plimsoll_horizontalpodautoscaler_last_decision_timestamp_seconds{horizontalpodautoscaler="wla-2",note="a \\"b\\""} 12.5
plimsoll_crashed_timers_total 0
plimsoll_hpa_controller_crashed_evaluations_total{kind="x"} 2
`);

  test("series, label values, decisions and crashes are read", () => {
    expect(scrape.series).toBe(4);
    expect([...scrape.labelValues]).toEqual(["soak", "wla-2", "hpa-1", 'a \\"b\\"', "x"]);
    expect([...scrape.decidedAt]).toEqual([["wla-2", 12.5]]);
    expect([...scrape.crashes]).toEqual([
      ["plimsoll_crashed_timers_total", 0],
      ["plimsoll_hpa_controller_crashed_evaluations_total", 2],
    ]);
  });

  test("what is left of a deleted object is found after the grace", () => {
    const deleted = new Map([
      ["wla-2", 1000],
      ["hpa-1", 1000],
    ]);
    expect(remainsOf(deleted, scrape.owners, { nowMs: 9000, graceMs: 7000 })).toEqual(["wla-2"]);
    expect(remainsOf(deleted, scrape.owners, { nowMs: 7000, graceMs: 7000 })).toEqual([]);
  });
});

describe("actions", () => {
  const actions = (seed: number): readonly Action[] => {
    const churn = createChurn(createRandom(seed));
    return [...churn.fill(), ...Array.from({ length: 500 }, () => churn.next())];
  };

  test("a seed determines them", () => {
    expect(actions(7)).toEqual(actions(7));
    expect(actions(7)).not.toEqual(actions(8));
  });

  test("objects come and go, and their number stays", () => {
    const all = actions(7);
    const count = (type: Action["type"]) => all.filter((one) => one.type === type).length;
    expect(count("delete")).toBeGreaterThan(50);
    expect(count("create") - count("delete")).toBeLessThan(45);
    expect(new Set(all.map(({ type }) => type)).size).toBe(7);
  });

  test("every disruption comes, and restarts only in the first part", () => {
    const plan = planDisruptions(30 * minuteMs, createRandom(7));
    expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(disruptionKinds));
    const restarts = plan.filter(({ kind }) => kind === "kill-leader" || kind === "stop-leader");
    expect(Math.max(...restarts.map(({ atMs }) => atMs))).toBeLessThan(12 * minuteMs);
  });
});

describe("the report", () => {
  const record: SoakRecord = {
    seed: 7,
    durationMs: 20 * minuteMs,
    events: [],
    findings: [],
    lives: [{ process: "adapter", isLeader: false, samples: [...samples(20)] }],
  };

  test("without findings there is nothing red", () => {
    expect(outcomeOf(record).findings).toEqual([]);
  });

  test("growth and findings are red, and have their rows", () => {
    const grown = [...samples(20, (minute) => ({ heapMiB: 50 + 4 * minute }))];
    const bad: SoakRecord = {
      ...record,
      findings: [{ atMs: 1, finding: "autoscaler-1 ended by itself" }],
      lives: [{ process: "adapter", isLeader: false, samples: grown }],
    };
    const outcome = outcomeOf(bad);
    expect(outcome.findings).toEqual([
      "autoscaler-1 ended by itself",
      expect.stringMatching(/^adapter: heapMiB grew by 44\.0 \(240 an hour\), at most 26\.\d$/),
    ]);
    expect(summaryLines(bad, outcome).filter((line) => line.includes("GROWS"))).toHaveLength(1);
  });

  test("a soak in which nothing could be checked is red", () => {
    expect(outcomeOf({ ...record, lives: [] }).findings).toEqual(["too few samples: no growth was checked"]);
  });
});

test("flags", () => {
  expect(readOptions(["--hours", "2", "--seed", "5"])).toMatchObject({ durationMs: 120 * minuteMs, seed: 5 });
  expect(readOptions(["--minutes", "3"]).durationMs).toBe(3 * minuteMs);
  expect(readOptions([]).durationMs).toBe(30 * minuteMs);
  expect(() => readOptions(["--minutes", "soon"])).toThrow("--minutes: soon is not a number");
});
