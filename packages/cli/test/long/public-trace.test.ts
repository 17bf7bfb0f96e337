// Four weeks of a public log: "1998 World Cup Web Site Access Logs", M. Arlitt and T. Jin, August 1998, Internet Traffic
// Archive, counted per minute by nimamahmoudi/worldcup98-dataset (MIT, copyright 2019 Nima Mahmoudi).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, hpa } from "../small-scenario.ts";

const folder = process.env["PLIMSOLL_TRACES"];
const file = folder === undefined ? undefined : join(folder, "worldcup98-may.csv");
const isThere = file !== undefined && existsSync(file);
const why = isThere ? "" : " (skipped: PLIMSOLL_TRACES names no folder with worldcup98-may.csv)";
const requests = 68_303_368;

const scenario = `
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: Scenario
metadata: {name: world-cup}
start: "1998-05-04T00:00:00Z"
duration: 672h
workloads:
  - name: shop
    load: {csv: {file: trace.csv, time: time, value: requests, per: 1m}}
    pod: {serviceTime: {mean: 100ms}, concurrency: 1, start: {ready: 90s}}
    metrics: {http_requests_per_second: {of: requests, query: rate, window: 1m}}
autoscalers:
  - name: target 6
    file: hpa.yaml
    patch: [{op: replace, path: /spec/metrics/0/pods/target/averageValue, value: "6"}]
  - name: target 7.5
    file: hpa.yaml
    patch: [{op: replace, path: /spec/metrics/0/pods/target/averageValue, value: "7.5"}]
`;

interface Column {
  readonly scores: Readonly<Record<string, { readonly median: number }>>;
}

test.skipIf(!isThere)(`four weeks of the World Cup of 1998: all requests are there${why}`, async () => {
  const files = { "s.yaml": scenario, "hpa.yaml": hpa, "trace.csv": readFileSync(file ?? "", "utf8") };
  const { code, out, err } = await cli(["simulate", "s.yaml", "-o", "json", "--jobs", "1"], files);
  expect([code, err]).toEqual([0, expect.not.stringContaining("error")]);
  const { columns } = JSON.parse(out) as { readonly columns: readonly Column[] };
  const of = (name: string) => columns.map(({ scores }) => scores[name]?.median ?? Number.NaN);
  for (const offered of of("offered")) expect(Math.abs(offered / requests - 1)).toBeLessThan(0.001);
  const [today = 0, other = 0] = of("podHours");
  // A fourth more load for each pod, with floors of whole pods.
  expect(other / today).toBeGreaterThan(0.78);
  expect(other / today).toBeLessThan(0.95);
});
