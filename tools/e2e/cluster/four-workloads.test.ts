import { createScenario } from "@plimsoll/demo";
import { startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtInHpa, example, ownLease, pace, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { peak, playSteps, setLoad, steps, workloads } from "./steps.ts";

let cluster: TemporaryCluster;

beforeAll(async () => {
  cluster = await temporaryCluster({
    loads: createScenario("fast").streams.map(({ load }) => ({ ...load, points: load.points.slice(0, 1) })),
    workloads: example("workloads.yaml"),
  });
  const [quiet] = steps;
  if (quiet !== undefined) setLoad(cluster.stack, quiet);
});

afterAll(async () => {
  await cluster?.stop();
});

/** What `kubectl describe hpa` says of each workload when all is quiet again, by driver. */
const described = { builtIn: {} as Described, ours: {} as Described };
type Described = Record<string, { readonly head: string; readonly events: readonly string[] }>;

test("every APIService of the adapter is available, by a CA and not by looking away", async () => {
  const { items } = await cluster.stack.client.request<{
    items: readonly {
      metadata: { name: string };
      spec: { service?: object; caBundle?: string; insecureSkipTLSVerify?: boolean };
      status: { conditions: readonly { type: string; status: string; reason: string }[] };
    }[];
  }>({ path: "/apis/apiregistration.k8s.io/v1/apiservices" });
  const ours = items.filter(({ spec }) => spec.service !== undefined);
  expect(ours.map(({ metadata }) => metadata.name).toSorted()).toEqual([
    "v1beta1.custom.metrics.k8s.io",
    "v1beta1.external.metrics.k8s.io",
    "v1beta1.metrics.k8s.io",
    "v1beta2.custom.metrics.k8s.io",
  ]);
  for (const { spec, status } of ours) {
    expect(spec.caBundle).toBeTruthy();
    expect(spec.insecureSkipTLSVerify ?? false).toBe(false);
    expect(status.conditions).toMatchObject([{ type: "Available", status: "True", reason: "Passed" }]);
  }
});

describe("the built-in HPA controller on metrics of the adapter", () => {
  beforeAll(async () => {
    const manager = await cluster.stack.startControllerManager(builtInHpa(pace));
    stopDriver = () => manager.stop();
    await cluster.stack.apply(example("autoscalers.yaml"));
    await everyMetricIsRead();
  });

  afterAll(() => stopDriver());

  test("scales four workloads to what the formula says, never beyond", async () => {
    const { settled, most } = await playSteps(cluster.stack);
    expect(settled).toEqual(steps.map((step) => step.replicas));
    expect(most).toEqual(peak);
    described.builtIn = await describeAll();
    expect(described.builtIn["router"]?.events).toContain(
      "SuccessfulRescale New size: 6; reason: pods metric packets-per-second above target",
    );
  });

  test("get hpa shows a value for every metric", async () => {
    const text = await cluster.kubectl("get", "hpa", "-A");
    expect(text).toMatch(/default\s+worker\s+Deployment\/worker\s+24\/30 \(avg\)\s+1\s+10\s+1/);
    expect(text).toMatch(/default\s+router\s+Deployment\/router\s+700\/1k\s+1\s+10\s+1/);
    expect(text).toMatch(/default\s+shop\s+Deployment\/shop\s+1500\/2k\s+1\s+10\s+1/);
    expect(text).toMatch(/default\s+api\s+Deployment\/api\s+cpu: \d+%\/60%, 350\/500/);
  });
});

describe("our autoscaler with --manage-hpas=all, with the built-in one gone", () => {
  beforeAll(async () => {
    // New objects, so that kubectl describes no event of the other driver.
    await cluster.kubectl("delete", "hpa", "--all");
    await cluster.stack.apply(example("autoscalers.yaml"));
    const autoscaler = await startPlimsoll("autoscaler", [
      `--kubeconfig=${await cluster.stack.kubeconfigFor("autoscaler")}`,
      "--manage-hpas=all",
      ...pace,
      ownLease,
      "--port=0",
    ]);
    stopDriver = () => autoscaler.stop();
    await everyMetricIsRead();
  });

  afterAll(() => stopDriver());

  test("scales the same workloads to the same replicas", async () => {
    const { settled, most } = await playSteps(cluster.stack);
    expect(settled).toEqual(steps.map((step) => step.replicas));
    expect(most).toEqual(peak);
    described.ours = await describeAll();
  });

  test("describe hpa reads as it does under the built-in controller", () => {
    for (const name of workloads) {
      expect(described.ours[name]?.head).toBe(described.builtIn[name]?.head);
    }
    // The cpu of `api` is a rate, which comes to its new value over two seconds: sizes in between may differ.
    for (const name of ["router", "shop", "worker"]) {
      expect(described.ours[name]?.events).toEqual(described.builtIn[name]?.events);
      expect(described.ours[name]?.events).not.toEqual([]);
    }
  });
});

let stopDriver: () => Promise<void> = async () => {};

async function everyMetricIsRead(): Promise<void> {
  await until("all autoscalers to read all their metrics", async () => {
    const text = await cluster.kubectl("get", "hpa", "--no-headers");
    return text.trim().split("\n").length === workloads.length && !text.includes("<unknown>")
      ? true
      : undefined;
  });
}

async function describeAll(): Promise<Described> {
  const result: Described = {};
  for (const name of workloads) {
    const text = await cluster.kubectl("describe", "hpa", name);
    const [head = "", events = ""] = text.split(/^Events:.*$/m);
    result[name] = {
      // Instants, and the cpu, which is measured.
      head: head.replace(/^CreationTimestamp:.*$/m, "").replaceAll(/\d+% \(\d+m\)/g, "CPU"),
      events: events
        .split("\n")
        .filter((line) => line.includes("SuccessfulRescale"))
        .map((line) =>
          line.replace(
            /^.*SuccessfulRescale\s+\S+(?: \(.*\))?\s+horizontal-pod-autoscaler\s+/,
            "SuccessfulRescale ",
          ),
        )
        .toSorted(),
    };
  }
  return result;
}
