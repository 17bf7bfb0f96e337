// `simulate --save`: the first run as a recording, which backtest reproduces.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { plimsoll } from "./run-plimsoll.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = fileFolder();
const seams = { nowMs: () => 0 };
const simulate = (example: string, ...args: readonly string[]) =>
  plimsoll(["simulate", `${root}/examples/${example}`, ...args], seams);

test("what is saved is reproduced by backtest, whole", async () => {
  const file = join(folder, "orders.jsonl");
  const { code, err } = await simulate("tune/orders.yaml", "--duration=6h", "--save", file);
  expect([code, err]).toEqual([0, ""]);
  const again = await plimsoll(["backtest", "--recording", file, "--sync-period=1m"], seams);
  expect([again.code, again.err]).toEqual([0, ""]);
  expect(again.out.replaceAll(/\s+/g, " ")).toMatch(
    /100\.0 % of \d+ steps, skill 1\.00, events (\d+) of \1 \(\1 exact, 0 extra\)/,
  );
});

test("a query is saved with its failure policy, which a patch of tune would remove otherwise", async () => {
  const metric = {
    type: "Query",
    query: { promql: "sum(orders)", target: { type: "AverageValue", averageValue: "50" } },
    onMetricFailure: { policy: "HoldLast", forSeconds: 600 },
  };
  const scenario = readFileSync(`${root}/examples/tune/orders.yaml`, "utf8");
  const hpa = readFileSync(`${root}/examples/tune/hpa.yaml`, "utf8");
  const file = join(folder, "query.yaml");
  writeFileSync(file, scenario.replace("orders_per_second", '"query[0]"').replace("hpa.yaml", "wla.yaml"));
  writeFileSync(
    join(folder, "wla.yaml"),
    hpa
      .replace("autoscaling/v2", "autoscaling.plimsoll.dev/v1alpha1")
      .replace("HorizontalPodAutoscaler", "WorkloadAutoscaler")
      .replace(/metrics:[^]*/, `metrics: ${JSON.stringify([metric])}\n`),
  );
  const saved = join(folder, "query.jsonl");
  const { code, err } = await plimsoll(["simulate", file, "--duration=1h", "--save", saved], seams);
  expect([code, err]).toEqual([0, ""]);
  const [head = ""] = readFileSync(saved, "utf8").split("\n");
  expect(JSON.parse(head)).toMatchObject({
    autoscaler: { object: { kind: "WorkloadAutoscaler", spec: { metrics: [metric] } } },
  });
});

test("what a WorkloadAutoscaler tunes is saved, so that backtest decides with it", async () => {
  const tuning = {
    syncPeriodSeconds: 60,
    tolerance: "0.3",
    downscaleStabilizationSeconds: 0,
    upscaleDelaySeconds: 600,
  };
  const scenario = readFileSync(`${root}/examples/tune/orders.yaml`, "utf8");
  const hpa = readFileSync(`${root}/examples/tune/hpa.yaml`, "utf8");
  const file = join(folder, "tuned.yaml");
  writeFileSync(file, scenario.replace("hpa.yaml", "tuned-wla.yaml"));
  writeFileSync(
    join(folder, "tuned-wla.yaml"),
    hpa
      .replace("autoscaling/v2", "autoscaling.plimsoll.dev/v1alpha1")
      .replace("HorizontalPodAutoscaler", "WorkloadAutoscaler")
      .replace(/^spec:/m, `spec:\n  tuning: ${JSON.stringify(tuning)}`),
  );
  const saved = join(folder, "tuned.jsonl");
  const { code, err } = await plimsoll(["simulate", file, "--duration=6h", "--save", saved], seams);
  expect([code, err]).toEqual([0, ""]);
  const [head = ""] = readFileSync(saved, "utf8").split("\n");
  expect(JSON.parse(head)).toMatchObject({
    autoscaler: { object: { kind: "WorkloadAutoscaler", spec: { tuning } } },
  });
  const again = await plimsoll(["backtest", "--recording", saved], seams);
  expect(again.out.replaceAll(/\s+/g, " ")).toMatch(
    /100\.0 % of \d+ steps, skill 1\.00, events (\d+) of \1 \(\1 exact, 0 extra\)/,
  );
});

test("pods are not recorded, so that a metric of theirs is refused, and nothing is written", async () => {
  const file = join(folder, "peak.jsonl");
  const { code, out, err } = await simulate("simulate/evening-peak.yaml", "--duration=1h", "--save", file);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toBe(
    "error: --save: as it stands scales on metrics other than Object and External ones, which need pod times: record it from Prometheus\n",
  );
  expect(() => readFileSync(file)).toThrow("ENOENT");
});

test("a column that is not there, and a folder that is not there", async () => {
  const column = await simulate(
    "tune/orders.yaml",
    "--duration=1h",
    "--column=3",
    "--save",
    join(folder, "a"),
  );
  expect(column.err).toBe("error: --column 3: the scenario's last column is 1\n");
  const lost = await simulate("tune/orders.yaml", "--duration=1h", "--save", join(folder, "no/a"));
  expect(lost.err).toContain("error: cannot write --save ");
  expect(lost.code).toBe(1);
});
