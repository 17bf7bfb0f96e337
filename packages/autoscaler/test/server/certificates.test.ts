// Client certificates and front proxies, from what the cluster publishes.

import type { OutgoingHttpHeaders } from "node:http";
import { type Authority, createAuthority, issue } from "@plimsoll/kube/testing";
import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { type FakeApi, failure } from "../fake-api.ts";
import { hold, type Rig, rig, workload } from "../harness.ts";
import { type Attributes, get, reviews, secure, serving } from "./https-callers.ts";

const shop = "/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/shop";
const clients = await createAuthority("cluster-ca");
const proxies = await createAuthority("front-proxy-ca");
const proxy = await issue(proxies, "CN=front-proxy-client");

function publish(api: FakeApi): void {
  const data = {
    "client-ca-file": clients.pem,
    "requestheader-client-ca-file": proxies.pem,
    "requestheader-allowed-names": '["front-proxy-client"]',
    "requestheader-username-headers": '["X-Remote-User"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
  };
  const metadata = { namespace: "kube-system", name: "extension-apiserver-authentication" };
  const items = [{ metadata: { ...metadata, resourceVersion: "1" }, data }];
  const list = { code: 200, body: { kind: "ConfigMapList", metadata: { resourceVersion: "1" }, items } };
  api.script("GET", /\/configmaps$/, ({ query }) => (query.has("watch") ? undefined : list), 100);
}

async function withLookup(
  before: (api: FakeApi) => void,
  may: (user: string, what: Attributes) => boolean,
): Promise<Rig> {
  const one = await rig({
    decide: hold,
    config: { serving: { ...serving, secure: { ...secure, hasLookup: true } } },
    before: (api) => {
      workload(api, "shop");
      reviews(api, may);
      before(api);
    },
  });
  await one.autoscaler.sync();
  return one;
}

test("a client certificate of the cluster's CA is its user; one of another authority is refused", async () => {
  const { api, securePort } = await withLookup(publish, (user) => user === "bob");
  const bob = await issue(clients, "O=developers,CN=bob");
  await eventually(async () => expect((await get(securePort, shop, undefined, bob)).code).toBe(200));
  const review = api.requests.filter(({ path }) => path.endsWith("/subjectaccessreviews")).at(-1)?.body;
  expect(review).toMatchObject({ spec: { user: "bob", groups: ["developers", "system:authenticated"] } });
  const ann = await issue(clients, "CN=ann");
  expect((await get(securePort, shop, undefined, ann)).code).toBe(403);
  const other: Authority = await createAuthority("another");
  const impostor = await get(securePort, shop, undefined, await issue(other, "O=developers,CN=bob"));
  expect([impostor.code, JSON.parse(impostor.body)]).toMatchObject([
    401,
    { message: "certificate signed by unknown authority" },
  ]);
});

test("a front proxy names its user; no other client may", async () => {
  const { securePort } = await withLookup(publish, (user) => user === "carol");
  const headers = { "X-Remote-User": "carol" };
  await eventually(async () =>
    expect((await get(securePort, shop, undefined, { ...proxy, headers })).code).toBe(200),
  );
  const mallory = await issue(clients, "CN=front-proxy-client");
  expect((await get(securePort, shop, undefined, { ...mallory, headers })).code).toBe(403);
  expect((await get(securePort, shop, undefined, { headers })).code).toBe(401);
  expect((await get(securePort, shop, "dave", { headers })).code).toBe(403);
  const wrongName = await issue(proxies, "CN=other-proxy");
  expect((await get(securePort, shop, undefined, { ...wrongName, headers })).code).toBe(401);
});

test("through the API server's group: discovery for everyone, decisions for the user that it names", async () => {
  const { securePort } = await withLookup(publish, (user, { name }) => user === "carol" && name === "shop");
  const group = "/apis/explain.plimsoll.dev/v1";
  const list = await get(securePort, group);
  expect([list.code, JSON.parse(list.body)]).toMatchObject([
    200,
    { kind: "APIResourceList", groupVersion: "explain.plimsoll.dev/v1" },
  ]);
  const path = `${group}/namespaces/default/horizontalpodautoscalers/shop`;
  const as = (user: string) =>
    get(securePort, path, undefined, { ...proxy, headers: { "X-Remote-User": user } });
  await eventually(async () => expect((await as("carol")).code).toBe(200));
  expect((await as("mallory")).code).toBe(403);
  const shadow = await get(securePort, `${group}/shadow`, undefined, {
    ...proxy,
    headers: { "X-Remote-User": "carol" },
  });
  expect(shadow.code).toBe(403);
});

test("without the right to read the ConfigMap, tokens are still accepted", async () => {
  const refused = (api: FakeApi): void =>
    api.script("GET", /\/configmaps$/, () => failure(403, "Forbidden", "no right"), 1000);
  const { securePort } = await withLookup(refused, (user) => user === "reader");
  expect((await get(securePort, shop, "reader")).code).toBe(200);
  const bob = await issue(clients, "CN=bob");
  expect((await get(securePort, shop, undefined, bob)).code).toBe(401);
});

test("a user in thousands of groups reads decisions: each group is a header of the front proxy", async () => {
  const { api, securePort } = await withLookup(publish, (user) => user === "carol");
  const groups = Array.from({ length: 2_500 }, (_, index) => `g${index}`);
  const headers = { "X-Remote-User": "carol", "X-Remote-Group": groups };
  await eventually(async () =>
    expect((await get(securePort, shop, undefined, { ...proxy, headers })).code).toBe(200),
  );
  const review = api.requests.filter(({ path }) => path.endsWith("/subjectaccessreviews")).at(-1)?.body;
  expect(review).toMatchObject({ spec: { groups: [...groups, "system:authenticated"] } });
});

test.each<[string, OutgoingHttpHeaders]>([
  ["names an identity header in Connection", { connection: "close, X-Remote-User" }],
  ["upgrades", { connection: "upgrade", upgrade: "websocket" }],
  ["has a body", { "content-length": "2" }],
])("a request that %s is refused and its connection closed", async (_, more) => {
  const { securePort } = await withLookup(publish, (user) => user === "carol");
  const headers = { "X-Remote-User": "carol", ...more };
  await eventually(async () => {
    const { code, body, connection } = await get(securePort, shop, undefined, { ...proxy, headers });
    expect([code, JSON.parse(body), connection]).toMatchObject([400, { kind: "Status" }, "close"]);
  });
});

test("connections of callers without an identity are not kept", async () => {
  const { securePort } = await withLookup(publish, (user) => user === "bob");
  const headers = { connection: "keep-alive" };
  const refused = await get(securePort, shop, undefined, { headers });
  expect([refused.code, refused.connection]).toEqual([401, "close"]);
  const known = await get(securePort, shop, "bob", { headers });
  expect([known.code, known.connection]).toEqual([200, "keep-alive"]);
});
