import { expect, onTestFinished, test } from "vitest";
import { createPrometheusClient } from "../src/index.ts";
import { startFakePrometheus, vector } from "../src/testing.ts";

async function setUp(tenantHeaders: Record<string, string> = { "X-Scope-OrgID": "ns-{namespace}" }) {
  const fake = await startFakePrometheus(({ headers }) =>
    vector([{ labels: { tenant: String(headers["x-scope-orgid"]) }, value: "1" }]),
  );
  const client = createPrometheusClient({ url: fake.url, headers: { "X-Key": "k" }, tenantHeaders });
  onTestFinished(async () => {
    await client.close();
    await fake.close();
  });
  const tenantOf = async (namespace: string): Promise<string | undefined> => {
    const result = await client.query("up", { namespace });
    return result.type === "vector" ? result.samples[0]?.labels["tenant"] : undefined;
  };
  return { fake, client, tenantOf };
}

test("each namespace reads its own tenant, also at the same time and with the same query", async () => {
  const { fake, tenantOf } = await setUp();
  const namespaces = Array.from({ length: 20 }, (_, at) => `team-${at % 4}`);
  expect(await Promise.all(namespaces.map(tenantOf))).toEqual(namespaces.map((name) => `ns-${name}`));
  expect(fake.requests).toHaveLength(4);
  expect(fake.requests[0]?.headers["x-key"]).toBe("k");
});

test.each([
  "",
  ".",
  "..",
  "*",
  "a|b",
  "a,b",
  "A",
  "a b",
  "a\r\nX-Scope-OrgID: other",
  "a\u0000",
  "{namespace}",
  "$&",
  "__proto__",
  "-a",
  "a-",
  "ä",
  "x".repeat(64),
])("nothing is sent for the namespace %j", async (namespace) => {
  const { fake, client } = await setUp();
  await expect(client.query("up", { namespace })).rejects.toMatchObject({
    kind: "bad_data",
    message: expect.stringMatching(/^"?.* is not the name of a namespace: nothing is sent$/s),
  });
  expect(fake.requests).toEqual([]);
});

test("nothing is sent for a request of no namespace", async () => {
  const { fake, client } = await setUp();
  const message = "the request has no namespace, but the server needs one as its tenant: nothing is sent";
  await expect(client.query("up")).rejects.toMatchObject({ kind: "bad_data", message });
  await expect(client.series(["up"], { startMs: 0 })).rejects.toMatchObject({ message });
  await expect(client.labelValues("a", ["up"], { startMs: 0 })).rejects.toMatchObject({ message });
  expect(fake.requests).toEqual([]);
});

test("a namespace stands wherever a value names it, and changes nothing where none does", async () => {
  const twice = await setUp({ "X-Scope-OrgID": "{namespace}/{namespace}" });
  expect(await twice.tenantOf("shop")).toBe("shop/shop");
  const without = await setUp({});
  await Promise.all([without.tenantOf("one"), without.tenantOf("two")]);
  expect(without.fake.requests).toHaveLength(1);
});
