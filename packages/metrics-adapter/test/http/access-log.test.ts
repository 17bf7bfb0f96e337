import { until } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, askAs, type Harness, startAdapter } from "./harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startAdapter();
});
afterAll(async () => {
  await harness.adapter.stop();
});

async function logged(auditId: string): Promise<Record<string, unknown>> {
  const find = () =>
    harness.log.lines.find((line) => line.message === "request" && line.fields["auditId"] === auditId);
  await until(`request ${auditId} is logged`, () => find() !== undefined);
  return find()?.fields ?? {};
}

test("caller, request, source address and result", async () => {
  const path = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/ns/pods/*/m?labelSelector=a%3Db";
  await askAs(harness, path, {
    user: "ann",
    groups: ["team"],
    headers: { "Audit-Id": "a-1", "User-Agent": "test/1" },
  });
  expect(await logged("a-1")).toMatchObject({
    user: "ann",
    groups: ["team", "system:authenticated"],
    verb: "get",
    method: "GET",
    uri: path,
    code: 200,
    sourceAddress: "127.0.0.1",
    userAgent: "test/1",
    isComplete: true,
    durationMs: expect.any(Number),
  });
});

test("why a caller was refused is for the log, not for the caller; tokens are for neither", async () => {
  harness.kube.onTokenReview = async () => ({ authenticated: false });
  const answer = await ask(harness, {
    path: "/apis",
    headers: { Authorization: "Bearer secret-token", "Audit-Id": "a-2" },
  });
  expect(answer.json().message).toBe("Unauthorized");
  expect(await logged("a-2")).toMatchObject({ code: 401, refusal: "the token is invalid" });
  expect(JSON.stringify(harness.log.lines)).not.toContain("secret-token");
});

test("connections of unauthenticated clients are not kept", async () => {
  const refused = await ask(harness, { path: "/apis", headers: { Connection: "keep-alive" } });
  expect([refused.code, refused.headers.connection]).toEqual([403, "close"]);
  const known = await askAs(harness, "/apis", { headers: { Connection: "keep-alive" } });
  expect([known.code, known.headers.connection]).toEqual([200, "keep-alive"]);
});

test("labels of metrics do not grow with what callers send", async () => {
  for (const method of ["PROPFIND", "REPORT", "LOCK"]) {
    await askAs(harness, "/apis/unknown/x/y", { method });
  }
  const text = (await askAs(harness, "/metrics")).text;
  expect(text).not.toMatch(/propfind|report|lock/i);
  expect(text).toContain('verb="other"');
});
