import { readFileSync } from "node:fs";
import {
  type Example,
  exampleFile,
  exampleJobs,
  exampleRules,
  examples,
  type PlimsollProcess,
  type Stack,
  startPlimsoll,
  until,
} from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryStack } from "../fixture.ts";

const folder = fileFolder();
const [first] = examples;
let stack: Stack;
let stop: () => Promise<void>;
let autoscaler: PlimsollProcess;

beforeAll(async () => {
  ({ stack, stop } = await temporaryStack({
    rules: exampleRules(folder),
    workloads: exampleFile(first as Example, "workload.yaml"),
    loads: examples.flatMap(({ load }) => load),
    otherJobs: exampleJobs,
    adapterArgs: ["--metrics-relist-interval=1s", "--metrics-max-age=10s", "--metrics-result-max-age=250ms"],
  }));
  for (const example of examples) {
    await stack.apply(exampleFile(example, "workload.yaml"));
    await stack.apply(exampleFile(example, "hpa.yaml"));
  }
  autoscaler = await startPlimsoll("autoscaler", [
    `--kubeconfig=${stack.kubeconfigFor("autoscaler")}`,
    "--manage-hpas=all",
    "--horizontal-pod-autoscaler-sync-period=1s",
    "--horizontal-pod-autoscaler-downscale-stabilization=3s",
    "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
    "--horizontal-pod-autoscaler-initial-readiness-delay=0s",
    "--port=0",
  ]);
});

afterAll(async () => {
  await autoscaler?.stop();
  await stop?.();
});

test.each(examples)("$folder follows its load to $replicas replicas", async ({ workload, replicas }) => {
  const seen: number[] = [];
  await until(`${workload} to have ${replicas} ready replicas`, () => {
    const { spec, status } = stack.store.get("deployments.apps", "default", workload) as unknown as {
      spec: { replicas: number };
      status?: { readyReplicas?: number };
    };
    if (seen.at(-1) !== spec.replicas) seen.push(spec.replicas);
    return spec.replicas === replicas && status?.readyReplicas === replicas ? true : undefined;
  }).catch((error: unknown) => {
    throw new Error(`it went ${seen.join(" → ")}: ${JSON.stringify(conditions(workload))}`, {
      cause: error,
    });
  });
  expect(seen.at(-1)).toBe(replicas);
});

interface Answer {
  readonly items: readonly { readonly value?: string }[];
}

test.each(examples)("what $folder/README.md requests from the API is there", async (example) => {
  const text = readFileSync(exampleFile(example, "README.md"), "utf8");
  const asked = [...text.matchAll(/kubectl get --raw "([^"]+)"/g)].map(
    ([, path = ""]) => new URL(path, "https://api"),
  );
  expect(asked).toHaveLength(example.folder === "cpu-memory" ? 0 : 1);
  for (const { pathname, searchParams } of asked) {
    // A pod that has just begun has no rate yet.
    await until(`values at ${pathname}`, async () => {
      const { items } = await stack.client.request<Answer>({
        path: pathname,
        query: Object.fromEntries(searchParams),
      });
      const hasValues = items.length > 0 && items.every(({ value = "0" }) => Number.parseFloat(value) > 0);
      return hasValues ? true : undefined;
    });
  }
});

test("the rule for Traefik serves one Service at a time, as its README says", async () => {
  const all = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/services/*/requests-per-second";
  const answer = await stack.client.request<Answer>({ path: all }).catch((error: unknown) => String(error));
  expect(typeof answer === "string" ? answer : answer.items).toEqual([]);
});

function conditions(name: string): unknown {
  return stack.store.get("horizontalpodautoscalers.autoscaling", "default", name)?.["status"];
}
