import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeEngine } from "./fakes.ts";
import { ask, askAs, type Harness, startAdapter } from "./harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startAdapter();
});
afterAll(async () => {
  await harness.adapter.stop();
});

const custom = "/apis/custom.metrics.k8s.io/v1beta1";
const external = "/apis/external.metrics.k8s.io/v1beta1";
const metrics = "/apis/metrics.k8s.io/v1beta1";

const notFound = "the server could not find the requested resource";
const matchForbidden = "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided";
const notAllowed = "the server does not allow this method on the requested resource";

interface Row {
  readonly path: string;
  readonly method?: string;
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: object;
}

const rows: readonly Row[] = [
  { path: `${custom}/namespaces/ns/foo`, code: 400, reason: "BadRequest", message: "invalid request path" },
  { path: `${custom}/pods/p1`, code: 404, reason: "NotFound", message: notFound, details: {} },
  { path: `${custom}/foo`, code: 404, reason: "NotFound", message: notFound, details: {} },
  { path: `${custom}/namespaces/ns/pods/p1`, code: 404, reason: "NotFound", message: notFound, details: {} },
  {
    path: `${custom}/namespaces/ns/pods/p/m/x`,
    code: 404,
    reason: "NotFound",
    message: notFound,
    details: {},
  },
  { path: `${custom}/namespaces//pods/p/m`, code: 404, reason: "NotFound", message: notFound, details: {} },
  { path: `${custom}/a/b/c/d`, code: 404, reason: "NotFound", message: notFound, details: {} },
  ...["namespaces/ns/pods/../m", "namespaces/ns/pods/%2e%2E/m", "pods/./m"].map((tail) => ({
    path: `${custom}/${tail}`,
    code: 400,
    reason: "BadRequest",
    message: "the request path must not contain dot segments",
  })),
  { path: `${external}/namespaces//m`, code: 404, reason: "NotFound", message: notFound, details: {} },
  { path: `${external}/queue_depth`, code: 404, reason: "NotFound", message: notFound, details: {} },
  { path: `${metrics}/namespaces/ns/nodes`, code: 404, reason: "NotFound", message: notFound, details: {} },
  { path: `${metrics}/pods/p1`, code: 404, reason: "NotFound", message: notFound, details: {} },
  { path: "/apis/custom.metrics.k8s.io/v1", code: 404, reason: "NotFound", message: notFound, details: {} },
  { path: "/apis/apps", code: 404, reason: "NotFound", message: notFound, details: {} },
  { path: "/api", code: 404, reason: "NotFound", message: notFound, details: {} },
  { path: "/healthz/unknown", code: 404, reason: "NotFound", message: notFound, details: {} },
  {
    path: `${custom}/pods/%zz/m`,
    code: 400,
    reason: "BadRequest",
    message: "the request path is not valid percent-encoded UTF-8",
  },
  {
    path: `${custom}/pods/a%0Ab/m`,
    code: 400,
    reason: "BadRequest",
    message: "the request path is not valid percent-encoded UTF-8",
  },
  ...["POST", "PUT", "PATCH", "DELETE", "OPTIONS"].map((method) => ({
    path: `${custom}/namespaces/ns/pods/p/m`,
    method,
    code: 405,
    reason: "MethodNotAllowed",
    message: notAllowed,
    details: {},
  })),
  { path: "/apis", method: "POST", code: 405, reason: "MethodNotAllowed", message: notAllowed, details: {} },
  {
    path: "/version",
    method: "DELETE",
    code: 405,
    reason: "MethodNotAllowed",
    message: notAllowed,
    details: {},
  },
  {
    path: `${external}/namespaces/ns/m?watch=true`,
    code: 405,
    reason: "MethodNotAllowed",
    message: 'watch is not supported on resources of kind "*.external.metrics.k8s.io"',
    details: { group: "external.metrics.k8s.io", kind: "*" },
  },
  {
    path: `${metrics}/pods?watch=1`,
    code: 405,
    reason: "MethodNotAllowed",
    message: 'watch is not supported on resources of kind "pods.metrics.k8s.io"',
    details: { group: "metrics.k8s.io", kind: "pods" },
  },
  {
    path: `${custom}/pods/p/m?fieldSelector=metadata.name%3Dother`,
    code: 400,
    reason: "BadRequest",
    message: "fieldSelector metadata.name doesn't match requested name",
  },
  {
    path: `${custom}/pods/p/m?fieldSelector=status.phase%3DRunning`,
    code: 400,
    reason: "BadRequest",
    message: '"status.phase" is not a known field selector: only "metadata.name", "metadata.namespace"',
  },
  {
    path: `${custom}/pods/p/m?fieldSelector=metadata.namespace%3Dns`,
    code: 400,
    reason: "BadRequest",
    message: "fieldSelector metadata.name doesn't match requested name",
  },
  ...[
    `${custom}/pods/p/m?limit=abc`,
    `${external}/namespaces/ns/m?limit=abc`,
    `${metrics}/pods?limit=abc`,
  ].map((path) => ({
    path,
    code: 400,
    reason: "BadRequest",
    message: 'strconv.ParseInt: parsing "abc": invalid syntax',
  })),
  {
    path: `${metrics}/pods?limit=9223372036854775808`,
    code: 400,
    reason: "BadRequest",
    message: 'strconv.ParseInt: parsing "9223372036854775808": value out of range',
  },
  {
    path: `${metrics}/pods?fieldSelector=metadata.name`,
    code: 400,
    reason: "BadRequest",
    message: "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
  },
  {
    path: `${external}/namespaces/ns/m?fieldSelector=spec.x%3Dy`,
    code: 400,
    reason: "BadRequest",
    message: '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
  },
  {
    path: `${metrics}/nodes?fieldSelector=spec.x%3Dy`,
    code: 400,
    reason: "BadRequest",
    message: '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
  },
  {
    path: `${external}/namespaces/ns/m?resourceVersionMatch=Exact`,
    code: 422,
    reason: "Invalid",
    message: `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: ${matchForbidden}`,
    details: {
      group: "meta.k8s.io",
      kind: "ListOptions",
      causes: [{ reason: "FieldValueForbidden", message: matchForbidden, field: "resourceVersionMatch" }],
    },
  },
  {
    path: `${custom}/pods/p/m?timeout=soon`,
    code: 400,
    reason: "BadRequest",
    message: 'invalid timeout specified in the request URL - time: invalid duration "soon"',
  },
  {
    path: `${external}/namespaces/ns/m?timeoutSeconds=soon`,
    code: 400,
    reason: "BadRequest",
    message: 'strconv.ParseInt: parsing "soon": invalid syntax',
  },
];

