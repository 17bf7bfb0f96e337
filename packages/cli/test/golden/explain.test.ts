// The mock-ups of `explain` on each terminal. What is computed is computed by core, on written inputs.
import { whyNot } from "@plimsoll/core";
import { expect, test } from "vitest";
import { whyNotText } from "../../src/commands/explain/print.ts";
import { explanationText } from "../../src/commands/explain/text.ts";
import { styleOf } from "../../src/output/style.ts";
import { widthOf } from "../../src/output/width.ts";
import { fakeCluster, run } from "../cluster/fake-cluster.ts";
import { putWorkload, statusOf } from "../cluster/workload.ts";
import { decidedMs, recorded, shop } from "./inputs.ts";
import { terminals } from "./terminals.ts";

const shown = { ...recorded(shop), nowMs: decidedMs + 4_000 };

test.each(terminals)("a recorded decision that a window holds, on %s", async (name, terminal) => {
  const { decision } = shown;
  if (decision === undefined) throw new Error("no decision");
  const style = styleOf({ terminal }, "never");
  const options = { style, hasHeadings: true, detail: "short", nowMs: shown.nowMs } as const;
  const text = explanationText({ ...shown, decision }, options);
  await expect(text).toMatchFileSnapshot(`explain-shop-${name}.txt`);
  expect(widest(text)).toBeLessThanOrEqual(terminal.columns ?? 0);
});

test.each(terminals)("a recomputed decision that has moved, on %s", async (name, terminal) => {
  const cluster = fakeCluster();
  putWorkload(cluster, {
    namespace: "web",
    name: "api",
    replicas: 6,
    maxReplicas: 10,
    usage: "355m",
    status: statusOf(6, { cpu: 64 }),
    metadata: {
      managedFields: [
        { manager: "kube-controller-manager", subresource: "status", time: "2026-11-22T09:59:50Z" },
      ],
    },
  });
  const { out, code } = await run(
    cluster,
    ["explain", "api", "-n", "web", "--via", "none", "--color=never"],
    { terminal },
  );
  await expect(out).toMatchFileSnapshot(`explain-api-${name}.txt`);
  expect(code).toBe(0);
  expect(widest(out)).toBeLessThanOrEqual(terminal.columns ?? 0);
});

test.each(terminals.flatMap(([name, terminal]) => [5, 12].map((n) => [n, name, terminal] as const)))(
  "why not %i of it, on %s",
  async (n, name, terminal) => {
    const { record } = shown;
    if (record === undefined) throw new Error("no record");
    const text = whyNotText(whyNot(record, n), styleOf({ terminal }, "never"), shown.nowMs);
    await expect(text).toMatchFileSnapshot(`why-not-${n}-${name}.txt`);
    expect(widest(text)).toBeLessThanOrEqual(terminal.columns ?? 0);
  },
);

test("for programs, what may not be read stands under errors", async () => {
  const cluster = fakeCluster();
  putWorkload(cluster, { name: "shop", replicas: 6, usage: "355m", status: statusOf(6, { cpu: 64 }) });
  cluster.deny(/\/pods$/);
  const { out, code } = await run(cluster, ["explain", "shop", "--via=none", "-o", "json"]);
  await expect(out).toMatchFileSnapshot("explain-forbidden.json");
  expect(code).toBe(0);
});

function widest(text: string): number {
  return Math.max(...text.split("\n").map((line) => widthOf(line)));
}
