import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtInHpa, ownLease, pace, shipped, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { depthFor, followsQueue, queue, workload } from "./targets.ts";

const names = ["jobs", "hours", "kept"];
const hpas = "horizontalpodautoscalers.autoscaling";

let cluster: TemporaryCluster;
let autoscaler: PlimsollProcess;
const folder = fileFolder();

beforeAll(async () => {
  cluster = await temporaryCluster({
    loads: names.map((name) => queue(name, depthFor(2))),
    workloads: [
      shipped("crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml"),
      shipped("crds/cronhorizontalpodautoscalers.autoscaling.alibabacloud.com.yaml"),
      shipped("kustomize/components/cron-compatibility/rbac.yaml"),
      shipped("kustomize/components/hpa-schedules/rbac.yaml"),
      ...names.map((name) => workload("Deployment", name)),
    ].join("---\n"),
  });
  const { stack } = cluster;
  for (const name of names) {
    const hpa = followsQueue(name, { apiVersion: "apps/v1", kind: "Deployment" });
    if (name === "kept") await stack.apply(hpa);
    else await kubectlApply(hpa);
  }
  await stack.startControllerManager(builtInHpa(pace));
  autoscaler = await startPlimsoll("autoscaler", [
    `--kubeconfig=${await stack.kubeconfigFor("autoscaler")}`,
    "--cron-hpa",
    "--cron-hpa-time-zone=UTC",
    ...pace,
    ownLease,
    "--port=0",
  ]);
  for (const name of names) await reaches(name, 2);
});

afterAll(async () => {
  await autoscaler?.stop();
  await cluster?.stop();
});

/** As a person does: it is written once, and no client keeps it. */
async function kubectlApply(text: string): Promise<void> {
  const file = join(folder, "manifest.yaml");
  writeFileSync(file, text);
  await cluster.kubectl("apply", "-f", file);
}

function replicas(name: string): number | undefined {
  const spec = cluster.stack.store.get("deployments.apps", "default", name)?.spec;
  return (spec as { replicas?: number } | undefined)?.replicas;
}

function bounds(name: string): string {
  const spec = cluster.stack.store.get(hpas, "default", name)?.spec;
  const { minReplicas, maxReplicas } = spec as { minReplicas?: number; maxReplicas?: number };
  return `${minReplicas}/${maxReplicas}`;
}

const reaches = (name: string, count: number) =>
  until(`${count} replicas of ${name}`, () => (replicas(name) === count ? true : undefined)).catch(
    (error: unknown) => {
      throw new Error(`${name} has ${replicas(name)}, bounds ${bounds(name)}`, { cause: error });
    },
  );

const setLoad = (name: string, count: number) =>
  cluster.stack.load.set(`default/${name}`, depthFor(count), "queue");

const conditionText = (kind: string, name: string, path: string) =>
  cluster.kubectl("get", kind, name, "-o", `jsonpath={.status.conditions${path}}`);

const cronHpa = (jobs: string) => `
apiVersion: autoscaling.alibabacloud.com/v1beta1
kind: CronHorizontalPodAutoscaler
metadata: { name: jobs, namespace: default }
spec:
  scaleTargetRef: { apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, name: jobs }
  jobs:
${jobs}`;

test("jobs of a CronHorizontalPodAutoscaler move an HPA that the built-in controller manages", async () => {
  const up = '    - { name: up, schedule: "@every 3s", targetSize: 12, runOnce: true }\n';
  const never = '    - { name: never, schedule: "0 0 0 31 2 *", targetSize: 1 }\n';
  await kubectlApply(cronHpa(up + never));
  await reaches("jobs", 12);
  expect(bounds("jobs")).toBe("12/12");
  await until("the condition", async () =>
    (await conditionText("cronhpa", "jobs", '[?(@.name=="up")].state')) === "Succeed" ? true : undefined,
  );
  expect(await conditionText("cronhpa", "jobs", '[?(@.name=="up")].message')).toBe(
    "cron hpa job up executed successfully. current replicas:2, desired replicas:12.",
  );
  expect(await conditionText("cronhpa", "jobs", '[?(@.name=="never")].message')).toContain("never occurs");
  const described = await until("the event", async () => {
    const text = await cluster.kubectl("describe", "cronhpa", "jobs");
    return text.includes("Succeed") && text.includes("executed successfully") ? text : undefined;
  });
  expect(described).toMatch(/Normal\s+Succeed\s.*CronHorizontalPodAutoscaler\s+cron hpa job up executed/);
  // Once the floor is lowered, the load decides again: the built-in controller has been at work all the time.
  await kubectlApply(cronHpa('    - { name: down, schedule: "@every 3s", targetSize: 1, runOnce: true }\n'));
  await reaches("jobs", 2);
  expect(bounds("jobs")).toBe("1/12");
});

