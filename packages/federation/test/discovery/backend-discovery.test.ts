import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { type BackendResult, failure } from "../../src/backend/answer.ts";
import { loadFederation } from "../../src/config/load-federation.ts";
import { createBackendDiscovery } from "../../src/discovery/backend-discovery.ts";
import { resourceList } from "../fake/backend-server.ts";

const external = "external.metrics.k8s.io";

function discovery({ names: first, maxAgeMs = 600_000 }: { names?: readonly string[]; maxAgeMs?: number }) {
  const loaded = loadFederation(
    `backends: [{name: keda, service: {namespace: keda, name: m}, groups: [${external}]}]`,
  );
  const config = loaded.ok ? loaded.config.backends[0] : undefined;
  if (config === undefined) throw new Error("the file is not right");
  const clock = manualClock(1_000_000);
  const log: string[] = [];
  const add = (_fields: object, message: string): void => void log.push(message);
  let names = first;
  const readAtMs: number[] = [];
  const read = async (): Promise<BackendResult> => {
    readAtMs.push(clock.nowMs());
    if (names === undefined) return failure("unreachable", "connection refused");
    const body = Buffer.from(JSON.stringify(resourceList(`${external}/v1beta1`, names)));
    return { ok: true, code: 200, contentType: "application/json", retryAfter: undefined, body };
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

test("a list stays the same object while it has the same names", async () => {
  const { own, clock } = discovery({ names: ["lag"] });
  await own.start();
  const before = own.names(external);
  await clock.advance(60_000);
  expect(own.names(external)).toBe(before);
});

test("a list is kept while the backend is down, and no longer than its max age", async () => {
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
  expect(lists("lag")).toBeUndefined();
  expect(own.readAtMs()).toBeUndefined();
  expect(log).toEqual([
    "the list of a backend was read",
    "the list of a backend cannot be read",
    "the list of a backend is too old and is no longer used",
  ]);
  list(["lag"]);
  await clock.advance(60_000);
  expect(lists("lag")).toBe(true);
  expect(own.problem()).toBeUndefined();
});

test("a backend that is down is read again after pauses that grow up to a minute", async () => {
  const { own, clock, readAtMs } = discovery({});
  await own.start();
  await clock.advance(300_000);
  const pauses = readAtMs.slice(1).map((atMs, index) => atMs - (readAtMs[index] ?? 0));
  expect(pauses.slice(0, 7)).toEqual([1_500, 3_000, 6_000, 12_000, 24_000, 45_000, 45_000]);
});
