import { manualClock } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { parseNamePattern } from "../../src/config/name-pattern.ts";
import { mergeLists } from "../../src/discovery/merged.ts";
import { createListReader } from "../../src/discovery/read-list.ts";
import { externalAdapter, resourceList, sendJson, startBackend } from "../fake/backend-server.ts";
import { entry, startFederation } from "../fake/start-federation.ts";

const external = "external.metrics.k8s.io";
const custom = "custom.metrics.k8s.io";

test("names of every version are listed; placeholders and names that no path can have are not", async () => {
  const clock = manualClock(1_000_000);
  const backend = await startBackend((request, response) => {
    switch (request.url ?? "") {
      case `/apis/${external}/v1beta1`:
        return sendJson(
          response,
          resourceList(`${external}/v1beta1`, ["externalmetrics", "lag", "a/b", "x y", ""]),
        );
      case `/apis/${custom}/v1beta1`:
        return sendJson(response, resourceList(`${custom}/v1beta1`, ["pods/rate", "custommetrics", "rate"]));
      default:
        return sendJson(response, { kind: "Status", code: 404 }, 404);
    }
  });
  const { federation } = await startFederation(entry("cloud", backend.url), { clock });
  await until("its list was read", () => federation.note() === undefined);
  expect([...federation.rows(external)]).toEqual([["lag", true]]);
  expect([...federation.rows(custom)]).toEqual([["pods/rate", true]]);
  expect(federation.rows(custom)).toBe(federation.rows(custom));
});

test("backends that list our own metrics, or those of another backend, get none of their requests", async () => {
  const clock = manualClock(1_000_000);
  const first = await startBackend(externalAdapter("ours", "lag"));
  const second = await startBackend(externalAdapter("ours", "lag", "depth"));
  const only = (name: string, url: string): string => entry(name, url, "", external);
  const { federation, get, log } = await startFederation(
    only("first", first.url) + only("second", second.url),
    {
      clock,
      isOwn: ({ metric }) => metric === "ours",
    },
  );
  await until("both are listed", () => federation.note() === undefined);
  expect([...federation.rows(external).keys()]).toEqual(["ours", "lag", "depth"]);
  expect(await get(`${external}/v1beta1/namespaces/shop/ours`)).toBe("own");
  await get(`${external}/v1beta1/namespaces/shop/lag`);
  await get(`${external}/v1beta1/namespaces/shop/depth`);
  const asked = ({ requests }: typeof first) =>
    requests.map(({ path }) => path).filter((path) => path.includes("namespaces"));
  expect(asked(first)).toEqual([`/apis/${external}/v1beta1/namespaces/shop/lag`]);
  expect(asked(second)).toEqual([`/apis/${external}/v1beta1/namespaces/shop/depth`]);
  const last = log.filter(({ message }) => message === "several backends list a metric").at(-1);
  expect(last?.fields["first"]).toEqual([
    { name: "ours", owner: "first", other: "second" },
    { name: "lag", owner: "first", other: "second" },
  ]);
  expect(
    log.filter(({ message }) => message === "backends list metrics that we own").at(-1)?.fields,
  ).toMatchObject({
    group: external,
    first: ["ours"],
  });
});

function readList(text: string, metrics?: readonly string[]) {
  const parsed = metrics?.map(parseNamePattern).flatMap((one) => (one.ok ? [one.pattern] : []));
  const reader = createListReader({ group: external, match: { metrics: parsed }, known: new Map() });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 65_536) reader.push(bytes.subarray(at, at + 65_536));
  return reader.end();
}

test.each([
  ["another document", '{"kind":"Status"}'],
  ["a list of something else", '{"kind":"PodList","resources":[]}'],
  ["no list", '{"kind":"APIResourceList","resources":{}}'],
  ["half a document", '{"kind":"APIResourceList","resources":[{"name":"a"}'],
  ["null", "null"],
  ["HTML", "<html>"],
])("%s is not a list", (_what, text) => {
  expect(readList(text)).toEqual({ ok: false, message: "its list of resources is not an APIResourceList" });
});

test.each([
  ["rows that are not JSON", '{"kind":"APIResourceList","resources":[{"name":a}]}', "JSON"],
  [
    "a row without end",
    `{"kind":"APIResourceList","more":["${"a".repeat(100_000)}`,
    "more than 65536 bytes outside resources",
  ],
  [
    "more rows than any adapter has",
    `{"resources":[${Array(200_001).fill("{}").join(",")}]}`,
    "more than 200000 resources",
  ],
])("%s: reading ends there", (_what, text, message) => {
  expect(() => readList(text)).toThrow(message);
});

test("a list of 50,000 names: the first 10,000 are read, and with match.metrics those that match", () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `${index % 2 === 0 ? "even" : "odd"}-${index}`);
  const text = JSON.stringify(resourceList(`${external}/v1beta1`, names));
  const all = readList(text);
  expect(all).toMatchObject({ ok: true, names: { size: 10_000 }, cutFrom: 50_000 });
  const odd = readList(text, ["odd-*9"]);
  expect(odd.ok && [...odd.names.keys()]).toEqual(names.filter((name) => /^odd-.*9$/.test(name)));
  const few = readList(JSON.stringify(resourceList(`${external}/v1beta1`, ["odd-1", "even-2"])), ["odd-*"]);
  expect(few.ok && [...few.names.keys()]).toEqual(["odd-1", "even-2"]);
});

test("backends that list too much together are not all in discovery", () => {
  const names = (prefix: string): ReadonlyMap<string, boolean> =>
    new Map(Array.from({ length: 10_000 }, (_, index) => [`${prefix}${index}`, true]));
  const merged = mergeLists(["a", "b", "c"].map((backend) => ({ backend, names: names(backend) })));
  expect([merged.rows.size, merged.omitted, merged.rows.has("b9999"), merged.rows.has("c0")]).toEqual([
    20_000,
    10_000,
    true,
    false,
  ]);
});

test("rows that are no objects are dropped", () => {
  const text = JSON.stringify({
    kind: "APIResourceList",
    resources: [null, 1, "x", { name: 2 }, { name: "ok" }],
  });
  expect(readList(text)).toEqual({
    ok: true,
    names: new Map([["ok", false]]),
    dropped: 4,
    cutFrom: undefined,
  });
});

test("the first backend that lists a name owns it", () => {
  const merged = mergeLists([
    { backend: "a", names: new Map([["x", true]]) },
    {
      backend: "b",
      names: new Map([
        ["x", false],
        ["y", false],
      ]),
    },
  ]);
  expect([...merged.rows]).toEqual([
    ["x", true],
    ["y", false],
  ]);
  expect(merged.shared).toEqual([{ name: "x", owner: "a", other: "b" }]);
});

test("a metric that is nowhere is not said to be missing while a backend could not be read", async () => {
  const clock = manualClock(1_000_000);
  const backend = await startBackend((request) => request.socket.destroy());
  const { federation } = await startFederation(entry("keda", backend.url), { clock });
  const owner = federation.ownerOf({
    group: external,
    version: "v1beta1",
    segments: ["namespaces", "shop", "lag"],
    query: new URLSearchParams(),
  });
  expect(owner.type === "none" && owner.unread.map(({ config }) => config.name)).toEqual(["keda"]);
});
