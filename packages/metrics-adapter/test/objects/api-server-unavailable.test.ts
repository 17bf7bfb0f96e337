import { createRestMapper, type KubeClient, type KubeRequest } from "@plimsoll/kube";
import { vector } from "@plimsoll/prometheus/testing";
import { expect, onTestFinished, test } from "vitest";
import { pod } from "../backends/prometheus/cluster.ts";
import { required, startHarness, valueOf } from "../backends/prometheus/harness.ts";

const rules = `
rules:
- seriesQuery: requests
  resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}
  metricsQuery: <<.Series>>{<<.LabelMatchers>>}
resourceRules:
  cpu: &rule
    containerQuery: cpu{<<.LabelMatchers>>}
    nodeQuery: nodecpu{<<.LabelMatchers>>}
    resources: {overrides: {instance: {resource: node}, namespace: {resource: namespace}, pod: {resource: pod}}}
    containerLabel: container
  memory: *rule
`;

const core = {
  kind: "APIGroupDiscoveryList",
  items: [
    {
      metadata: {},
      versions: [
        {
          version: "v1",
          resources: [
            { resource: "pods", responseKind: { kind: "Pod" }, scope: "Namespaced" },
            { resource: "nodes", responseKind: { kind: "Node" }, scope: "Cluster" },
            { resource: "namespaces", responseKind: { kind: "Namespace" }, scope: "Cluster" },
          ],
        },
      ],
    },
  ],
};

/** Discovery that responds until it has to swallow requests. */
function discovery(): KubeClient & { isSilent: boolean; requests: number; fail(): void } {
  const pending: ((error: Error) => void)[] = [];
  const client = {
    server: "https://fake",
    isSilent: false,
    requests: 0,
    fail: () => pending.forEach((reject) => reject(new Error("no response within 30000 ms"))),
    async request<T>({ path }: KubeRequest): Promise<T> {
      client.requests += 1;
      if (client.isSilent) await new Promise<never>((_resolve, reject) => pending.push(reject));
      return (path === "/api" ? core : { kind: "APIGroupDiscoveryList", items: [] }) as T;
    },
    stream: () => Promise.reject(new Error("no streams here")),
    close: () => Promise.resolve(),
  };
  return client;
}

test("an API server that swallows requests holds up none, of no API, and readyz shows it", async () => {
  const client = discovery();
  const { engine, clock, custom, stop } = await startHarness({
    rules,
    series: [{ __name__: "requests", namespace: "ns", pod: "a" }],
    objects: { pods: [pod("ns", "a")], nodes: [{ metadata: { name: "n1" } }] },
    mapper: (clock) => createRestMapper({ client, clock }),
    query: () => vector([{ labels: { pod: "a", instance: "n1", container: "m" }, value: "1" }]),
  });
  onTestFinished(stop);
  const { pods, nodes } = required(engine.resource);
  const query = {
    namespace: "ns",
    labelSelector: "",
    fieldSelector: "",
    signal: () => new AbortController().signal,
  };
  const ask = async (): Promise<readonly number[]> => [
    valueOf(await pods(query)).length,
    valueOf(await nodes({ ...query, namespace: undefined })).length,
    valueOf(await custom({ metric: "requests" })).length,
  ];
  expect(await ask()).toEqual([1, 1, 1]);

  client.isSilent = true;
  await clock.advance(3_600_000);
  // The clock stands still: whoever waited for the API server would wait for ever.
  expect(await ask()).toEqual([1, 1, 1]);
  expect(client.requests).toBe(3);
  client.fail();
  await clock.advance(0);
  expect(engine.readiness()).toMatchObject({
    ready: true,
    message: expect.stringContaining("discovery has failed since"),
  });
});
