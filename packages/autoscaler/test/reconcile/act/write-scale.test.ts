import { ApiError, ConnectionError, type KubeClient, type KubeRequest } from "@plimsoll/kube";
import { resourceInfo } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import type { PermitResult } from "../../../src/reconcile/act/permit.ts";
import { setReplicas } from "../../../src/reconcile/act/write-scale.ts";

const info = resourceInfo();
const scaleOf = (resourceVersion: string, replicas: number) => ({
  metadata: { namespace: "default", name: "shop", resourceVersion },
  spec: { replicas },
  status: { replicas: 3, selector: "app=shop" },
});
const conflict = new ApiError({ code: 409, reason: "Conflict", message: "changed" });

/** What comes of the requests for the scale in their order; the last one is for all that follow. */
async function write(
  responses: readonly unknown[],
  options: { readonly evenIfMoved?: boolean; readonly permits?: readonly PermitResult[] } = {},
) {
  const requests: string[] = [];
  const waitsMs: number[] = [];
  const lines: unknown[] = [];
  const seen: unknown[] = [];
  const doubted: unknown[] = [];
  const urgencies: string[] = [];
  const permits = [...(options.permits ?? [])];
  const client = {
    request({ method = "GET", body }: KubeRequest) {
      const sent = body as ReturnType<typeof scaleOf> | undefined;
      requests.push(sent ? `${method} ${sent.metadata.resourceVersion} ${sent.spec.replicas}` : method);
      const response = responses[Math.min(requests.length, responses.length) - 1];
      return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
    },
  } as unknown as KubeClient;
  const log = (level: string) => (fields: object, message: string) =>
    void lines.push([level, message, fields]);
  const written = await setReplicas({ info, scale: scaleOf("1", 3) }, 5, {
    client,
    clock: {
      nowMs: () => 0,
      after(ms, call) {
        waitsMs.push(ms);
        queueMicrotask(call);
        return () => undefined;
      },
    },
    random: () => 0.5,
    log: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
    targets: {
      seen: (...args) => seen.push(args) > 0,
      doubt: (...args) => void doubted.push(args),
    },
    evenIfMoved: options.evenIfMoved === true,
    permit: { check: () => permits.shift() ?? "granted" },
    budget: {
      run(urgency, call) {
        urgencies.push(urgency);
        return call();
      },
    },
  });
  return { written, requests, waitsMs, lines, seen, doubted, urgencies };
}

test("replicas are written into the scale that was read, before other writes", async () => {
  const stored = scaleOf("2", 5);
  expect(await write([stored])).toEqual({
    written: { result: "written" },
    requests: ["PUT 1 5"],
    waitsMs: [],
    lines: [],
    seen: [[info, stored]],
    doubted: [],
    urgencies: ["scale"],
  });
});

test("after a conflict they are written into the scale as it is then", async () => {
  expect(await write([conflict, scaleOf("2", 3), scaleOf("3", 5)])).toMatchObject({
    written: { result: "written" },
    requests: ["PUT 1 5", "GET", "PUT 2 5"],
    waitsMs: [10.5],
    doubted: [[info, "default", "shop"]],
  });
});

test.each([
  [false, { result: "moved" }, 2],
  [true, { result: "written" }, 3],
])("replicas that another client changed are written over: %s", async (evenIfMoved, written, count) => {
  const result = await write([conflict, scaleOf("2", 4), scaleOf("3", 5)], { evenIfMoved });
  expect([result.written, result.requests.length]).toEqual([written, count]);
});

test("when the scale cannot be read again, the log says so, and the former one serves", async () => {
  const away = new ApiError({ code: 503, reason: "", message: "away" });
  const { written, requests, lines } = await write([conflict, away, scaleOf("3", 5)]);
  expect([written, requests.at(-1)]).toEqual([{ result: "written" }, "PUT 1 5"]);
  const fields = { namespace: "default", name: "shop", error: "away" };
  expect(lines).toEqual([["warn", "could not reread the scale", fields]]);
});

test("the fifth conflict is a failure", async () => {
  const scale = scaleOf("2", 3);
  const responses = [conflict, scale, conflict, scale, conflict, scale, conflict, scale, conflict];
  const { written, waitsMs } = await write(responses);
  expect(written).toEqual({
    result: "failed",
    message: "changed",
    retryAfterMs: undefined,
    isUncertain: false,
  });
  expect(waitsMs).toHaveLength(4);
});

test.each<[what: string, permits: readonly PermitResult[], requests: number]>([
  ["before the write", ["lost"], 0],
  ["after a conflict", ["granted", "changed"], 2],
])("a permit that is withdrawn %s ends the attempt", async (_, permits, count) => {
  const { written, requests } = await write([conflict, scaleOf("2", 3)], { permits });
  expect([written, requests.length]).toEqual([{ result: "fenced" }, count]);
});

const apiError = (code: number, retryAfterMs?: number) =>
  new ApiError({ code, reason: "", message: "no", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

test.each([
  [apiError(422), false, undefined],
  [apiError(429, 2000), false, 2000],
  [apiError(499), false, undefined],
  [apiError(500), true, undefined],
  [new ConnectionError("reset", "no"), true, undefined],
  [new Error("no"), true, undefined],
])(
  "a write that ends with %s fails at once; it may have been carried out: %s",
  async (error, isUncertain, retryAfterMs) => {
    const { written, requests, doubted } = await write([error]);
    expect(written).toEqual({ result: "failed", message: "no", retryAfterMs, isUncertain });
    expect([requests.length, doubted]).toEqual([1, [[info, "default", "shop"]]]);
  },
);
