import { request } from "node:https";
import type { SummaryPage } from "@plimsoll/decisions";
import { eventually } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { hpa, within } from "../harness.ts";
import { type Answer, get } from "./https-callers.ts";
import { account, names, summary, two } from "./relay-rig.ts";

function page({ body }: Answer): SummaryPage {
  return JSON.parse(body) as SummaryPage;
}

test("the lease says where its holder serves, and by which certificate it is known", async () => {
  const { first } = await two({ mode: "leader" });
  const { fingerprint } = await get(first.securePort, "/livez");
  const lease = first.api.get("leases", "default", "autoscaler");
  const text = (lease.metadata["annotations"] as Record<string, string>)["autoscaling.plimsoll.dev/serving"];
  expect(JSON.parse(text ?? "")).toEqual({
    pod: "pod-first",
    address: `127.0.0.1:${first.securePort}`,
    sha256: fingerprint.replaceAll(":", "").toLowerCase(),
  });
});

test("a process without the lease relays to the holder what the caller may read, and nothing else", async () => {
  const { first, second } = await two({
    mode: "leader",
    may: (user, { verb, resource }) =>
      user === "ann" && resource === "horizontalpodautoscalers" && (verb === "get" || verb === "list"),
  });
  const direct = await get(first.securePort, summary, "ann");
  const relayed = await get(second.securePort, summary, "ann");
  expect([relayed.code, page(relayed).items.length]).toEqual([200, names.length]);
  expect(page(relayed)).toEqual({ ...page(direct), lastEventId: expect.any(String) });
  const object = "/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/a1";
  for (const path of [
    object,
    `${object}/record`,
    `${object}?format=text`,
    "/apis/decisions/v1",
    "/apis/shadow/v1",
  ]) {
    const [own, passed] = [
      await get(first.securePort, path, "ann"),
      await get(second.securePort, path, "ann"),
    ];
    expect([path, passed.code, passed.body]).toEqual([path, 200, own.body]);
    expect((await get(second.securePort, path, "mallory")).code).toBe(403);
    expect((await get(second.securePort, path)).code).toBe(401);
  }
  const missing = await get(second.securePort, `${object}-not`, "ann");
  expect([missing.code, JSON.parse(missing.body)]).toMatchObject([404, { reason: "NotFound" }]);
  // The caller's token stays here.
  const tokens = first.api.requests.flatMap(({ path, body }) =>
    path.endsWith("/tokenreviews") ? [(body as { spec: { token: string; audiences?: string[] } }).spec] : [],
  );
  expect(
    tokens
      .filter(({ token }) => token.startsWith("relay-"))
      .every(({ audiences }) => audiences?.length === 1),
  ).toBe(true);
});

test("only a process of the same service account may relay", async () => {
  const { first } = await two({ mode: "leader", may: () => false });
  const as = (authorization: string) =>
    get(first.securePort, summary, undefined, { headers: { authorization, "x-plimsoll-relay": "1" } });
  expect((await as("Bearer token-of-ann")).code).toBe(401);
  expect((await as("Bearer relay-of-system:serviceaccount:default:other")).code).toBe(401);
  expect((await as("")).code).toBe(401);
  const headers = { authorization: `Bearer relay-of-${account}`, "x-plimsoll-relay": "1" };
  // It names what its caller may list; nothing is nothing.
  const none = await get(first.securePort, summary, undefined, { headers });
  expect([none.code, page(none).total]).toEqual([200, 0]);
  const metrics = await get(first.securePort, "/metrics", undefined, { headers });
  expect(metrics.code).toBe(404);
  const without = await get(first.securePort, summary, undefined, {
    headers: { authorization: `Bearer relay-of-${account}` },
  });
  expect(without.code).toBe(401);
});

