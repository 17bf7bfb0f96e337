import { readFile } from "node:fs/promises";
import { promqlProblem, selectorProblem } from "@plimsoll/prometheus/syntax";
import { loadRules, loadSources } from "@plimsoll/rules";
import { expect } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { plimsoll } from "../run-plimsoll.ts";
import { type StructuralSchema, violations } from "../structural-schema.ts";
import { celViolations } from "./cel-rules.ts";

export type Fields = Readonly<Record<string, unknown>>;

async function schemaOf(plural: string): Promise<StructuralSchema> {
  const file = new URL(`../../../../deploy/crds/${plural}.autoscaling.plimsoll.dev.yaml`, import.meta.url);
  const crd = parse(await readFile(file, "utf8")) as {
    spec: { versions: { schema: { openAPIV3Schema: StructuralSchema } }[] };
  };
  return crd.spec.versions[0]?.schema.openAPIV3Schema ?? {};
}
const schema = await schemaOf("workloadautoscalers");
const ruleSchema = await schemaOf("metricrules");

interface Place {
  readonly path: string;
  readonly value?: unknown;
  readonly message: string;
  readonly remedy: string;
  readonly line: number;
}

export interface Converted {
  readonly code: number;
  readonly objects: readonly Fields[];
  readonly rules: readonly Fields[];
  readonly sources: readonly Fields[];
  readonly notes: readonly Place[];
  readonly problems: readonly Place[];
}

export const nowMs = Date.parse("2026-06-01T00:00:00Z");

/** Runs the command, and sees that the API server and the adapter would take what it writes. */
export async function convert(text: string, ...flags: string[]): Promise<Converted> {
  const { out, code } = await runConvert(text, "--output=json", ...flags);
  const report = JSON.parse(out) as Converted & {
    readonly rules: { readonly externalRules: readonly Fields[] };
    readonly sources: { readonly sources: readonly Fields[] };
  };
  for (const object of report.objects) expectValid(object);
  expectLoads(report);
  return {
    ...report,
    code,
    rules: report.rules.externalRules,
    sources: report.sources.sources,
  };
}

export async function runConvert(text: string, ...flags: string[]) {
  const seams = { readText: async () => text, nowMs: () => nowMs };
  const { code, out, err: errors } = await plimsoll(["convert", "f.yaml", ...flags], seams);
  return { code, out, errors };
}

export function expectValid(object: Fields): void {
  if (object["kind"] === "MetricRule") return expect(violations(object, ruleSchema)).toEqual([]);
  expect([...violations(object, schema), ...celViolations(object)]).toEqual([]);
}

interface AdapterFiles {
  readonly rules: { readonly externalRules: readonly object[] };
  readonly sources: { readonly sources: readonly object[] };
}

function expectLoads({ rules, sources }: AdapterFiles): void {
  const loaded = loadRules(stringify(rules), "rules.yaml", { promqlProblem, selectorProblem });
  // An empty file is taken, too, with a warning.
  expect(loaded).toMatchObject(rules.externalRules.length === 0 ? { ok: true } : { ok: true, warnings: [] });
  const loadedSources = sources.sources.length === 0 ? { ok: true } : loadSources(stringify(sources));
  expect(loadedSources).toMatchObject({ ok: true });
}

/** What the YAML output has, document by document. */
export function documentsOf(out: string): readonly Fields[] {
  return parseAllDocuments(out).map((document) => document.toJS() as Fields);
}

/** Notes by path, for tables. */
export function paths(places: readonly Place[]): readonly string[] {
  return places.map(({ path }) => path);
}

export const specOf = ({ objects }: Converted): Fields => (objects[0]?.["spec"] ?? {}) as Fields;

export const toRules = ["--to", "metric-rules"] as const;

/** MetricRules among them. */
export function rulesOf(objects: readonly Fields[]): readonly Fields[] {
  return objects.filter(({ kind }) => kind === "MetricRule");
}

/** With one prometheus trigger. */
export const scaledObject = (query: string, metadata = "{name: shop, namespace: shop}"): string => `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: ${metadata}
spec:
  scaleTargetRef: {name: shop}
  minReplicaCount: 1
  triggers:
    - type: prometheus
      metadata:
        serverAddress: http://prometheus:9090
        query: ${JSON.stringify(query)}
        threshold: "10"
`;
