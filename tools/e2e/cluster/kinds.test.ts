import type { KubeObject } from "@plimsoll/kube";
import type { StoredObject } from "@plimsoll/sandbox";
import { type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pace } from "./fixture.ts";
import { type Stage, stages } from "./stages.ts";
import {
  depthFor,
  followsPods,
  followsQueue,
  playController,
  queue,
  replicationController,
  scalableKind,
  workload,
} from "./targets.ts";

const apps = "/apis/apps/v1/namespaces/default";
const custom = "/apis/e2e.example/v1/namespaces/default";

/** Where each autoscaler's target is, and the field that holds its count. */
const targets = {
  stateful: { path: `${apps}/statefulsets/stateful`, field: "f:replicas" },
  bare: { path: `${apps}/replicasets/bare`, field: "f:replicas" },
  old: { path: "/api/v1/namespaces/default/replicationcontrollers/old", field: "f:replicas" },
  fleet: { path: `${custom}/fleets/fleet`, field: "f:size" },
  stall: { path: `${custom}/stalls/stall`, field: "f:size" },
} as const;
const names = Object.keys(targets) as readonly (keyof typeof targets)[];

/** Targets whose scale has no selector: of an object that has none, and of a kind that has no place for one. */
const mute = { silent: `${custom}/fleets/silent`, kiosk: `${custom}/kiosks/kiosk` } as const;

/** A scrape and a turn of the autoscaler. */
const restMs = 1500;

const object = (kind: string, name: string, spec: string) =>
  `---\napiVersion: e2e.example/v1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: default }\nspec: ${spec}\n`;

