// Following one object: lines, what ends it, and a stream that is cut.
import type { Clock } from "@plimsoll/component-base";
import { expect, test } from "vitest";
import { recorded, shop } from "../golden/inputs.ts";
import { putDecisions, rowBody } from "./decisions.ts";
import { connecting, leaseOf, startFakeAutoscaler } from "./fake-autoscaler.ts";
import { nowMs, run } from "./fake-cluster.ts";
import { schemaErrors } from "./schema-errors.ts";
import { shopCluster } from "./workload.ts";

const own = "/apis/decisions/v1";
const streamPath = `${own}/namespaces/default/stream`;

/** The duration of --for in these tests: it passes when a test says so. */
const forMs = 3_000;

/** Waits no real time for what is short, and for ever for deadlines. */
function fastClock(): Clock & { expire(): void } {
  let expire = (): void => undefined;
  return {
    nowMs: () => nowMs,
    after(delayMs, done) {
      if (delayMs === forMs) expire = done;
      if (delayMs === forMs || delayMs > 5_000) return () => undefined;
      const timer = setImmediate(done);
      return () => clearImmediate(timer);
    },
    expire: () => expire(),
  };
}

async function setUp() {
  const fake = shopCluster();
  const autoscaler = await startFakeAutoscaler();
  putDecisions(autoscaler, own);
  fake.put(leaseOf(autoscaler));
  const clock = fastClock();
  const connect = connecting(fake, { clock, token: "canary-token" });
  let [out, errors] = ["", ""];
  /** `until`: when the time of --for has passed. */
  const watch = async (args: readonly string[], until?: (out: string, errors: string) => boolean) => {
    const wrote = (): void => {
      if (until?.(out, errors) === true) clock.expire();
    };
    const code = (
      await run(fake, ["watch", "shop", ...args], {
        connect,
        clock,
        writeOut(part) {
          out += part;
          wrote();
        },
        writeError(part) {
          errors += part;
          wrote();
        },
      })
    ).code;
    return { code, out, errors };
  };
  return { fake, autoscaler, watch };
}

/** The first line was written. */
const hasLine = (out: string): boolean => out.includes("\n");

const scaled = rowBody(recorded(shop), {
  at: "2026-11-22T10:04:32Z",
  desired: 5,
  action: "scale",
  heldBy: "none",
  notBefore: null,
});

function send(response: { write(text: string): unknown } | undefined, event: string, data: unknown): void {
  response?.write(`event: ${event}\nid: a-2\ndata: ${JSON.stringify(data)}\n\n`);
}

test("a line per changed decision, until the replicas are reached", async () => {
  const { autoscaler, watch } = await setUp();
  const { open } = autoscaler.stream(streamPath);
  const ran = watch(["--until=desired=5"]);
  await expect.poll(() => open.length).toBe(1);
  // The same with other values, another object, and a comment: no line.
  send(open[0], "rows", [rowBody(recorded(shop), { at: "2026-11-22T10:00:17Z", notBefore: null })]);
  send(open[0], "rows", [{ ...scaled, name: "other" }]);
  open[0]?.write(":\n\n");
  send(open[0], "rows", [scaled]);
  expect(await ran).toEqual({
    code: 0,
    errors: "",
    out:
      "10:00:02  8 = 8   hold   proposed 5 (cpu 34%)   stabilize until 10:04:31\n" +
      "10:04:32  8 -> 5  scale  proposed 5 (cpu 34%)\n",
  });
});

test("a port-forward that is cut is opened again, and a line says so", async () => {
  const { autoscaler, watch } = await setUp();
  const { open } = autoscaler.stream(streamPath);
  const ran = watch(["--until=desired=5"]);
  for (let cuts = 1; cuts <= 3; cuts += 1) {
    await expect.poll(() => open.length).toBe(cuts);
    autoscaler.cut();
  }
  await expect.poll(() => open.length).toBe(4);
  send(open[3], "rows", [scaled]);
  const { code, out, errors } = await ran;
  expect([code, out.split("\n").length]).toEqual([0, 3]);
  expect(errors).toMatch(/^note: cannot follow the decisions \(.+\); retrying\n/);
  expect(errors).not.toContain("canary");
});

