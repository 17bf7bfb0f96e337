import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { KubeObject } from "@plimsoll/kube";
import { testFolder, until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { startPagingServer } from "../fake/paging-server.ts";
import { lastPod } from "../fake/small-process.ts";

function pod(name: string, namespace: string, more: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return { metadata: { name, namespace, uid: `uid-${name}`, resourceVersion: "5", labels: {}, ...more } };
}

const several = (count: number, one: (at: number) => KubeObject) =>
  Array.from({ length: count }, (_, at) => one(at));
const letters = (count: number) => ({ fat: "x".repeat(count) });

test("a process with a heap of 96 MiB lives through 140 MB of hostile objects, in a list and in a watch", async () => {
  const server = await startPagingServer([
    ...several(50, (at) => pod(`a${at}`, "fair")),
    ...several(60, (at) => pod(`b${at}`, "annotated", { annotations: letters(500_000) })),
    ...several(40, (at) => pod(`c${at}`, "hostile", { labels: letters(1_100_000) })),
    ...several(250, (at) => pod(`d${at}`, "hostile", { labels: letters(200_000) })),
    ...several(50, (at) => pod(`e${at}`, "late")),
  ]);
  let hasEnded = false;
  const outcome = startProcess(server.url).finally(() => {
    hasEnded = true;
  });
  outcome.catch(() => undefined);
  await until("it watches", () => server.watches === 1 || hasEnded);
  for (let at = 0; at < 40; at++) {
    server.event(
      "MODIFIED",
      pod(`d${at}`, "hostile", { resourceVersion: `${at + 11}`, labels: letters(220_000) }),
    );
    server.event(
      "ADDED",
      pod(`f${at}`, "hostile", { resourceVersion: `${at + 11}`, labels: letters(1_100_000) }),
    );
  }
  server.event("ADDED", pod(lastPod, "late", { resourceVersion: "500" }));
  const { kept, reasons, maxRssKib } = await outcome;
  // 32 MiB hold no more of these.
  const atMost = Math.floor((32 * 1024 * 1024) / 200_000);
  expect(kept).toEqual({ fair: 50, annotated: 60, hostile: expect.any(Number), late: 51 });
  expect(kept["hostile"]).toBeLessThanOrEqual(atMost);
  expect(kept["hostile"]).toBeGreaterThan(0.8 * atMost);
  expect(reasons).toEqual({ ObjectTooLarge: 80, NamespaceTooLarge: 250 - (kept["hostile"] ?? 0) });
  expect(maxRssKib).toBeLessThan(300 * 1024);
});

interface Outcome {
  readonly kept: Readonly<Record<string, number>>;
  readonly reasons: Readonly<Record<string, number>>;
  readonly maxRssKib: number;
}

async function startProcess(url: string): Promise<Outcome> {
  const kubeconfig = join(testFolder(), "config");
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server: url } }],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    }),
  );
  const module = new URL("../fake/small-process.ts", import.meta.url).href;
  const script = `
    const { watchPods } = await import(${JSON.stringify(module)});
    await watchPods(${JSON.stringify(kubeconfig)});
  `;
  const flags = ["--conditions=@plimsoll/source", "--max-old-space-size=96"];
  const args = [...flags, "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  return JSON.parse(stdout) as Outcome;
}
