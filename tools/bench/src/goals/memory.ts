// G2: memory beside kube-controller-manager on a real API server, and by object.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRestMapper } from "@plimsoll/kube";
import {
  applyManifests,
  type ControlPlane,
  deployment,
  findBinaries,
  parseManifests,
  type Stops,
  startControlPlane,
  stopAll,
  until,
} from "@plimsoll/testbed";
import { cpuSeconds } from "../adapter/usage.ts";
import { type Contender, contendersWith } from "../autoscaler/real/contender.ts";
import { isServed, startFakeMetricsApi } from "../autoscaler/real/fake-metrics-api.ts";
import { createWorld, type Size } from "../autoscaler/real/world.ts";
import { residentMiB } from "./fleet.ts";
import { largeObjects, measureLarge } from "./large.ts";
import { atMost, type Row, shown, withUnit } from "./result.ts";
import type { Session } from "./session.ts";
import { measureSize, defaultPeriodSeconds as periodSeconds, podsEach } from "./sizes.ts";

export const g2 = {
  id: "G2",
  title: "Memory of the autoscaler",
  peer: "kube-controller-manager",
  measure: measureMemory,
} as const;

const sizes = [1000, 3000];
const warmUpPeriods = 3;
const crd = new URL(
  "../../../../deploy/crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml",
  import.meta.url,
);

interface Taken {
  readonly rssMiB: number;
  readonly cpuSeconds: number;
  /** Of the objects, in the period. */
  readonly evaluatedShare: number;
}

async function measureMemory(session: Session): Promise<{ rows: readonly Row[]; notes: readonly string[] }> {
  const beside = await measureBeside(session);
  const [small, { window: large }] = [await measureSize(session, 1000), await measureLarge(session)];
  const more = session.objects(largeObjects) - session.objects(1000);
  const each = ((large.rssMiB - small.rssMiB) * 1024) / more;
  const rows = beside.flatMap(({ objects, ours, theirs }) => [
    atMost(1, {
      what: `${objects} objects, real API server: RSS against the peer's`,
      value: ours.rssMiB / theirs.rssMiB,
      unit: "×",
      also: withUnit(ours.rssMiB, "MiB"),
      peer: withUnit(theirs.rssMiB, "MiB"),
    }),
    shown({
      what: `${objects} objects, real API server: CPU of a period`,
      value: ours.cpuSeconds,
      unit: "s",
      also: `${withUnit(ours.evaluatedShare * 100, "%")} evaluated`,
      peer: `${withUnit(theirs.cpuSeconds, "s")} (${withUnit(theirs.evaluatedShare * 100, "%")})`,
    }),
  ]);
  return {
    rows: [
      ...rows,
      atMost(300, {
        what: `${largeObjects} objects × ${podsEach} pods, sandbox: RSS`,
        value: large.rssMiB,
        unit: "MiB",
      }),
      atMost(20, {
        what: `each object between 1,000 and ${largeObjects}, sandbox`,
        value: each,
        unit: "KiB",
      }),
    ],
    notes: [
      "kube-controller-manager runs its HPA controller alone, with 50 workers and a QPS of 1,000",
      "mean RSS of a period after three",
    ],
  };
}

interface Beside {
  readonly objects: number;
  readonly ours: Taken;
  readonly theirs: Taken;
}

async function measureBeside(session: Session): Promise<readonly Beside[]> {
  const folder = join(session.folder, "real");
  mkdirSync(folder, { recursive: true });
  const binaries = await findBinaries(session.progress);
  const stops: Stops = [];
  const stop = () => stopAll(stops);
  session.stops.push(stop);
  try {
    const plane = await startControlPlane({ folder, binaries, controllerManager: false });
    stops.push(() => plane.stop());
    const { client } = plane;
    await applyManifests({ client, mapper: createRestMapper({ client }) }, [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "plimsoll" } },
      ...parseManifests(deployment("autoscaler-rbac.yaml")),
      ...parseManifests(readFileSync(crd, "utf8")),
    ]);
    const largest: Size = { objects: session.objects(sizes.at(-1) ?? 0), podsEach };
    const metricsApi = await startFakeMetricsApi(client, largest);
    stops.push(() => metricsApi.stop());
    const results: Beside[] = [];
    let made = 0;
    for (const objects of sizes.map(session.objects)) {
      await createWorld(client, { objects, podsEach }, made);
      made = objects;
      await until("the metrics to be served", () => isServed(client), { timeoutMs: 60_000 });
      session.progress(`a real API server has ${objects} objects × ${podsEach} pods`);
      const [own, builtIn] = contendersOf(session);
      const ours = await take(own, plane, objects);
      const theirs = await take(builtIn, plane, objects);
      session.progress("both controllers have been measured");
      results.push({ objects, ours, theirs });
    }
    return results;
  } finally {
    await stop();
  }
}

/** Ours as its image has it, with default flags, and the built-in controller without its default limits. */
function contendersOf(session: Session): readonly [ours: Contender, theirs: Contender] {
  const { environment, nodeOptions, file } = session.autoscaler();
  const args = [...environment, process.execPath, ...nodeOptions, file];
  const [ours, theirs] = contendersWith({ command: "env", args });
  if (ours === undefined || theirs === undefined) throw new Error("there is nothing to compare with");
  return [ours, theirs];
}

async function take(contender: Contender, plane: ControlPlane, objects: number): Promise<Taken> {
  const running = await contender.start(plane);
  try {
    await sleep(warmUpPeriods * periodSeconds * 1000);
    const evaluations = await running.evaluations();
    const [cpuBefore, startedMs] = [cpuSeconds(running.pid), performance.now()];
    const resident: number[] = [];
    while (performance.now() - startedMs < periodSeconds * 1000) {
      await sleep(500);
      resident.push(residentMiB(running.pid));
    }
    const periods = (performance.now() - startedMs) / 1000 / periodSeconds;
    const cpu = cpuSeconds(running.pid) - cpuBefore;
    const evaluated = (await running.evaluations()) - evaluations;
    return {
      rssMiB: resident.reduce((sum, one) => sum + one, 0) / resident.length,
      cpuSeconds: cpu / periods,
      evaluatedShare: evaluated / periods / objects,
    };
  } finally {
    await running.stop();
  }
}