test.each(rows)("%# $path returns $code", async (row) => {
  const answer = await askAs(harness, row.path, row.method === undefined ? {} : { method: row.method });
  expect(answer.code).toBe(row.code);
  expect(answer.headers["content-type"]).toBe("application/json");
  expect(answer.headers.location).toBeUndefined();
  expect(answer.json()).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: row.message,
    reason: row.reason,
    ...(row.details === undefined ? {} : { details: row.details }),
    code: row.code,
  });
});

test("the audit ID of the caller comes back, and there is one in any case", async () => {
  const given = await askAs(harness, "/apis", {
    headers: { "Audit-Id": "6b2b1e6c-9f0e-4f7e-8a57-0f7d8a3b1c11" },
  });
  expect(given.headers["audit-id"]).toBe("6b2b1e6c-9f0e-4f7e-8a57-0f7d8a3b1c11");
  const odd = await ask(harness, { path: "/nothing", headers: { "Audit-Id": 'x" injected' } });
  expect(odd.headers["audit-id"]).toMatch(/^[0-9a-f-]{36}$/);
});

test("groups without rules are not there at all", async () => {
  const bare = await startAdapter({
    engine: fakeEngine({ external: false, resource: false }),
    pki: harness.pki,
  });
  try {
    expect((await askAs(bare, `${external}/namespaces/ns/m`)).code).toBe(404);
    expect((await askAs(bare, external)).code).toBe(404);
    expect((await askAs(bare, `${metrics}/pods`)).code).toBe(404);
    const groups = (await askAs(bare, "/apis")).json().groups;
    expect(groups.map((group: { name: string }) => group.name)).toEqual(["custom.metrics.k8s.io"]);
  } finally {
    await bare.adapter.stop();
  }
});