test("a schedule moves the bounds of an HPA that the built-in controller manages, on time, and restores them", async () => {
  const startsAt = new Date((Math.floor(Date.now() / 60_000) + 1) * 60_000);
  // Enough time to write it down.
  if (startsAt.getTime() - Date.now() < 5_000) startsAt.setMinutes(startsAt.getMinutes() + 1);
  const lastsMs = 40_000;
  await kubectlApply(`
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: hours, namespace: default }
spec:
  scaleTargetRef: { apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: hours }
  minReplicas: 1
  maxReplicas: 20
  schedules:
    - name: sale
      timeZone: UTC
      start: "${startsAt.getUTCMinutes()} ${startsAt.getUTCHours()} * * *"
      duration: ${lastsMs / 1000}s
      minReplicas: 5
`);
  expect(bounds("hours")).toBe("1/10");
  await reaches("hours", 5);
  expect(bounds("hours")).toBe("5/10");
  expect(Date.now() - startsAt.getTime()).toBeGreaterThanOrEqual(0);
  expect(Date.now() - startsAt.getTime()).toBeLessThan(10_000);
  setLoad("hours", 8);
  await reaches("hours", 8);
  setLoad("hours", 2);
  await reaches("hours", 5);
  expect(await conditionText("wla", "hours", '[?(@.type=="ScheduleActive")].message')).toContain(
    "the limits [1, 10] become [5, 10]",
  );
  await reaches("hours", 2);
  expect(bounds("hours")).toBe("1/10");
  const endedAfterMs = Date.now() - startsAt.getTime();
  expect(endedAfterMs).toBeGreaterThanOrEqual(lastsMs);
  expect(endedAfterMs).toBeLessThan(lastsMs + 20_000);
  const left = await cluster.kubectl("get", "hpa", "hours", "-o", "yaml", "--show-managed-fields");
  expect(left).not.toContain("schedule");
  // Whoever applies the HPA from now on is in conflict with no manager.
  const file = join(folder, "hpa.yaml");
  writeFileSync(
    file,
    followsQueue("hours", { apiVersion: "apps/v1", kind: "Deployment" }).replace(
      "minReplicas: 1",
      "minReplicas: 3",
    ),
  );
  await cluster.kubectl("apply", "--server-side", "--field-manager=a-tool", "-f", file);
  await reaches("hours", 3);
});

test("bounds that another client applies are its own; deleting a schedule restores the others first", async () => {
  const always = (name: string) => `
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: ${name}-always, namespace: default }
spec:
  scaleTargetRef: { apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: ${name} }
  maxReplicas: 20
  schedules: [{ name: always, timeZone: UTC, start: "0 0 * * *", duration: 23h59m, minReplicas: 6 }]
`;
  await kubectlApply(always("kept"));
  const message = await until("the conflict", async () => {
    const text = await conditionText("wla", "kept-always", '[?(@.type=="Conflict")].message');
    return text.includes("applies") ? text : undefined;
  });
  expect(message).toContain("plimsoll-e2e applies spec.minReplicas");
  expect([bounds("kept"), replicas("kept")]).toEqual(["1/10", 2]);

  await kubectlApply(always("jobs"));
  await reaches("jobs", 6);
  await cluster.kubectl("delete", "wla", "jobs-always", "--timeout=90s");
  expect(await cluster.kubectl("get", "hpa", "jobs", "-o", "jsonpath={.spec.minReplicas}")).toBe("1");
  await reaches("jobs", 2);
});
