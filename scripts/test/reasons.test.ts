import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../source/files.ts";
import { parseSource } from "../source/parse.ts";
import { eventsOf, reasonWords } from "../source/reasons.ts";

const page = readFileSync(join(root, "docs/events.md"), "utf8");
const [, eventsText = "", conditionsText = ""] = page.split(/^## (?:Events|Conditions)$/m);

/** A row can have several reasons of one meaning. */
const reasonsIn = (cell: string): readonly string[] => cell.replaceAll("`", "").split(", ");

const events = [...eventsText.matchAll(/^\| (`[\w`, ]+`) \| (Normal|Warning) \|/gm)].flatMap(
  ([, cell = "", type = ""]) => reasonsIn(cell).map((reason) => ({ reason, type })),
);
const conditions = [
  ...conditionsText.matchAll(/^\| `(\w+)` \| (True|False|Unknown) \| (`[\w`, ]+`) \|/gm),
].flatMap(([, type = "", status = "", cell = ""]) =>
  reasonsIn(cell).map((reason) => ({ type, status, reason })),
);
const states = [...conditionsText.matchAll(/^\| `(\w+)` \| (?!True|False|Unknown)/gm)].map(
  ([, state = ""]) => state,
);

/** All that writes events and conditions. */
const sources = globSync(
  [
    "packages/core/src/decide/{*,{behavior,metrics,combine,schedules,cronhpa,failure}/**/*}.ts",
    "packages/autoscaler/src/{app,reconcile,schedules}/**/*.ts",
    "packages/{calendars,observe}/src/**/*.ts",
  ],
  { cwd: root },
).map((path) => parseSource(path.replaceAll("\\", "/"), readFileSync(join(root, path), "utf8")));

/** What is written like a reason there and is none: values of fields, kinds, names of errors. */
const others = new Set(
  [
    "Normal Warning True False Unknown",
    "HorizontalPodAutoscaler WorkloadAutoscaler Scale Namespace",
    "Pods Object External Resource ContainerResource Value AverageValue Utilization",
    "Percent Disabled Shadow Block Ignore Assume HoldLast Within Move Keep Floor Ceiling Apply",
    "InvalidResponseError DecideInputError Invalid Backoff TooLong NeverOccurs",
  ].flatMap((line) => line.split(" ")),
);

const written = new Set(sources.flatMap((source) => [...reasonWords(source)]));

test("words and events are found where they stand", () => {
  const source = parseSource(
    "packages/core/src/x/reasons.ts",
    `const messages = { TooMany: "more than it may" };
     const event = { type: "Warning", reason: isOne ? "One" : "OtherOne", message: "Text with words" };
     warn(draft, "FailedGet", message);`,
  );
  expect([...reasonWords(source)]).toEqual(["TooMany", "Warning", "One", "OtherOne", "FailedGet"]);
  expect(eventsOf(source)).toEqual([
    { type: "Warning", reason: "One" },
    { type: "Warning", reason: "OtherOne" },
    { type: "Warning", reason: "FailedGet" },
  ]);
});

test("the page has every reason and every type that the sources write", () => {
  const listed = new Set([
    ...events.map(({ reason }) => reason),
    ...conditions.flatMap(({ type, reason }) => [type, reason]),
    ...states,
  ]);
  expect(written.size).toBeGreaterThan(80);
  expect([...written].filter((word) => !listed.has(word) && !others.has(word))).toEqual([]);
  expect([...others].filter((word) => !written.has(word))).toEqual([]);
});

test("the page has no reason, type or state that the sources do not write", () => {
  /** Reasons of Held are the names of core's steps, with a capital. */
  const isWritten = (word: string): boolean => written.has(word);
  const held = new Set(conditions.filter(({ type }) => type === "Held").map(({ reason }) => reason));
  expect(events.filter(({ reason }) => !isWritten(reason))).toEqual([]);
  expect(
    conditions.filter(({ type, reason }) => !isWritten(type) || !(isWritten(reason) || held.has(reason))),
  ).toEqual([]);
  expect(states.filter((state) => !isWritten(state))).toEqual([]);
});

test("Held has a reason for each step that can hold the replicas", () => {
  const text = sources.find(({ path }) => path.endsWith("/evaluate/held.ts"))?.text ?? "";
  const [, list = ""] = /const holding.*?\(\[([^\]]*)\]/s.exec(text) ?? [];
  const steps = [...list.matchAll(/"(\w+)"/g)].map(([, step = ""]) => step);
  expect(steps.length).toBeGreaterThan(5);
  const reasons = conditions.filter(({ type, status }) => type === "Held" && status === "True");
  expect(reasons.map(({ reason }) => reason.toLowerCase()).toSorted()).toEqual(steps.toSorted());
});

test("events have the type with which the sources record them, and stand on the page once", () => {
  const recorded = sources.flatMap(eventsOf);
  expect(recorded.length).toBeGreaterThan(15);
  expect(
    recorded.filter(({ type, reason }) => !events.some((one) => one.reason === reason && one.type === type)),
  ).toEqual([]);
  const rows = events.map(({ reason }) => reason);
  expect(rows.filter((reason, index) => rows.indexOf(reason) !== index)).toEqual([]);
});

interface Trajectories {
  readonly kind: string;
  readonly cases: readonly { readonly steps?: readonly { readonly expect?: Expected }[] }[];
}

interface Expected {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string | null;
    readonly reason?: string;
  }[];
  readonly events?: readonly { readonly type: string; readonly reason: string }[];
}

test("the page has every condition and event of the conformance vectors, which are the real controller's", () => {
  const steps = globSync("packages/conformance/vectors/**/trajectory*.json", { cwd: root })
    .map((path) => JSON.parse(readFileSync(join(root, path), "utf8")) as Trajectories)
    .flatMap(({ cases }) => cases.flatMap((one) => one.steps ?? []))
    .flatMap((step) => step.expect ?? []);
  const expected = new Set(
    steps.flatMap((step) => [
      ...(step.conditions ?? [])
        .filter(({ status }) => status !== null)
        .map(({ type, status, reason }) => `${type} ${status} ${reason}`),
      ...(step.events ?? []).map(({ type, reason }) => `${type} ${reason}`),
    ]),
  );
  const listed = new Set([
    ...conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
    ...events.map(({ type, reason }) => `${type} ${reason}`),
  ]);
  expect(expected.size).toBeGreaterThan(20);
  // Cases begin with them in the stored status, and they stay there.
  const stored = ["Custom True Ours", "ScaledToZero False ScaledToZero"];
  expect([...expected].filter((one) => !listed.has(one)).toSorted()).toEqual(stored);
});
