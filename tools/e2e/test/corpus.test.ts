// What `npm run task -- corpus` says of a file.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkFile } from "../corpus/check-file.ts";
import { checkRandom } from "../corpus/check-random.ts";
import type { Ending } from "../corpus/run-readers.ts";

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "plimsoll-corpus-"));
});
afterAll(() => rm(dir, { recursive: true }));

async function checked(text: string, adapter: Ending = { is: "accepts" }) {
  await writeFile(join(dir, "file.yaml"), text);
  return await checkFile(dir, "file.yaml", async () => adapter);
}

const hpa = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 4
`;
const rules = `rules:
- seriesQuery: 'up{namespace!=""}'
  resources: { template: "<<.Resource>>" }
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'
`;

test("a manifest is read by doctor and convert, as the API takes it", async () => {
  expect(await checked(hpa)).toEqual({
    file: "file.yaml",
    kind: "manifests",
    results: ["doctor accepts", "convert accepts"],
    findings: [],
  });
});

test("an adapter that does not start with valid rules disagrees, and one that dies crashes", async () => {
  const fine = await checked(rules);
  expect(fine).toMatchObject({ kind: "rules files", findings: [] });
  const refused = await checked(rules, { is: "refuses", says: "no" });
  expect(refused.findings).toEqual([
    { what: "DISAGREES", text: "the adapter refuses what the API takes: no" },
  ]);
  const crashed = await checked(rules, { is: "crashes", says: "TypeError" });
  expect(crashed.findings).toEqual([{ what: "CRASHES", text: "the adapter: TypeError" }]);
});

test("rules in a ConfigMap are checked without what is around them", async () => {
  const indented = rules.replaceAll(/^(?=.)/gm, "    ");
  const text = `kind: ConfigMap\nmetadata: {name: adapter}\ndata:\n  config.yaml: |\n${indented}`;
  expect(await checked(text)).toMatchObject({
    kind: "rules files",
    results: ["rules check accepts", "the adapter accepts"],
    findings: [],
  });
});

test("rules that cannot be loaded are refused by all, and other files are none of theirs", async () => {
  const { findings } = await checked("rules: 5\n");
  expect(findings.map(({ text }) => text.split(":")[0])).toEqual([
    "the adapter accepts what the API refuses",
  ]);
  expect(await checked("replicaCount: 1\n")).toMatchObject({ kind: "other files", results: [] });
});

test("of random manifests it counts what doctor refuses without the API, and what it misses", async () => {
  const manifest = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
  };
  const spec = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 4 };
  const counts = await checkRandom([
    { name: "both take it", manifest: { ...manifest, spec }, refused: "" },
    { name: "both refuse it", manifest, refused: "spec.maxReplicas" },
    { name: "missed", manifest: { ...manifest, spec }, refused: "spec.maxReplicas" },
    { name: "a false alarm", manifest, refused: "" },
  ]);
  expect(counts).toMatchObject({ valid: 2, falseAlarms: 1, invalid: 2, missed: 1, crashes: 0 });
  expect(counts.lines.map((line) => line.split(":")[0])).toEqual([
    "DISAGREES  missed",
    "DISAGREES  a false alarm",
  ]);
});
