// Objects of clusters that go back, and the plans of these.
import type { KubeObject } from "@plimsoll/kube";
import { expect } from "vitest";
import { parseAllDocuments } from "yaml";
import type { ReleasePlanDocument } from "../../src/commands/release/document.ts";
import { fakeCluster, run } from "./fake-cluster.ts";
import { schemaErrors } from "./schema-errors.ts";

type Cluster = ReturnType<typeof fakeCluster>;

export const target = (name: string) => ({ apiVersion: "apps/v1", kind: "Deployment", name });
export const external = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
};

type Stored = KubeObject & { readonly spec: object };

export function wla(name: string, spec: object, more: object = {}): Stored {
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name, namespace: "default" },
    spec: { scaleTargetRef: target(name), minReplicas: 1, maxReplicas: 9, ...spec },
    ...more,
  };
}

export function hpa(name: string, annotations: Readonly<Record<string, string>> = {}, of = name): Stored {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace: "default", annotations },
    spec: { scaleTargetRef: target(of), minReplicas: 2, maxReplicas: 9, metrics: [external] },
  };
}

export function cluster(objects: readonly KubeObject[], version = "v1.37.1"): Cluster {
  const fake = fakeCluster({ version });
  fake.put(...objects);
  for (const list of ["/api/v1/services", "/apis/apiregistration.k8s.io/v1/apiservices"])
    fake.reply(list, { kind: "List", metadata: {}, items: [] });
  return fake;
}

export const program = (args: readonly string[]): Stored => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "plimsoll-autoscaler",
    namespace: "plimsoll",
    labels: { "app.kubernetes.io/part-of": "plimsoll", "app.kubernetes.io/component": "autoscaler" },
  },
  spec: { replicas: 2, template: { spec: { containers: [{ args }] } } },
});

export function scale(fake: Cluster, name: string, replicas: number): void {
  fake.reply(`/apis/apps/v1/namespaces/default/deployments/${name}/scale`, {
    metadata: { name, namespace: "default" },
    spec: { replicas },
    status: { replicas },
  });
}

export async function planned(fake: Cluster, ...flags: readonly string[]) {
  const ran = await run(fake, ["rollback", "plan", "-o", "json", ...flags]);
  expect(ran.errors).toBe("");
  const document = JSON.parse(ran.out) as ReleasePlanDocument;
  expect(await schemaErrors("release-plan.v1", document)).toEqual([]);
  return { code: ran.code, document, titles: document.steps.map(({ title }) => title) };
}

export function commandsOf({ steps }: ReleasePlanDocument, title: string): readonly string[] {
  return steps.find((step) => step.title === title)?.commands ?? [];
}

/** The manifests that a step creates. */
export function createdBy(document: ReleasePlanDocument, title: string): readonly unknown[] {
  const command = commandsOf(document, title).find((text) => text.includes("<<'MANIFESTS'\n")) ?? "";
  const [, text = ""] = /<<'MANIFESTS'\n([^]*)MANIFESTS$/.exec(command) ?? [];
  return parseAllDocuments(text, { version: "1.1" }).map((one): unknown => one.toJS());
}