describe.each(stages)("on %s, with the built-in HPA controller off", (_, start) => {
  let stage: Stage;
  let autoscaler: PlimsollProcess | undefined;
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const deployments = (["stateful", "bare", "fleet"] as const).map((name) => {
      const kind = name === "stateful" ? "StatefulSet" : "ReplicaSet";
      return { ...queue(name, depthFor(1)), kind, metric: "packets" };
    });
    stage = await start({
      loads: [...deployments, ...["old", "stall", "silent", "kiosk"].map((name) => queue(name, depthFor(1)))],
      workloads: [
        workload("StatefulSet", "stateful"),
        ...["bare", "fleet", "stall"].map((name) => workload("ReplicaSet", name)),
        replicationController("old"),
        scalableKind("Fleet", ".status.selector"),
        scalableKind("Stall", ".spec.selector"),
        scalableKind("Kiosk", undefined),
      ].join(""),
    });
    stops.push(() => stage.stop());
    await until("the custom kinds to be served", async () => {
      await stage.mapper.refresh();
      return (await stage.mapper.byKind("e2e.example", "Kiosk")).length === 1 || undefined;
    });
    await stage.apply(
      object("Fleet", "fleet", "{ size: 1 }"),
      // No controller manages this one: no status, no selector.
      object("Fleet", "silent", "{ size: 1 }"),
      object("Stall", "stall", "{ size: 1, selector: app=stall }"),
      object("Kiosk", "kiosk", "{ size: 1 }"),
    );
    for (const name of ["fleet", "stall"]) {
      const controller = await playController(stage, `${name}s`, name);
      stops.push(() => controller.stop());
    }
    await stage.apply(
      followsPods("stateful", { apiVersion: "apps/v1", kind: "StatefulSet" }),
      followsPods("bare", { apiVersion: "apps/v1", kind: "ReplicaSet" }),
      followsPods("fleet", { apiVersion: "e2e.example/v1", kind: "Fleet" }),
      followsQueue("old", { apiVersion: "v1", kind: "ReplicationController" }),
      followsQueue("stall", { apiVersion: "e2e.example/v1", kind: "Stall" }),
      followsQueue("silent", { apiVersion: "e2e.example/v1", kind: "Fleet" }),
      followsQueue("kiosk", { apiVersion: "e2e.example/v1", kind: "Kiosk" }),
    );
    autoscaler = await startPlimsoll("autoscaler", [
      `--kubeconfig=${await stage.kubeconfigForAutoscaler("driver")}`,
      "--manage-hpas=all",
      ...pace,
      "--leader-elect=false",
      "--port=0",
    ]);
    stops.push(() => autoscaler?.stop() ?? Promise.resolve());
  });

  afterAll(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  test("every kind with a scale follows its load, in as many writes as there are steps", async () => {
    const seen: Record<string, number>[] = [];
    const steps = [4, 6, 2];
    for (const replicas of steps) {
      for (const name of ["stateful", "bare", "fleet"])
        stage.load.set(`default/${name}`, depthFor(replicas), "packets");
      for (const name of ["old", "stall", "silent", "kiosk"])
        stage.load.set(`default/${name}`, depthFor(replicas), "queue");
      seen.push(await settle(replicas));
    }
    expect(seen).toEqual(steps.map((replicas) => Object.fromEntries(names.map((name) => [name, replicas]))));
    const writes = stage.scaleWrites();
    expect(new Set(writes.map(({ user }) => user))).toEqual(new Set(["driver"]));
    const perTarget = names.map((name) => [name, writes.filter((write) => write.name === name).length]);
    expect(perTarget).toEqual(names.map((name) => [name, steps.length]));
  });

  test("the API server knows who wrote each count, and that it was through the scale", async () => {
    for (const name of names) {
      const { path, field } = targets[name];
      const { metadata } = await stage.client.request<KubeObject>({ path });
      const { managedFields } = metadata as unknown as {
        readonly managedFields: readonly {
          readonly manager: string;
          readonly subresource?: string;
          readonly fieldsV1: { readonly "f:spec"?: object };
        }[];
      };
      const owners = managedFields.filter(({ fieldsV1 }) => field in (fieldsV1["f:spec"] ?? {}));
      expect([name, owners]).toMatchObject([
        name,
        [{ manager: "plimsoll-autoscaler", operation: "Update", subresource: "scale" }],
      ]);
    }
  });

  test("a target without a selector is left alone, and its autoscaler says so", async () => {
    for (const [name, path] of Object.entries(mute)) {
      const { spec } = await stage.client.request<KubeObject & { spec: { size: number } }>({ path });
      expect(spec.size).toBe(1);
      const { status } = await stage.client.request<{
        status: { conditions: readonly { type: string; status: string; reason: string; message: string }[] };
      }>({ path: `/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/${name}` });
      expect(status.conditions.find(({ type }) => type === "ScalingActive")).toMatchObject({
        status: "False",
        reason: "InvalidSelector",
        message: "the HPA target's scale is missing a selector",
      });
    }
    expect(stage.scaleWrites().filter(({ name }) => name in mute)).toEqual([]);
    expect(stage.troubles).toEqual([]);
  });

  /** Waits until all targets have this count, and as many Ready pods for a while, or time is up. */
  async function settle(replicas: number): Promise<Record<string, number>> {
    let seen: Record<string, number> = {};
    let restsSince: number | undefined;
    await until(
      `${replicas} replicas of every target`,
      async () => {
        const counts = await Promise.all(names.map(async (name) => [name, await countOf(name)] as const));
        seen = Object.fromEntries(counts);
        const isThere = counts.every(([name, count]) => count === replicas && readyPods(name) === replicas);
        restsSince = isThere ? (restsSince ?? performance.now()) : undefined;
        return (restsSince !== undefined && performance.now() - restsSince > restMs) || undefined;
      },
      { everyMs: 250 },
    ).catch(() => {});
    return seen;
  }

  async function countOf(name: keyof typeof targets): Promise<number> {
    const path = `${targets[name].path}/scale`;
    const { spec } = await stage.client.request<{ spec: { replicas?: number } }>({ path });
    return spec.replicas ?? 0;
  }

  /** All of a target's pods are Ready, and so many. */
  function readyPods(name: string): number | undefined {
    const pods = stage.store
      .list("pods", "default")
      .filter(({ metadata }) => metadata.labels?.["app"] === name);
    const isReady = ({ status }: StoredObject) => {
      const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
      return conditions.some(({ type, status: is }) => type === "Ready" && is === "True");
    };
    return pods.every(isReady) ? pods.length : undefined;
  }
});
