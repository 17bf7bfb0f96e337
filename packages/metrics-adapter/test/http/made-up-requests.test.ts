import { Agent } from "node:https";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { type Answer, askAs, type Harness, startAdapter } from "./harness.ts";

let harness: Harness;
const agent = new Agent({ keepAlive: true });
beforeAll(async () => {
  harness = await startAdapter();
});
afterAll(async () => {
  agent.destroy();
  await harness.adapter.stop();
});

const odd = fc.constantFrom(
  "%00",
  "%2e%2e",
  "..",
  ".",
  "",
  "%2F",
  "%ff",
  "%",
  "*",
  "a",
  "%C3%A9",
  "x".repeat(300),
  "\\",
  "constructor",
);
const group = fc.constantFrom(
  "custom.metrics.k8s.io",
  "external.metrics.k8s.io",
  "metrics.k8s.io",
  "other.io",
);
const version = fc.constantFrom("v1beta1", "v1beta2", "v1");
const known = fc.constantFrom(
  "namespaces",
  "ns",
  "pods",
  "nodes",
  "api-1",
  "n1",
  "*",
  "packets-per-second",
  "queue_depth",
  "metrics",
);
const segment = fc.oneof({ weight: 6, arbitrary: known }, { weight: 1, arbitrary: odd });
const api = fc
  .tuple(group, version, fc.array(segment, { maxLength: 6 }))
  .map(([name, at, segments]) => `/apis/${[name, at, ...segments].join("/")}`);
const path = fc.oneof(
  { weight: 6, arbitrary: api },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "/apis/metrics.k8s.io/v1beta1/pods",
      "/apis/metrics.k8s.io/v1beta1/nodes/n1",
      "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods",
      "/apis/custom.metrics.k8s.io/v1beta2/namespaces/ns/pods/*/packets-per-second",
      "/apis/external.metrics.k8s.io/v1beta1/namespaces/ns/queue_depth",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "/apis",
      "/apis/",
      "//apis",
      "/",
      "/version",
      "/openapi/v2",
      "/metrics",
      "/healthz/none",
    ),
  },
);
const selector = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "=", "!", ",", "(", ")", " in ", "notin", "<", "1", "\\", ".", "/"),
    maxLength: 12,
  }),
  fc.constantFrom(
    "metadata.name=a",
    "metadata.name=..",
    "metadata.name=%",
    "metadata.name!=a,metadata.namespace=b",
    "a=b,".repeat(1_000),
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const number = fc.constantFrom(
  "",
  "abc",
  "-1",
  "0",
  "5",
  "9".repeat(30),
  "1e3",
  " 1",
  "0".repeat(200),
  "0x1",
);
const options = fc.record(
  {
    limit: number,
    timeoutSeconds: number,
    timeout: fc.constantFrom("", "1", "1s", "0s", "-1s", "1h", "9999999999h", "1s1s", ".s"),
    watch: fc.constantFrom("", "1", "true", "false", "yes"),
    labelSelector: selector,
    metricLabelSelector: selector,
    fieldSelector: selector,
    includeObject: fc.constantFrom("", "None", "Object", "Metadata", "all"),
    resourceVersion: number,
    resourceVersionMatch: fc.constantFrom("", "Exact", "odd"),
    pretty: fc.constantFrom("", "1", "no"),
    continue: selector,
    allowWatchBookmarks: selector,
  },
  { requiredKeys: [] },
);
const accept = fc.oneof(
  fc.constantFrom(
    "application/json",
    "application/yaml",
    "application/json;as=Table;g=meta.k8s.io;v=v1",
    "application/yaml;as=Table;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/yaml;q=0.5",
    "application/vnd.kubernetes.protobuf",
    "text/html",
    ";;q=,=",
  ),
  fc.string({ unit: fc.constantFrom("a", "/", "*", ";", "q", "=", "0", ".", ",", " "), maxLength: 20 }),
);
const request = fc.record({
  path,
  options,
  accept,
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constant("GET") },
    {
      weight: 2,
      arbitrary: fc.constantFrom("HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"),
    },
  ),
});

/** The response's object, read in the form that the response itself names; undefined when it is not an object. */
function read({ headers, text }: Answer): { readonly kind?: unknown; readonly code?: unknown } | undefined {
  const type = headers["content-type"] ?? "";
  if (type === "application/yaml") return parseYaml(text);
  return type.startsWith("application/json") ? JSON.parse(text) : undefined;
}

function problemOf(asked: MadeUp, answer: Answer): string | undefined {
  const { code, text } = answer;
  if (code >= 500 && code !== 503 && code !== 504) return `${String(code)} ${text}`;
  if (asked.method === "HEAD") return text === "" ? undefined : "a body";
  const object = read(answer);
  if (code >= 400)
    return object?.kind === "Status" && object.code === code ? undefined : `no Status: ${text}`;
  const isTable = asked.accept.startsWith("application/json;as=Table") && asked.path.endsWith("/pods");
  return isTable && object?.kind !== "Table" ? `no table: ${text}` : undefined;
}

type MadeUp = typeof request extends fc.Arbitrary<infer T> ? T : never;

/** What the grammar reaches; each is sent in every run. */
const reached: Readonly<Record<number, Partial<MadeUp>>> = {
  200: {},
  400: { options: { labelSelector: "a in (" } },
  404: { path: "/apis/metrics.k8s.io/v1beta1/nodes/n1/none" },
  405: { method: "PATCH" },
  406: { accept: "text/html" },
};

test("every request gets one valid response: no 5xx, in the form that its content type names", async () => {
  const plain: MadeUp = {
    path: "/apis/metrics.k8s.io/v1beta1/pods",
    options: {},
    accept: "application/json",
    method: "GET",
  };
  const seen = new Set<number>();
  await assertProperty(
    fc.asyncProperty(request, async (asked) => {
      const target = `${asked.path}?${new URLSearchParams(asked.options).toString()}`;
      const headers = { Accept: asked.accept };
      const answer = await askAs(harness, target, { method: asked.method, agent, headers });
      seen.add(answer.code);
      expect(problemOf(asked, answer)).toBeUndefined();
    }),
    { numRuns: 600, examples: Object.values(reached).map((part) => [{ ...plain, ...part }]) },
  );
  expect([...seen].map(String)).toEqual(expect.arrayContaining(Object.keys(reached)));
});
