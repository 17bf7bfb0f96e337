import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, askAs, type Harness, startAdapter } from "./harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startAdapter();
});
afterAll(async () => {
  await harness.adapter.stop();
});

test("healthy: ok, and every check by name on demand", async () => {
  const plain = await ask(harness, { path: "/readyz" });
  expect([plain.code, plain.text, plain.headers["content-type"]]).toEqual([
    200,
    "ok",
    "text/plain; charset=utf-8",
  ]);
  expect(plain.headers["x-content-type-options"]).toBe("nosniff");
  expect((await ask(harness, { path: "/readyz?verbose" })).text).toBe(
    [
      "[+]ping ok",
      "[+]authentication ok",
      "[+]serving-certificate ok",
      "[+]metrics ok",
      "[+]rules ok",
      "[+]shutdown ok",
      "readyz check passed\n",
    ].join("\n"),
  );
  expect((await askAs(harness, "/readyz/metrics")).text).toBe("ok");
  const head = await ask(harness, { path: "/healthz", method: "HEAD" });
  expect([head.code, head.text, head.headers["content-length"]]).toEqual([200, "", "2"]);
});

test("without Prometheus it is alive but not ready, and says why", async () => {
  harness.engine.state = { ready: false, message: "Prometheus at http://p:9090 refuses connections" };
  const readyz = await ask(harness, { path: "/readyz" });
  expect(readyz.code).toBe(500);
  expect(readyz.text).toContain("[-]metrics failed: Prometheus at (address hidden) refuses connections");
  expect(readyz.text.endsWith("readyz check failed\n")).toBe(true);
  expect((await ask(harness, { path: "/readyz?exclude=metrics" })).code).toBe(200);
  expect((await askAs(harness, "/readyz/metrics")).code).toBe(500);
  expect((await ask(harness, { path: "/livez" })).text).toBe("ok");
  expect((await ask(harness, { path: "/healthz" })).text).toBe("ok");
  expect((await askAs(harness, "/apis/custom.metrics.k8s.io/v1beta1")).code).toBe(200);
  harness.engine.state = { ready: true, message: "discovery has failed since 2026-01-01T00:00:00.000Z" };
  expect((await ask(harness, { path: "/readyz" })).text).toBe("ok");
  expect((await ask(harness, { path: "/readyz?verbose" })).text).toContain(
    "[+]metrics ok: discovery has failed since 2026-01-01T00:00:00.000Z\n",
  );
  harness.engine.state = { ready: true, message: "ok" };
});