test("an object that is decided on no more ends it", async () => {
  const { autoscaler, watch } = await setUp();
  const { open } = autoscaler.stream(streamPath);
  const ran = watch([]);
  await expect.poll(() => open.length).toBe(1);
  send(open[0], "deleted", [
    { resource: "horizontalpodautoscalers", namespace: "default", name: "shop", uid: "uid-shop" },
  ]);
  expect(await ran).toMatchObject({
    code: 1,
    errors:
      'error: the autoscaler no longer decides about horizontalpodautoscalers "shop" in namespace "default"\n',
  });
});

test("without a stream the decisions are read once a period", async () => {
  const { autoscaler, watch } = await setUp();
  autoscaler.reply(streamPath, "there are 100 streams already", 429);
  const { code, errors } = await watch(["--for=3s"], (_, noted) => noted.includes("no event stream"));
  expect(code).toBe(0);
  expect(errors).toBe("note: no event stream (there are 100 streams already); reading once per period\n");
});

test("without an endpoint live data are recomputed, for as long as was asked", async () => {
  const { watch } = await setUp();
  const { code, out } = await watch(["--via=none", "--for=3s"], hasLine);
  expect(code).toBe(0);
  expect(out).toMatch(/^10:00:02 {2}8 .* proposed 5 \(cpu 34%\)/);
});

test.each(["desired=9", "stable", "error"])(
  "--until %s that is not reached within --for ends with 1",
  async (until) => {
    const { watch } = await setUp();
    expect(await watch(["--via=none", "--for=3s", `--until=${until}`], hasLine)).toMatchObject({
      code: 1,
      errors: `error: --until ${until} was not reached within 3s\n`,
    });
  },
);

test("a failed metric is an error that can be waited for", async () => {
  const { fake, watch } = await setUp();
  fake.reply("/apis/metrics.k8s.io/v1beta1/namespaces/default/pods", "no answer", 503);
  const { code, out } = await watch(["--via=none", "--until=error"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^10:00:02 {2}8 = \? {3}none {3}FailedGetResourceMetric cpu/);
});

test("replicas that were not decided are not the ones that are waited for", async () => {
  const { fake, watch } = await setUp();
  fake.reply("/apis/metrics.k8s.io/v1beta1/namespaces/default/pods", "no answer", 503);
  const { code } = await watch(["--via=none", "--for=3s", "--until=desired=8"], hasLine);
  expect(code).toBe(1);
});

test("lines as JSON", async () => {
  const { watch } = await setUp();
  const { out } = await watch(["-o", "json", "--until=desired=8"]);
  expect(await schemaErrors("watch.v1", JSON.parse(out))).toEqual([]);
  const wrong: unknown = { ...JSON.parse(out), current: "8", heldBy: "mood" };
  expect(await schemaErrors("watch.v1", wrong)).toHaveLength(2);
  expect(JSON.parse(out)).toMatchObject({
    schema: "plimsoll/watch/v1",
    name: "shop",
    desired: 8,
    proposed: 5,
    decision: { desiredReplicas: 8 },
    notes: [],
    errors: [],
  });
});

test("lines as YAML are documents of their own", async () => {
  const { watch } = await setUp();
  const { out } = await watch(["-o", "yaml", "--until=desired=8"]);
  expect(out).toMatch(/^---\nschema: plimsoll\/watch\/v1\n/);
  expect(out).toContain("\ndecision:\n");
});

test("what cannot be waited for says what can", async () => {
  const { watch } = await setUp();
  expect(await watch(["--until=calm"])).toMatchObject({
    code: 1,
    errors: "error: --until calm is unknown: use desired=N, stable or error\n",
  });
});
