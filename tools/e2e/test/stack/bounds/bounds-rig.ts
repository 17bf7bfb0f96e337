import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Autoscaler, compileConfig, createAutoscaler, readCommandLine } from "@plimsoll/autoscaler";
import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import { connect, createRestMapper, type KubeClient } from "@plimsoll/kube";
import { createSandbox, type Sandbox, type StoredObject } from "@plimsoll/sandbox";
import { applyManifests, parseManifests } from "@plimsoll/testbed";
import { testFolder } from "@plimsoll/testbed/world";
import { afterEach, beforeEach } from "vitest";
import { local } from "../../fixture.ts";
import { silent } from "../../silent.ts";
import { untilWith } from "../../until-with.ts";

const definition = local("../../../deploy/crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml");
export const hpas = "horizontalpodautoscalers.autoscaling";
export const wlas = "workloadautoscalers.autoscaling.plimsoll.dev";
export const annotation = "autoscaling.plimsoll.dev/schedule-bounds";

let folder: string;
export let sandbox: Sandbox;
export let client: KubeClient;
/** The timers of the process, which tests advance while they wait. */
let clock: ManualClock;
let aheadMs = 0;
const running: { autoscaler: Autoscaler; client: KubeClient }[] = [];

/** A sandbox of its own for each test of a file. */
export function useSandbox(): void {
  beforeEach(async () => {
    clock = manualClock(Date.parse("2026-03-02T00:00:00Z"));
    folder = testFolder();
    sandbox = createSandbox({ workloads: false });
    const address = await sandbox.start();
    writeFileSync(join(folder, "kubeconfig"), address.kubeconfig, { mode: 0o600 });
    client = await connect({ kubeconfig: join(folder, "kubeconfig"), userAgent: "kubectl" });
    await apply(readFileSync(definition, "utf8"), "setup");
    setTime("2026-03-02T08:00:00Z");
  });

  afterEach(async () => {
    for (const one of running.slice()) await stop(one.autoscaler);
    await client?.close();
    await sandbox?.stop();
  });
}

/** The wall clock of the process; its timers do not notice, as on a machine whose clock is set. */
export function setTime(at: string): void {
  aheadMs = Date.parse(at) - clock.nowMs();
}

export const until = <T>(what: string, ask: () => T | undefined) => untilWith(clock, what, ask);

export async function start(wrap = (one: KubeClient) => one): Promise<Autoscaler> {
  const compiled = compileConfig(
    readCommandLine(["--leader-elect=false", "--port=0", "--manage-hpas=none", "--insecure-decisions"]),
  );
  if (!compiled.ok) throw new Error("the test's own flags are wrong");
  const own = await connect({ kubeconfig: join(folder, "kubeconfig"), userAgent: "autoscaler" });
  const autoscaler = createAutoscaler(compiled.config, {
    client: wrap(own),
    clock: {
      nowMs: () => clock.nowMs() + aheadMs,
      steadyMs: () => clock.nowMs(),
      after: (delayMs, run) => clock.after(delayMs, run),
    },
    log: silent,
  });
  running.push({ autoscaler, client: own });
  await autoscaler.start();
  return autoscaler;
}

export async function stop(autoscaler: Autoscaler): Promise<void> {
  const index = running.findIndex((one) => one.autoscaler === autoscaler);
  const [one] = running.splice(index, 1);
  await autoscaler.stop();
  await one?.client.close();
}

/** Server-side apply, as a tool does that keeps what is in a repository. */
export async function apply(text: string, manager: string): Promise<void> {
  const mapper = createRestMapper({ client });
  for (const object of parseManifests(text)) {
    if (manager === "setup") await applyManifests({ client, mapper }, [object]);
    else
      await client.request({
        method: "PATCH",
        path: pathOf(object.kind === "HorizontalPodAutoscaler" ? hpas : wlas, object.metadata.name),
        query: { fieldManager: manager, force: true },
        contentType: "application/apply-patch+yaml",
        body: object,
      });
  }
}

export function pathOf(resource: string, name = ""): string {
  const [plural, ...group] = resource.split(".");
  const version = resource === hpas ? "v2" : "v1alpha1";
  return `/apis/${group.join(".")}/${version}/namespaces/default/${plural}${name === "" ? "" : `/${name}`}`;
}

export const create = (resource: string, object: object) =>
  client.request({ method: "POST", path: pathOf(resource), body: object });

export const edit = (resource: string, name: string, body: object, manager = "kubectl-edit") =>
  client.request({
    method: "PATCH",
    path: pathOf(resource, name),
    query: { fieldManager: manager },
    contentType: "application/merge-patch+json",
    body,
  });

export const hpa = (spec: object = {}) => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "shop", namespace: "default" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
    minReplicas: 2,
    maxReplicas: 10,
    ...spec,
  },
});

export const office = {
  name: "office",
  timeZone: "UTC",
  start: "0 9 * * *",
  end: "0 18 * * *",
  minReplicas: 8,
};

export const wla = (options: { name?: string; schedules?: readonly object[]; spec?: object } = {}) => ({
  apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
  kind: "WorkloadAutoscaler",
  metadata: { name: options.name ?? "hours", namespace: "default" },
  spec: {
    scaleTargetRef: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "shop" },
    minReplicas: 1,
    maxReplicas: 30,
    schedules: options.schedules ?? [office],
    ...options.spec,
  },
});

export function stored(resource: string, name: string): StoredObject | undefined {
  return sandbox.store.get(resource, "default", name);
}

export function bounds(): readonly (number | undefined)[] {
  const { minReplicas, maxReplicas } = (stored(hpas, "shop")?.spec ?? {}) as Record<
    string,
    number | undefined
  >;
  return [minReplicas, maxReplicas];
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export function condition(type: string, name = "hours"): Condition | undefined {
  const status = stored(wlas, name)?.status as { conditions?: readonly Condition[] } | undefined;
  return status?.conditions?.find((candidate) => candidate.type === type);
}

export const reaches = async (wanted: readonly number[]) => {
  await until(`the bounds ${wanted.join("/")}`, () => (bounds().join() === wanted.join() ? true : undefined));
  return bounds();
};

export const says = (type: string, reason: string, name?: string) =>
  until(`${type} ${reason}`, () =>
    condition(type, name)?.reason === reason ? condition(type, name) : undefined,
  ).catch((error: unknown) => {
    throw new Error(`${type} says ${JSON.stringify(condition(type, name))}`, { cause: error });
  });

export function managers(): readonly string[] {
  const { managedFields } = (stored(hpas, "shop")?.metadata ?? {}) as {
    managedFields?: readonly { manager: string }[];
  };
  return (managedFields ?? []).map(({ manager }) => manager);
}

export const reported = () =>
  sandbox.store
    .list("events", "default")
    .map((event) => `${String(event["type"])} ${String(event["reason"])}: ${String(event["message"])}`);
