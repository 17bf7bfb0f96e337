import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { type BackendAnswer, type BackendResult, failure } from "../../src/backend/answer.ts";
import { loadFederation } from "../../src/config/load-federation.ts";
import { createBackendDiscovery } from "../../src/discovery/backend-discovery.ts";
import { resourceList } from "../fake/backend-server.ts";

const external = "external.metrics.k8s.io";

const custom = "custom.metrics.k8s.io";

interface Options {
  readonly names?: readonly string[];
  readonly maxAgeMs?: number;
  readonly groups?: readonly string[];
  /** For paths of its own; undefined: as for the others. */
  readonly reply?: (path: string) => BackendResult | undefined;
}

function discovery({ names: first, maxAgeMs = 600_000, groups = [external], reply }: Options) {
  const loaded = loadFederation(
    `backends: [{name: keda, service: {namespace: keda, name: m}, groups: [${groups.join()}]}]`,
  );
  const config = loaded.ok ? loaded.config.backends[0] : undefined;
  if (config === undefined) throw new Error("the file is not right");
  const clock = manualClock(1_000_000);
  const log: string[] = [];
  const add = (_fields: object, message: string): void => void log.push(message);
  let names = first;
  const readAtMs: number[] = [];
  const read = async (
    { path }: { readonly path: string },
    onPart: (part: Uint8Array) => void,
  ): Promise<BackendResult> => {
    readAtMs.push(clock.nowMs());
    const own = reply?.(path);
    if (own !== undefined) return own;
    if (names === undefined) return failure("unreachable", "connection refused");
    const { body, ...rest } = answer(200, resourceList(path, names));
    onPart(body);
    return { ...rest, body: Buffer.alloc(0) };
  };
  const own = createBackendDiscovery({
    backend: { config, read },
    maxAgeMs,
    clock,
    log: { debug: add, info: add, warn: add, error: add },
    random: () => 0.5,
  });
  return {
    own,
    clock,
    log,
    readAtMs,
    list: (next: readonly string[] | undefined) => {
      names = next;
    },
    rows: () => [...own.names(external).keys()].join(" "),
    lists: (metric: string) => own.lists({ group: external, resource: undefined, metric }),
  };
}

function answer(code: number, document: object): BackendAnswer {
  const body = Buffer.from(JSON.stringify(document));
  return { ok: true, code, contentType: "application/json", retryAfter: undefined, body };
}

test("a list is read again every minute", async () => {
  const { own, clock, list, rows, readAtMs } = discovery({ names: ["lag"] });
  await own.start();
  expect(rows()).toBe("lag");
  list(["lag", "depth"]);
  await clock.advance(59_999);
  expect(rows()).toBe("lag");
  await clock.advance(1);
  expect(rows()).toBe("lag depth");
  own.stop();
  await clock.advance(600_000);
  expect(readAtMs).toEqual([1_000_000, 1_060_000]);
});

test("of a list that is too long the first names are read, and stay whatever the order", async () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `m${index}`);
  const { own, clock, list, lists, log } = discovery({ names });
  await own.start();
  expect([own.names(external).size, lists("m9999"), lists("m10000"), own.problem()]).toEqual([
    10_000,
    true,
    false,
    undefined,
  ]);
  list(names.toReversed());
  await clock.advance(60_000);
  expect([own.names(external).size, lists("m9999"), lists("m10000")]).toEqual([10_000, true, false]);
  list(names.slice(1).toReversed());
  await clock.advance(60_000);
  expect([own.names(external).size, lists("m0"), lists("m49999")]).toEqual([10_000, false, true]);
  expect(log).toEqual([
    "the list of a backend was read",
    "a backend lists too many metrics: select some with match.metrics",
  ]);
});

test("a list stays the same object while it has the same names", async () => {
  const { own, clock } = discovery({ names: ["lag"] });
  await own.start();
  const before = own.names(external);
  await clock.advance(60_000);
  expect(own.names(external)).toBe(before);
});

test("a list is kept while the backend is down, in discovery no longer than its max age", async () => {
  const { own, clock, list, rows, lists, log } = discovery({ names: ["lag"], maxAgeMs: 600_000 });
  await own.start();
  list(undefined);
  await clock.advance(60_000);
  expect(own.problem()).toBe("connection refused");
  expect(lists("lag")).toBe(true);
  await clock.advance(500_000);
  expect(rows()).toBe("lag");
  await clock.advance(100_000);
  expect(rows()).toBe("");
  expect([lists("lag"), lists("depth")]).toEqual([true, false]);
  expect(own.readAtMs()).toBeUndefined();
  expect(log).toEqual([
    "the list of a backend was read",
    "cannot read the list of a backend",
    "the list of a backend is too old and is no longer used",
  ]);
  list(["depth"]);
  await clock.advance(60_000);
  expect([lists("lag"), lists("depth"), rows()]).toEqual([false, true, "depth"]);
  expect(own.problem()).toBeUndefined();
});

