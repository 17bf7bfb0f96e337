import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { plimsoll } from "./run-plimsoll.ts";

const chart = new URL("../../../deploy/chart/plimsoll/", import.meta.url);
const isAccepted = new Ajv({ strict: false }).compile(
  JSON.parse(await readFile(new URL("values.schema.json", chart), "utf8")) as object,
);
const every = await readFile(new URL("convert-values/every-value.yaml", import.meta.url), "utf8");

async function convert(text: string, ...flags: string[]) {
  const readText = async () => text;
  const { code, out, err } = await plimsoll(["convert", "values", "old.yaml", ...flags], { readText });
  return { code, out, errors: err.split("\n").filter((line) => line !== "") };
}

/** What is written, which the chart's schema takes. */
async function valuesOf(text: string): Promise<unknown> {
  const { code, out } = await convert(text);
  expect(code).toBe(0);
  const values: unknown = parse(out);
  expect(isAccepted(values) ? [] : isAccepted.errors).toEqual([]);
  return values;
}

test("every value is in its new place, or named with the reason", async () => {
  const { image, prometheus, rules, rbac, service, tls, ...old } = parse(every) as Record<
    string,
    Record<string, unknown>
  >;
  expect(tls).toBeDefined();
  const top = ["nameOverride", "fullnameOverride", "namespaceOverride", "customLabels", "customAnnotations"];
  const same = [...top, "global", "extraManifests"];
  const pick = (isTop: boolean) =>
    Object.fromEntries(Object.entries(old).filter(([key]) => same.includes(key) === isTop));
  const { clusterIP: _, ...serviceWithoutAddress } = service ?? {};
  expect(await valuesOf(every)).toEqual({
    ...pick(true),
    prometheus,
    rules,
    adapter: {
      ...pick(false),
      image: { pullPolicy: image?.["pullPolicy"], pullSecrets: image?.["pullSecrets"] },
      rbac: { create: rbac?.["create"] },
      service: serviceWithoutAddress,
    },
    autoscaler: { enabled: false },
  });
  expect((await convert(every)).errors).toEqual([
    expect.stringMatching(/^note: old\.yaml:9:.*image\.repository .*adapter\.image\.repository/),
    expect.stringMatching(/^note: old\.yaml:38:.*rbac\.useAuthReaderClusterRole true is left out/),
    expect.stringMatching(/^note: old\.yaml:39:.*rbac\.externalMetrics .*grant the metrics APIs/),
    expect.stringMatching(/^note: old\.yaml:56:.*readinessProbe\.httpGet\.path "\/healthz"/),
    expect.stringMatching(/^note: old\.yaml:62:.*service\.clusterIP "10\.96\.0\.77" is left out/),
  ]);
});

test("comments stay with their values", async () => {
  const { out } = await convert(every);
  expect(out).toContain("  listenPort: 7443 # below 1024 it cannot listen\n");
  expect(out).toMatch(/^prometheus:\n {2}# A template\.\n {2}url: http/m);
});

test("an anchor may come after its alias once values have moved, so both are written out", async () => {
  expect(await valuesOf("podLabels: &labels { a: b }\nreplicas: 2\ncustomLabels: *labels\n")).toEqual({
    customLabels: { a: "b" },
    adapter: { podLabels: { a: "b" }, replicas: 2 },
    autoscaler: { enabled: false },
  });
});

test.each([
  ["", {}],
  ["{}", {}],
  ["replicas: null\ntls: null\nrules: { existing: null, default: true }\n", { rules: { default: true } }],
  ["prometheus: { port: null }", { prometheus: { port: 0 } }],
  ['prometheus: { port: "" }', { prometheus: { port: 0 } }],
  ['prometheus: { port: "9090" }', { prometheus: { port: 9090 } }],
  ["rules: { existing: mine, default: true, custom: [] }", { rules: { existing: "mine" } }],
  [
    "tls: { enable: true, ca: a, key: k, certificate: c }\ncertManager: { enabled: true }",
    { adapter: { certManager: { enabled: true } } },
  ],
  [
    "tls: { enable: true, ca: a, key: k, certificate: c }",
    { adapter: { tls: { enable: true, ca: "a", key: "k", certificate: "c" } } },
  ],
  [
    "podDisruptionBudget: { enabled: true, minAvailable: 0, maxUnavailable: 2 }",
    { adapter: { podDisruptionBudget: { enabled: true, maxUnavailable: 2 } } },
  ],
  [
    "podDisruptionBudget: { enabled: true, minAvailable: 1 }",
    { adapter: { podDisruptionBudget: { enabled: true, minAvailable: 1, maxUnavailable: null } } },
  ],
  ["replica: 3\nconstructor: 1\n__proto__: { a: 1 }\n", {}],
])("%j comes to %j", async (text, expected) => {
  expect(await valuesOf(text)).toEqual({ ...expected, autoscaler: { enabled: false } });
});

test("without a pod security context there is none either", async () => {
  expect(parse((await convert("podSecurityContext: null")).out)).toEqual({
    adapter: { podSecurityContext: null },
    autoscaler: { enabled: false },
  });
});

test.each([
  ["replica: 3", /^note: old\.yaml:1:10: .*replica is left out: .*no such value: .*check its name$/],
  ["image: { repo: x }", /^note: .*image\.repo is left out/],
  ["rules: { existing: mine }", /^note: .*rules\.existing "mine" is a ConfigMap: copy/],
  [
    "tls: { enable: true, certificate: c }",
    /^note: .*tls\.certificate is for the Service of the old release/,
  ],
])("%j: what may be missed is said", async (text, note) => {
  const { code, errors } = await convert(text);
  expect([code, errors]).toEqual([0, [expect.stringMatching(note)]]);
});

test.each([
  ["[]", /^error: .*is not a map of values: pass the output of helm get values -o yaml$/],
  ["text", /is not a map of values/],
  ["a: [", /is not YAML/],
  ["a: 1\n---\nb: 2\n", /is a second document/],
  ["rules: []", /rules is not a map/],
  ["adapter: { replicas: 2 }", /adapter is a value of Plimsoll's chart/],
  [
    "extraArguments: [--v=6, --tls-cert-file=/a]",
    /old\.yaml:1:25: .*extraArguments\[1\] "--tls-cert-file=\/a" .*adapter\.tls\.existingSecret/,
  ],
])("%j is refused, and nothing is written", async (text, error) => {
  const { code, out, errors } = await convert(text);
  expect([code, out, errors]).toEqual([1, "", [expect.stringMatching(error)]]);
});

test("in JSON there are the same values", async () => {
  expect(JSON.parse((await convert("replicas: 2\nreplica: 3", "-o", "json")).out)).toMatchObject({
    schema: "plimsoll/convert-values/v1",
    values: { adapter: { replicas: 2 }, autoscaler: { enabled: false } },
    notes: [{ path: "replica", line: 2 }],
    problems: [],
  });
});
