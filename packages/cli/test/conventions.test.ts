import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { textReader } from "../src/input/read-input.ts";
import { plimsoll, reading, type Seams } from "./run-plimsoll.ts";

const wla = `apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: {name: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}
  maxReplicas: 20
  schedules:
    - {name: office, timeZone: Europe/Berlin, start: "0 8 * * *", end: "0 18 * * *", minReplicas: 6}
`;
const hpa = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}, maxReplicas: 3}
`;
const cronHpa = `apiVersion: autoscaling.alibabacloud.com/v1beta1
kind: CronHorizontalPodAutoscaler
metadata: {name: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}
  jobs: [{name: a, schedule: "0 9 * * *", targetSize: 3}]
`;

const folder = fileFolder();
async function cli(files: Readonly<Record<string, string>>, args: readonly string[], seams: Seams = {}) {
  const nowMs = () => Date.parse("2026-11-01T12:00:00Z");
  const { code, out, err: errors } = await plimsoll(args, { readText: reading(files), nowMs, ...seams });
  return { code, out, errors };
}

const commands: readonly (readonly [name: string, command: readonly string[]])[] = [
  ["rules check", ["rules", "check"]],
  ["convert", ["convert"]],
  ["convert values", ["convert", "values"]],
  ["cronhpa lint", ["cronhpa", "lint"]],
  ["schedule preview", ["schedule", "preview"]],
];

test.each(commands)(
  "%s: a file that cannot be read is one sentence with its path, and 1",
  async (_, command) => {
    const absent = await cli({}, [...command, join(folder, "absent.yaml")]);
    expect(absent).toEqual({
      code: 1,
      out: "",
      errors: `error: cannot read ${folder}/absent.yaml: file not found; check the path\n`,
    });
    const directory = await cli({}, [...command, folder]);
    expect(directory.errors).toBe(`error: cannot read ${folder}: it is a directory; use a file in it\n`);
  },
);

test.each(commands)("%s: for a mistyped flag the error suggests the right one, and 1", async (_, command) => {
  const { code, errors } = await cli({}, [...command, "x", "--outptu=json"]);
  expect(code).toBe(1);
  expect(errors).toContain("error: unknown option '--outptu'\n(Did you mean --output?)");
});

test.each([
  [["rules", "check", "f"], "rules: []\n", "plimsoll/rules-check/v1", 2],
  [["convert", "f"], hpa, "plimsoll/convert/v1", 0],
  [["convert", "f"], "a: [", "plimsoll/convert/v1", 1],
  [["convert", "values", "f"], "replicas: 2", "plimsoll/convert-values/v1", 0],
  [["cronhpa", "lint", "f"], cronHpa, "plimsoll/cronhpa-lint/v1", 2],
  [["schedule", "preview", "f"], wla, "plimsoll/schedule-preview/v1", 0],
] as const)("%j -o json is one document with its schema", async (args, text, schema, code) => {
  const ended = await cli({ f: text }, [...args, "-o", "json"]);
  expect([ended.code, ended.errors]).toEqual([code, ""]);
  expect(JSON.parse(ended.out)).toMatchObject({ schema });
});

test("converted objects in JSON are the ones that YAML has", async () => {
  const { objects } = JSON.parse((await cli({ f: hpa }, ["convert", "f", "-o", "json"])).out) as {
    readonly objects: readonly object[];
  };
  expect(objects).toMatchObject([{ kind: "WorkloadAutoscaler", spec: { maxReplicas: 3 } }]);
});

test.each([
  [[], "2026-11-30T23:00:00Z"],
  [["--time-zone=UTC"], "2026-12-01T00:00:00Z"],
  [["--time-zone=America/New_York"], "2026-12-01T05:00:00Z"],
])("--from a date is midnight in the zone that is shown: %j", async (flags, instant) => {
  const args = ["schedule", "preview", "f", "--from", "2026-12-01", "-o", "json", ...flags];
  expect(JSON.parse((await cli({ f: wla }, args)).out)).toMatchObject({ from: instant });
});

test.each([["convert"], ["cronhpa", "lint"], ["schedule", "preview"]])(
  "%s %s: a time zone that there is not is refused, needed or not",
  async (...command) => {
    const { code, errors } = await cli({ f: hpa + "---\n" + wla }, [...command, "f", "--time-zone=Mars"]);
    const remedy = "use a name of the IANA list, such as Europe/Berlin";
    expect([code, errors]).toEqual([1, `error: --time-zone "Mars" is not a time zone: ${remedy}\n`]);
  },
);

test("a date that there is not is refused", async () => {
  const { code, errors } = await cli({ f: wla }, ["schedule", "preview", "f", "--from=2026-02-30"]);
  expect([code, errors]).toEqual([
    1,
    "error: --from 2026-02-30 is not a time: use a value such as 2026-12-24T08:00:00Z, or 2026-12-24\n",
  ]);
});

test("an interrupted command ends with 130", async () => {
  const signal = AbortSignal.abort(new Error("interrupted"));
  const rules = `rules: [{seriesQuery: up, resources: {template: "<<.Resource>>"}, metricsQuery: up}]\n`;
  const args = ["rules", "check", "f", "--against", "http://127.0.0.1:1"];
  expect(await cli({ f: rules }, args, { signal })).toMatchObject({ code: 130, out: "" });
});

test.each(commands)(
  "%s: interrupted while it waits for its standard input, it ends with 130",
  async (_, command) => {
    const interrupted = new AbortController();
    const readText = textReader(new PassThrough(), interrupted.signal);
    const ended = cli({}, [...command, "-"], { signal: interrupted.signal, readText });
    interrupted.abort(new Error("interrupted"));
    expect(await ended).toEqual({ code: 130, out: "", errors: "" });
  },
);

test("a file that PowerShell redirected is read in its encoding", async () => {
  const text = `rules: [{seriesQuery: up, resources: {template: "<<.Resource>>"}, metricsQuery: "sum(up{<<.LabelMatchers>>}) by (<<.GroupBy>>)"}]\n`;
  const little = Buffer.from(`\uFEFF${text}`, "utf16le");
  const big = Buffer.from(little).swap16();
  for (const bytes of [Buffer.from(text), Buffer.from(`\uFEFF${text}`), little, big]) {
    const readText = textReader(Readable.from([bytes]), new AbortController().signal);
    expect(await cli({}, ["rules", "check", "-"], { readText })).toMatchObject({ code: 0 });
  }
});
