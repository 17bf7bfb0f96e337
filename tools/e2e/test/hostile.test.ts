// What `npm run task -- hostile` is made of. The task itself measures times, so it takes minutes and needs an idle machine.
import { expect, test } from "vitest";
import { keptCases } from "../hostile/attack.ts";
import { kinds } from "../hostile/carry-out.ts";
import { limitsFrom, type Seen, violations } from "../hostile/checks.ts";
import { expand, maxBytes, TooLarge } from "../hostile/expand.ts";
import { randomAttack } from "../hostile/grammar/attacks.ts";
import { groupsOf, runGroup } from "../hostile/groups.ts";
import { readOptions } from "../hostile/options.ts";

test.each(keptCases())("the kept case $name says what it is about, and does something", ({ what, steps }) => {
  expect(what).toMatch(/^\S.+\S$/);
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.filter((step) => Object.keys(step).length === 0)).toEqual([]);
  const written = steps.flatMap(({ write }) =>
    write === undefined ? [] : [expand(write.object, { n: 0, e: 0 }) as { readonly kind: string }],
  );
  expect(written.map(({ kind }) => kind).filter((kind) => kinds[kind] === undefined)).toEqual([]);
});

test.each([
  { template: { $repeat: "x{n}", times: 3, join: "-" }, text: "x7-x7-x7" },
  { template: { $repeat: "x{i:2}", times: 3, join: "-" }, text: "x00-x01-x02" },
  { template: { $repeat: "{n}{i}", times: 2 }, text: "7071" },
  { template: { $repeat: "x", times: 1, join: "-" }, text: "x" },
  { template: { $repeat: "x", times: 0, join: "-" }, text: "" },
])("a template that repeats a text: $text", ({ template, text }) => {
  expect(expand(template, { n: 7 })).toBe(text);
});

test.each(["x", "{i}"])("%s repeated to more than an API server takes is refused", ($repeat) => {
  expect(() => expand({ $repeat, times: 2 * maxBytes + 1 })).toThrow(TooLarge);
});

test("a seed determines the random cases", () => {
  const cases = (seed: number) => [0, 1, 2].map((n) => randomAttack(seed, n));
  expect(cases(7)).toEqual(cases(7));
  expect(cases(7)).not.toEqual(cases(8));
});

const calm: Seen = {
  requests: 10,
  p50Ms: 10,
  p99Ms: 20,
  queries: 10,
  queriesP99Ms: 5,
  liveAgeMs: 1500,
  livezMs: { adapter: 5, autoscaler: 5 },
  gapsMs: { victim: 2000 },
  lastAtMs: {},
  stallMs: 0,
  ownStallMs: 0,
  problems: [],
  cronGapMs: 5000,
  rssMb: { adapter: 100, autoscaler: 100 },
  cpuSeconds: {},
  unreadable: [],
  ended: [],
};

test("what the victim sees without a hostile tenant is within the limits", () => {
  expect(violations(calm, limitsFrom(calm))).toEqual([]);
});

test.each<[string, Partial<Seen>, string]>([
  ["no response", { requests: 0 }, "no request of the victim was answered"],
  ["slow responses", { p99Ms: 60_000 }, "p99 of the victim's requests: 60000 ms"],
  ["old live values", { liveAgeMs: 60_000 }, "age of the victim's live values: 60000 ms"],
  ["a slow probe", { livezMs: { adapter: 60_000 } }, "/livez of adapter: 60000 ms"],
  ["a late evaluation", { gapsMs: { victim: 60_000 } }, "time between evaluations of victim: 60000 ms"],
  ["a late job", { cronGapMs: 600_000 }, "time between runs of the victim's cron jobs: 600000 ms"],
  ["much memory", { rssMb: { adapter: 900 } }, "memory of adapter: 900 MB"],
  ["the memory of a second process", { rssMb: { "autoscaler 2": 900 } }, "memory of autoscaler 2: 900 MB"],
  ["the end of a process", { ended: ["adapter"] }, "adapter ended"],
  ["a wrong response", { problems: ["a value of another"] }, "a value of another"],
])("%s is found, and nothing else", (_, change, message) => {
  const found = violations({ ...calm, ...change }, limitsFrom(calm));
  expect(found).toEqual([expect.stringContaining(message)]);
});

test("time in which the probe itself did not run is not charged to the processes", () => {
  const slow = { ...calm, p99Ms: 60_000, livezMs: { adapter: 60_000 }, gapsMs: { victim: 60_000 } };
  expect(violations({ ...slow, stallMs: 60_000 }, limitsFrom(calm))).toEqual([]);
});

test("kept cases run in groups, and each alone when something does not hold in its group", async () => {
  const attacks = ["a", "b", "c", "d", "e"].map((name) => ({ name, what: name, steps: [] }));
  const groups = groupsOf(attacks, 2);
  expect(groups.map((group) => group.map(({ name }) => name))).toEqual([["a", "d"], ["b", "e"], ["c"]]);
  const shown: string[] = [];
  const runs = groups.map((group) =>
    runGroup(
      group,
      async (name, { length }) => ({
        name,
        seen: "",
        violations: name.includes("e") && (length > 1 || name === "e") ? ["late"] : [],
      }),
      ({ name }) => void shown.push(name),
    ),
  );
  const outcomes = (await Promise.all(runs)).flat();
  expect(outcomes.map(({ name, violations }) => `${name} ${violations.length}`)).toEqual([
    "a 0",
    "d 0",
    "b 0",
    "e 1",
    "c 0",
  ]);
  expect(shown.toSorted()).toEqual(["a + d", "b", "b + e", "c", "e"]);
});

test("flags", () => {
  expect(readOptions(["--seed", "7", "--minutes", "2", "--only", "kept", "--every", "3"])).toEqual({
    seed: 7,
    minutes: 2,
    caseFiles: [],
    only: "kept",
    every: 3,
    together: 4,
    prometheus: ["2", "3"],
  });
  expect(() => readOptions(["--minutes", "soon"])).toThrow("--minutes: soon is not a number");
  expect(() => readOptions(["--prometheus", "4"])).toThrow("--prometheus: 4 is neither 2, 3 nor both");
  expect(() => readOptions(["--only", "some"])).toThrow("--only: some is neither kept nor random");
});