test("the port without authentication takes no relay, and asks nothing of the API server about its token", async () => {
  const { first } = await two({ mode: "leader" });
  const reviewed = first.api.requests.filter(({ path }) => path.endsWith("/tokenreviews")).length;
  for (const token of [`relay-of-${account}`, "junk"]) {
    const headers = { authorization: `Bearer ${token}`, "x-plimsoll-relay": "1" };
    const { status } = await fetch(`${first.url}${summary}`, { headers });
    expect([token, status]).toEqual([token, 401]);
  }
  expect(first.api.requests.filter(({ path }) => path.endsWith("/tokenreviews"))).toHaveLength(reviewed);
});

test("one hop: a process that is taken for the holder and is not says so", async () => {
  const { second } = await two({ mode: "leader" });
  const headers = { authorization: `Bearer relay-of-${account}`, "x-plimsoll-relay": "1" };
  const { code, body } = await get(second.securePort, summary, undefined, { headers });
  expect([code, JSON.parse(body)]).toMatchObject([
    503,
    { message: "this process no longer holds the lease; retry" },
  ]);
});

test("with shards the parts of all processes are one list, in its order and its pages", async () => {
  const { first, second } = await two({ mode: "shards" });
  for (const { securePort } of [first, second]) {
    const seen: string[] = [];
    let token: string | undefined = "";
    for (let pages = 0; token !== undefined && pages < 10; pages++) {
      const one: SummaryPage = page(await get(securePort, `${summary}?limit=3&continue=${token}`, "ann"));
      expect([one.total, Object.values(one.counts).reduce((sum, count) => sum + count, 0)]).toEqual([8, 8]);
      seen.push(...one.items.map(({ name }) => name));
      token = one.continue;
    }
    expect(seen).toEqual(names);
    for (const name of names) {
      const path = `/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/${name}`;
      expect([name, (await get(securePort, path, "ann")).code]).toEqual([name, 200]);
      expect((await get(securePort, `${path}-not`, "ann")).code).toBe(404);
    }
    const all = JSON.parse((await get(securePort, "/apis/decisions/v1", "ann")).body) as { items: unknown[] };
    expect(all.items).toHaveLength(names.length);
  }
});

interface OpenStream {
  readonly text: () => string;
  readonly isEnded: () => boolean;
}

function stream(port: number, user: string): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer token-of-${user}` };
    const path = "/apis/decisions/v1/stream";
    const opened = request(
      { host: "127.0.0.1", port, path, headers, rejectUnauthorized: false, agent: false },
      (response) => {
        let text = "";
        let isEnded = false;
        response.setEncoding("utf8");
        response.on("data", (part: string) => (text += part));
        response.on("error", () => (isEnded = true));
        response.on("close", () => (isEnded = true));
        resolve({ text: () => text, isEnded: () => isEnded });
      },
    );
    opened.on("error", reject);
    opened.end();
    onTestFinished(() => void opened.destroy());
  });
}

test("a relayed stream has the holder's events, and ends when the caller may not read any more", async () => {
  let isAllowed = true;
  const { clock, first, second } = await two({ mode: "leader", may: () => isAllowed });
  const one = await stream(second.securePort, "ann");
  await eventually(() => expect(one.text()).toContain("event: reset"));
  first.api.put("horizontalpodautoscalers", hpa("late", { target: "a1" }));
  await within(clock, 10_000, () => expect(one.text()).toContain('"name":"late"'));
  expect(one.text()).toMatch(/^id: /m);
  isAllowed = false;
  await within(clock, 90_000, () => expect(one.isEnded()).toBe(true));
});

test("with shards a stream has the events of all processes, and ends with any of them", async () => {
  const { clock, first, second } = await two({ mode: "shards" });
  const one = await stream(second.securePort, "ann");
  await eventually(() => expect(one.text().match(/event: reset/g)).toHaveLength(2));
  for (const name of names)
    first.api.put("horizontalpodautoscalers", hpa(name, { spec: { maxReplicas: 9 } }));
  await within(clock, 10_000, () => {
    for (const name of names) expect(one.text()).toContain(`"name":"${name}"`);
  });
  await first.autoscaler.stop();
  await within(clock, 10_000, () => expect(one.isEnded()).toBe(true));
});
