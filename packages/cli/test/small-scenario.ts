// Runs the command simulate on a small scenario.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { plimsoll, type Seams } from "./run-plimsoll.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export const cli = (
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
  seams: Seams = {},
) =>
  plimsoll(args, {
    readText: async (path) => files[path] ?? readFileSync(`${root}/${path}`, "utf8"),
    nowMs: () => Date.parse("2026-11-21T12:00:00Z"),
    ...seams,
  });

export const hpa = readFileSync(`${root}/examples/simulate/hpa.yaml`, "utf8");
export const scenario = (of: {
  readonly load?: string;
  readonly pod?: string;
  readonly rest?: string;
  readonly duration?: string;
}) => `
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: Scenario
metadata: {name: small}
start: "2026-11-27T00:00:00Z"
duration: ${of.duration ?? "30m"}
workloads:
  - name: shop
    load: ${of.load ?? "{steps: [{at: 0s, value: 100}, {at: 5m, value: 600}]}"}
    pod: ${of.pod ?? "{serviceTime: {mean: 40ms}, concurrency: 8, requests: {cpu: 500m}}"}
    metrics:
      http_requests_per_second: {of: requests, query: rate, window: 1m}
autoscalers:
  - {name: now, file: hpa.yaml}
${of.rest ?? ""}`;

export const simulated = (text: string, ...more: readonly string[]) =>
  cli(["simulate", "s.yaml", ...more], { "s.yaml": text, "hpa.yaml": hpa });
