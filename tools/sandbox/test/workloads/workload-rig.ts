import { manualClock } from "@plimsoll/component-base/testing";
import { createObjectStore } from "../../src/storage/object-store.ts";
import type { StoredObject } from "../../src/storage/stored-object.ts";
import { createWorkloads, type WorkloadOptions } from "../../src/workloads/index.ts";
import { isReady, isTerminating, type Pod } from "../../src/workloads/pod.ts";
import type { Workload } from "../../src/workloads/workload.ts";

export const startMs = Date.parse("2026-05-01T10:00:00Z");

/** A store with running controllers and a clock of its own. */
export function workloadRig(options: WorkloadOptions = {}) {
  const clock = manualClock(startMs);
  const store = createObjectStore({ clock });
  const workloads = createWorkloads({ store, clock, ...options });
  workloads.start();
  const get = (resource: string, name: string) =>
    store.get(resource, "default", name) as Workload | undefined;
  const edit = (resource: string, name: string, change: (object: StoredObject) => StoredObject) => {
    const object = store.get(resource, "default", name);
    if (object === undefined) throw new Error(`no ${resource} ${name}`);
    return store.update(resource, change(object));
  };
  return {
    clock,
    store,
    workloads,
    get,
    edit,
    pods: () => store.list("pods", "default") as readonly Pod[],
    readyPods: () =>
      (store.list("pods", "default") as readonly Pod[]).filter((pod) => isReady(pod) && !isTerminating(pod)),
    scale: (resource: string, name: string, replicas: number) =>
      edit(resource, name, (object) => ({ ...object, spec: { ...(object as Workload).spec, replicas } })),
    setImage: (resource: string, name: string, image: string) =>
      edit(resource, name, (object) => {
        const { spec } = object as Workload;
        const template = { ...spec?.template, spec: { containers: [{ name: "main", image }] } };
        return { ...object, spec: { ...spec, template } };
      }),
  };
}

export function workload(input: {
  kind: string;
  name: string;
  replicas: number;
  annotations?: Record<string, string>;
  spec?: Record<string, unknown>;
}): StoredObject {
  const labels = { app: input.name };
  return {
    apiVersion: input.kind === "ReplicationController" ? "v1" : "apps/v1",
    kind: input.kind,
    metadata: { name: input.name, namespace: "default" },
    spec: {
      replicas: input.replicas,
      selector: input.kind === "ReplicationController" ? labels : { matchLabels: labels },
      template: {
        metadata: { labels, ...(input.annotations === undefined ? {} : { annotations: input.annotations }) },
        spec: { containers: [{ name: "main", image: "example/main:1" }] },
      },
      ...input.spec,
    },
  };
}