test("a backend that is down is read again after pauses that grow up to a minute", async () => {
  const { own, clock, readAtMs } = discovery({});
  await own.start();
  await clock.advance(300_000);
  const pauses = readAtMs.slice(1).map((atMs, index) => atMs - (readAtMs[index] ?? 0));
  expect(pauses.slice(0, 7)).toEqual([1_500, 3_000, 6_000, 12_000, 24_000, 45_000, 45_000]);
});

test.each([
  ["is not served", answer(404, {}), `it does not serve ${custom}`],
  ["fails", answer(500, {}), `it returned 500 for its list of ${custom}`],
  ["is HTML", failure("refused", "its answer is not JSON"), "its answer is not JSON"],
  ["hangs", failure("timeout", "it did not answer"), "it did not answer"],
])("a group that %s hides no other group", async (_what, result, problem) => {
  for (const groups of [
    [custom, external],
    [external, custom],
  ]) {
    const { own, rows, lists } = discovery({
      names: ["lag"],
      groups,
      reply: (path) => (path.includes(custom) ? result : undefined),
    });
    await own.start();
    expect(rows()).toBe("lag");
    expect(lists("lag")).toBe(true);
    expect(own.lists({ group: custom, resource: "pods", metric: "rate" })).toBeUndefined();
    expect(own.problem()).toBe(problem);
    expect(own.readAtMs()).toBeUndefined();
    own.stop();
  }
});

test("a group that fails later keeps its list up to its max age, and the other group is read on", async () => {
  let isBroken = false;
  const { own, clock, rows, log } = discovery({
    names: ["pods/rate", "lag"],
    groups: [custom, external],
    maxAgeMs: 120_000,
    reply: (path) => (isBroken && path.includes(custom) ? answer(503, {}) : undefined),
  });
  const listsRate = () => own.lists({ group: custom, resource: "pods", metric: "rate" });
  await own.start();
  isBroken = true;
  await clock.advance(119_000);
  expect(listsRate()).toBe(true);
  await clock.advance(60_000);
  expect([listsRate(), own.names(custom).size]).toEqual([true, 0]);
  expect(rows()).toBe("lag");
  expect(log.filter((line) => line.includes("too old"))).toHaveLength(1);
});

test("a backend that cannot be reached is asked once, whatever its groups", async () => {
  const { own, readAtMs } = discovery({ groups: [custom, external] });
  await own.start();
  expect(own.problem()).toBe("connection refused");
  expect(readAtMs).toHaveLength(1);
});

test("a reading that throws is a failed one, and the next is made", async () => {
  let isBroken = true;
  const { own, clock, rows } = discovery({
    names: ["lag"],
    reply: () => {
      if (isBroken) throw new Error("out of memory");
      return undefined;
    },
  });
  await own.start();
  expect(own.problem()).toBe("out of memory");
  isBroken = false;
  await clock.advance(60_000);
  expect([own.problem(), rows()]).toEqual([undefined, "lag"]);
});

test("the versions that are served are known, the better one first", async () => {
  const { own } = discovery({ names: ["pods/rate"], groups: [custom] });
  await own.start();
  expect(own.versions(custom)).toEqual(["v1beta2", "v1beta1"]);
  const first = discovery({
    names: ["pods/rate"],
    groups: [custom],
    reply: (path) => (path.endsWith("v1beta2") ? answer(404, {}) : undefined),
  });
  expect(first.own.versions(custom)).toEqual([]);
  await first.own.start();
  expect(first.own.versions(custom)).toEqual(["v1beta1"]);
});

test.each([
  ["a 404 that is HTML", failure("refused", 'its response (404) is "text/html" and not JSON')],
  ["a 500", answer(500, {})],
])("a version that has %s hides no other version of the group", async (_what, result) => {
  for (const version of ["v1beta1", "v1beta2"]) {
    const { own, rows } = discovery({
      names: ["pods/rate"],
      groups: [custom],
      reply: (path) => (path.endsWith(version) ? undefined : result),
    });
    await own.start();
    expect(own.versions(custom)).toEqual([version]);
    expect(own.lists({ group: custom, resource: "pods", metric: "rate" })).toBe(true);
    expect([own.problem(), rows()]).toEqual([undefined, ""]);
    own.stop();
  }
});
