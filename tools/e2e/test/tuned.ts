// Patches of `plimsoll tune` for objects that need many changes.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Recording, recordingLines } from "@plimsoll/backtest";
import { runCli } from "@plimsoll/cli";
import { dayMs, hourMs } from "@plimsoll/core/internal/values";

const startMs = Date.parse("2026-11-02T00:00:00Z");
const periodMs = 240_000;

/** Every parameter but the floors has one value that is not today's. */
const withoutFloor = `
target: [80]
minReplicas: [1]
scaleDownWindow: [180]
scaleUpWindow: [30]
scaleDownPolicies: [half-in-5-minutes]
scaleUpPolicies: [double-a-minute]
toleranceDown: [0.05]
toleranceUp: [0.15]
floor: today
`;
const withFloor = `
target: [80]
minReplicas: today
scaleDownWindow: today
scaleUpWindow: today
scaleDownPolicies: today
scaleUpPolicies: today
toleranceDown: today
toleranceUp: today
floor: [0.9, 1]
`;

/** An autoscaler whose target is far below what its pods can do. */
export function tunable(kind: "HorizontalPodAutoscaler" | "WorkloadAutoscaler"): object {
  const target = { type: "AverageValue", averageValue: "40" };
  return {
    apiVersion: kind === "WorkloadAutoscaler" ? "autoscaling.plimsoll.dev/v1alpha1" : "autoscaling/v2",
    kind,
    metadata: { name: "shop", namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      minReplicas: 2,
      maxReplicas: 60,
      metrics: [{ type: "External", external: { metric: { name: "orders" }, target } }],
    },
  };
}

/** The patch files of a search, in a folder; `floors` needs three weeks of history. */
export async function tunedPatches(
  object: object,
  { folder, floors }: { readonly folder: string; readonly floors: boolean },
): Promise<readonly { readonly file: string; readonly text: string }[]> {
  const recording = join(folder, "shop.jsonl");
  const space = join(folder, "space.yaml");
  const out = join(folder, "out");
  const recorded = floors ? recordedDays(object, 22, officeHours) : recordedDays(object, 14, wave);
  writeFileSync(recording, [...recordingLines(recorded)].join(""));
  writeFileSync(space, floors ? withFloor : withoutFloor);
  let errors = "";
  const code = await runCli({
    args: words(
      `tune --recording ${recording} --space ${space} --out ${out} --sync-period 4m --cache-age 0s`,
      "--load-model orders=independent --candidates 64 --objective hot-above=100 --force",
    ),
    name: "plimsoll",
    version: "1.2.3",
    readText: async (path) => readFileSync(path, "utf8"),
    writeOut: () => undefined,
    writeError: (text) => (errors += text),
    nowMs: () => Date.now(),
    signal: new AbortController().signal,
  });
  // 2: the recording is not quite what its controller would have done.
  if (code !== 0 && code !== 2) throw new Error(`tune ended with ${code}: ${errors}`);
  return readdirSync(out)
    .filter((name) => name.endsWith(".patch.yaml"))
    .map((name) => join(out, name))
    .map((file) => ({ file, text: readFileSync(file, "utf8") }));
}

function words(...lines: readonly string[]): readonly string[] {
  return lines.join(" ").split(" ");
}

/** A wave a day. */
function wave(at: number): number {
  return 900 - 600 * Math.cos((2 * Math.PI * (at - startMs)) / dayMs);
}

/** It comes at eight and goes at six: fewer pods are late without a floor. */
function officeHours(at: number): number {
  const hour = ((at - startMs) % dayMs) / hourMs;
  return hour >= 8 && hour < 18 ? 1500 : 300;
}

/** The count is what the highest load of five minutes needs. */
function recordedDays(object: object, days: number, load: (at: number) => number): Recording {
  const atMs = Array.from({ length: (days * dayMs) / periodMs }, (_, n) => startMs + 5000 + n * periodMs);
  const counts = atMs.map((at) => Math.ceil(Math.max(load(at), load(at - 300_000)) / 40));
  return {
    version: 1,
    target: { namespace: "default", kind: "Deployment", name: "shop" },
    span: { fromMs: startMs, toMs: startMs + days * dayMs },
    autoscaler: { object, changes: [] },
    syncs: { atMs, clock: "known" },
    pods: [],
    scale: atMs.flatMap((at, n) =>
      counts[n] === counts[n - 1] ? [] : [{ atMs: at, earliestMs: at, value: counts[n] ?? 1 }],
    ),
    metrics: [
      {
        index: 0,
        level: "series",
        samples: atMs.map((at) => ({ atMs: at, values: [{ value: load(at) }] })),
        gaps: [],
      },
    ],
    status: [],
  };
}
