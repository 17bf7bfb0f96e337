import { assertProperty } from "@plimsoll/properties";
import { array, asyncProperty, constantFrom, oneof, string, tuple } from "fast-check";
import { expect, test } from "vitest";
import { createRequestReader, parseRequestInfo, type RequestInfo } from "../../src/api/request-info.ts";
import { accessReview } from "../../src/auth/authorize.ts";
import type { CustomMetricQuery } from "../../src/backends/prometheus/providers/custom-api.ts";
import type { ExternalMetricQuery } from "../../src/backends/prometheus/providers/external.ts";
import type { ResourceMetricsQuery } from "../../src/backends/prometheus/providers/resource-api.ts";
import { createRouter } from "../../src/http/routes.ts";
import { fakeEngine } from "../http/fakes.ts";

const user = { name: "eve", uid: undefined, groups: [], extra: {} };
const groupVersions = [
  "custom.metrics.k8s.io/v1beta1",
  "custom.metrics.k8s.io/v1beta2",
  "external.metrics.k8s.io/v1beta1",
  "metrics.k8s.io/v1beta1",
];
const segment = oneof(
  constantFrom(
    "namespaces",
    "metrics",
    "pods",
    "nodes",
    "default",
    "*",
    "",
    ".",
    "..",
    "watch",
    "deployments.apps",
  ),
  string({ minLength: 1, maxLength: 6 }),
  string({ unit: "binary", minLength: 1, maxLength: 3 }),
);
/** As a caller would write it who tries things out: encoded, encoded twice, or not at all. */
const written = tuple(segment, constantFrom("encode", "twice", "raw")).map(([text, how]) => {
  const encoded = encodeURIComponent(Buffer.from(text).toString());
  if (how === "twice") {
    return encodeURIComponent(encoded);
  }
  return how === "encode" ? encoded : text.replace(/[^\x21-\x7e]|[?#]/g, "x");
});

function authorized(info: RequestInfo): object {
  const { namespace, verb, resource, name, subresource } = accessReview(user, info).resourceAttributes ?? {};
  return { namespace, verb, resource, name, subresource };
}

type Query = CustomMetricQuery | ExternalMetricQuery | ResourceMetricsQuery;

/** What a caller must be allowed to do before a provider is asked this. */
function asked(query: Query): object {
  const { namespace } = query;
  if ("groupResource" in query) {
    const { groupResource: resource, name, metric } = query;
    return resource === "namespaces" && namespace === undefined
      ? { namespace: name, verb: "get", resource: "metrics", name: metric, subresource: undefined }
      : { namespace, verb: "get", resource, name, subresource: metric };
  }
  if ("metric" in query) {
    return { namespace, verb: "list", resource: query.metric, name: undefined, subresource: undefined };
  }
  const verb = query.name === undefined ? "list" : "get";
  const [, selected] = /^metadata.name=(.+)$/.exec(query.fieldSelector) ?? [];
  const name = query.name ?? selected;
  return { namespace, verb, resource: expect.stringMatching(/^(pods|nodes)$/), name, subresource: undefined };
}

test("what is served is what was authorized", async () => {
  const engine = fakeEngine();
  const router = createRouter({ engine, nowMs: () => 0 });
  let reached = 0;
  await assertProperty(
    asyncProperty(
      constantFrom(...groupVersions),
      array(written, { minLength: 1, maxLength: 6 }),
      constantFrom("", "/", "?watch=true", "?labelSelector=a%3Db", "?fieldSelector=metadata.name%3Dx"),
      async (groupVersion, segments, tail) => {
        const parsed = parseRequestInfo("GET", `/apis/${groupVersion}/${segments.join("/")}${tail}`);
        if (!parsed.ok) {
          return;
        }
        engine.queries.length = 0;
        const signal = () => new AbortController().signal;
        const route = router(parsed.info);
        await route?.run({
          info: parsed.info,
          conversion: undefined,
          ifNoneMatch: undefined,
          auditId: "a",
          isHandedOn: false,
          signal,
        });
        const [query] = engine.queries;
        if (query === undefined) {
          return;
        }
        reached++;
        expect(authorized(parsed.info)).toEqual(asked(query));
      },
    ),
    { numRuns: 3000 },
  );
  expect(reached).toBeGreaterThan(0);
});

test.each([
  ["GET", "/apis/metrics.k8s.io/v1beta1/namespaces", "list", { resource: "namespaces", name: undefined }],
  [
    "GET",
    "/apis/metrics.k8s.io/v1beta1/namespaces/a",
    "get",
    { resource: "namespaces", name: "a", namespace: "a" },
  ],
  ["GET", "/apis/metrics.k8s.io/v1beta1/pods?watch", "watch", { resource: "pods" }],
  ["GET", "/apis/metrics.k8s.io/v1beta1/pods?watch=yes", "watch", { resource: "pods" }],
  ["GET", "/apis/metrics.k8s.io/v1beta1/pods?watch=False", "list", { resource: "pods" }],
  ["GET", "/apis/metrics.k8s.io/v1beta1/pods?watch=0", "list", { resource: "pods" }],
  ["DELETE", "/apis/metrics.k8s.io/v1beta1/namespaces/a/pods", "deletecollection", { resource: "pods" }],
  ["PATCH", "/apis/metrics.k8s.io/v1beta1/namespaces/a/pods/p", "patch", { resource: "pods", name: "p" }],
])("%s %s is read as kube-apiserver reads it", (method, target, verb, resource) => {
  const parsed = parseRequestInfo(method, target);
  expect(parsed).toMatchObject({ ok: true, info: { verb, resource } });
});

test.each([
  ["a name", "p", "p"],
  ["no name", "", undefined],
  ["a slash", "a%2Fb", undefined],
  ["a percent sign, which a router would decode once more", "a%25b", undefined],
  ["a dot segment", "..", undefined],
  ["dots in a name", "a..b", "a..b"],
  ["a control character", "a%01", undefined],
])("a field selector with %s selects a list by name only where a path could have it", (_, value, name) => {
  const parsed = parseRequestInfo(
    "GET",
    `/apis/metrics.k8s.io/v1beta1/namespaces/a/pods?fieldSelector=metadata.name%3D${value}`,
  );
  expect(parsed).toMatchObject({ ok: true, info: { verb: "list", resource: { resource: "pods", name } } });
});

test("the requests of 10,000 autoscalers with two metrics each are parsed once, also beside invented ones", () => {
  const read = createRequestReader();
  const targets = Array.from({ length: 20_000 }, (_, at) => {
    const place = `namespaces/team-${String(at % 300)}/pods/*/metric_${String(at % 2)}`;
    return `/apis/custom.metrics.k8s.io/v1beta2/${place}?labelSelector=app%3Dworkload-${String(at)}`;
  });
  const round = (): readonly object[] => targets.map((target) => read("GET", target));
  const first = round();
  expect(round().filter((info, at) => info === first[at])).toHaveLength(20_000);
  for (let at = 0; at < 20_000; at += 1)
    read("GET", `/apis/custom.metrics.k8s.io/v1beta2/invented/${String(at)}`);
  expect(round().filter((info, at) => info === first[at]).length).toBeGreaterThan(10_000);
});
