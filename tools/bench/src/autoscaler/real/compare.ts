// 1,000 objects on a real kube-apiserver: the autoscaler and the HPA controller of kube-controller-manager, one after
// the other, on the same objects and the same metrics.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRestMapper } from "@plimsoll/kube";
import {
  type AuditedRequest,
  applyManifests,
  type ControlPlane,
  deployment,
  findBinaries,
  parseManifests,
  startControlPlane,
  until,
} from "@plimsoll/testbed";
import { defaultPeriodSeconds as periodSeconds } from "../report.ts";
import { cpuOf } from "../sample.ts";
import { type Contender, contendersWith, type OwnProgram } from "./contender.ts";
import { isServed, startFakeMetricsApi } from "./fake-metrics-api.ts";
import { createWorld, type Size } from "./world.ts";

/** One measurement of one controller, by period. */
interface Measurement {
  readonly evaluations: number;
  readonly cpuSeconds: number;
  readonly requests: ReadonlyMap<string, number>;
  readonly rssMiB: number;
}

const warmUpPeriods = 2;
const crd = new URL(
  "../../../../../deploy/crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml",
  import.meta.url,
);

export async function compareOnRealServer(
  options: Size & { readonly periods: number; readonly rounds: number; readonly program: OwnProgram },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-bench-real-"));
  const stops: (() => Promise<void>)[] = [];
  try {
    const report = (line: string) => console.error(line);
    const binaries = await findBinaries(report);
    const plane = await startControlPlane({ folder, binaries, controllerManager: false, audit: true });
    stops.push(() => plane.stop());
    const { client } = plane;
    await applyManifests({ client, mapper: createRestMapper({ client }) }, [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "plimsoll" } },
      ...parseManifests(deployment("autoscaler-rbac.yaml")),
      ...parseManifests(readFileSync(crd, "utf8")),
    ]);
    const startedMs = performance.now();
    await createWorld(client, options);
    const metricsApi = await startFakeMetricsApi(client, options);
    stops.push(() => metricsApi.stop());
    await until("the metrics to be served", () => isServed(client), { timeoutMs: 60_000 });
    report(
      `${options.objects} objects × ${options.podsEach} pods made in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`,
    );

    const measurements = new Map<Contender, Measurement[]>(
      contendersWith(options.program).map((contender) => [contender, []]),
    );
    for (let round = 1; round <= options.rounds; round++) {
      for (const [contender, taken] of measurements) {
        const measurement = await measure(contender, plane, options.periods);
        taken.push(measurement);
        report(`round ${round}: ${contender.name}: ${rowOf(measurement, options.objects).join(" | ")}`);
      }
    }
    console.log(
      `\n${options.objects} objects × ${options.podsEach} pods, ${options.rounds} × ${options.periods} periods of ${periodSeconds} s`,
    );
    console.log(`| | ${columns.join(" | ")} |\n| --- |${columns.map(() => " --- |").join("")}`);
    for (const [{ name }, taken] of measurements)
      console.log(`| ${name} | ${rowOf(mean(taken), options.objects).join(" | ")} |`);
  } finally {
    for (const stop of stops.reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(contender: Contender, plane: ControlPlane, periods: number): Promise<Measurement> {
  const running = await contender.start(plane);
  try {
    await pass(warmUpPeriods);
    const before = { atMs: Date.now(), evaluations: await running.evaluations(), cpu: cpuOf(running.pid) };
    await pass(periods);
    const cpuSeconds = (cpuOf(running.pid) - before.cpu) / periods;
    const evaluations = ((await running.evaluations()) - before.evaluations) / periods;
    const untilMs = Date.now();
    const own = plane
      .audited()
      .filter(({ user, atMs }) => user === contender.user && atMs >= before.atMs && atMs < untilMs);
    const status = readFileSync(`/proc/${running.pid}/status`, "utf8");
    const rssMiB = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    return { evaluations, cpuSeconds, rssMiB, requests: countsOf(own, periods) };
  } finally {
    await running.stop();
  }
}

function countsOf(requests: readonly AuditedRequest[], periods: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { verb, resource } of requests) {
    const kind = `${verb} ${resource}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1 / periods);
  }
  return counts;
}

function mean(measurements: readonly Measurement[]): Measurement {
  const over = (value: (measurement: Measurement) => number) =>
    measurements.reduce((sum, measurement) => sum + value(measurement), 0) / measurements.length;
  const kinds = new Set(measurements.flatMap(({ requests }) => [...requests.keys()]));
  return {
    evaluations: over((measurement) => measurement.evaluations),
    cpuSeconds: over((measurement) => measurement.cpuSeconds),
    rssMiB: over((measurement) => measurement.rssMiB),
    requests: new Map(
      [...kinds].map((kind) => [kind, over((measurement) => measurement.requests.get(kind) ?? 0)]),
    ),
  };
}

const columns = [
  "evaluated in a period",
  "CPU s per period",
  "CPU µs per evaluation",
  "API requests per object and period",
  "RSS MiB",
  "the requests",
];

function rowOf(
  { evaluations, cpuSeconds, rssMiB, requests }: Measurement,
  objects: number,
): readonly string[] {
  const total = [...requests.values()].reduce((sum, count) => sum + count, 0);
  const kinds = [...requests].sort(([, one], [, other]) => other - one).slice(0, 4);
  return [
    `${((evaluations / objects) * 100).toFixed(0)} %`,
    cpuSeconds.toFixed(2),
    evaluations === 0 ? "-" : ((cpuSeconds / evaluations) * 1e6).toFixed(0),
    (total / objects).toFixed(3),
    rssMiB.toFixed(0),
    kinds.map(([kind, count]) => `${kind} ${count.toFixed(0)}`).join(", "),
  ];
}

function pass(periods: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, periods * periodSeconds * 1000));
}
