// Objects that were stored under the first CRD, through an upgrade to that of the tree and to a next version of it, while
// the autoscaler of today reads and writes them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { pace, shipped, temporaryApiServer } from "./fixture.ts";

const group = "autoscaling.plimsoll.dev";
const crdPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/workloadautoscalers.${group}`;

interface Schema {
  properties: Record<string, Schema>;
}

interface Version {
  name: string;
  served: boolean;
  storage: boolean;
  schema: { openAPIV3Schema: Schema };
}

interface Definition {
  spec: { versions: Version[] };
  status?: { storedVersions: readonly string[] };
}

interface Stored {
  readonly apiVersion: string;
  readonly metadata: { readonly name: string; readonly generation: number; readonly resourceVersion: string };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string }[];
    readonly schedules?: unknown;
  };
}

const first = parse(
  readFileSync(join(import.meta.dirname, "crd-versions/workloadautoscalers.first.yaml"), "utf8"),
) as Definition;
const ofTree = parse(shipped("crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml")) as Definition;

/** The next version beside today's, with a field that today's autoscaler does not know. */
function next(
  storage: "v1alpha1" | "v1beta1",
  served: readonly string[] = ["v1alpha1", "v1beta1"],
): Definition {
  const definition = structuredClone(ofTree);
  const [today] = definition.spec.versions;
  if (today === undefined) throw new Error("the CRD has no version");
  const spec = today.schema.openAPIV3Schema.properties["spec"];
  if (spec === undefined) throw new Error("the CRD has no spec");
  spec.properties["team"] = { type: "string" } as unknown as Schema;
  definition.spec.versions = ["v1alpha1", "v1beta1"].map((name) => ({
    ...structuredClone(today),
    name,
    served: served.includes(name),
    storage: name === storage,
  }));
  return definition;
}

const target = (name: string) => ({ apiVersion: "apps/v1", kind: "Deployment", name });
const averageValue = { type: "AverageValue", averageValue: "10" };
const external = { type: "External", external: { metric: { name: "queue_length" }, target: averageValue } };

/** By name; "full" has every field of the first version. */
const specs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  plain: { scaleTargetRef: target("plain"), maxReplicas: 10, metrics: [external] },
  full: {
    scaleTargetRef: target("full"),
    minReplicas: 2,
    maxReplicas: 20,
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
      },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "app", target: averageValue },
      },
      {
        type: "Pods",
        pods: { metric: { name: "packets", selector: { matchLabels: { a: "b" } } }, target: averageValue },
      },
      {
        type: "Object",
        object: {
          describedObject: target("full"),
          metric: { name: "requests" },
          target: { type: "Value", value: 2000 },
        },
      },
      { ...external, onMetricFailure: { policy: "HoldLast", forSeconds: 60 } },
    ],
    behavior: {
      scaleUp: { stabilizationWindowSeconds: 10, selectPolicy: "Min", tolerance: "50m" },
      scaleDown: { policies: [{ type: "Percent", value: 10, periodSeconds: 60 }] },
    },
    mode: "Paused",
    pause: { reason: "an upgrade", until: "2100-01-01T00:00:00Z" },
    tuning: { syncPeriodSeconds: 1, tolerance: "0.05", downscaleStabilizationSeconds: 60 },
  },
};

let server: Awaited<ReturnType<typeof temporaryApiServer>>;
let autoscaler: PlimsollProcess | undefined;
const stored = new Map<string, Stored>();

const pathOf = (version: string, name = "") =>
  `/apis/${group}/${version}/namespaces/default/workloadautoscalers${name === "" ? "" : `/${name}`}`;
const read = (name: string, version = "v1alpha1") =>
  server.client.request<Stored>({ path: pathOf(version, name) });

async function patch(path: string, body: object): Promise<unknown> {
  return server.client.request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
}

async function upgrade(definition: Definition, version: string): Promise<void> {
  await server.client.request({
    method: "PATCH",
    path: crdPath,
    query: { fieldManager: "plimsoll-e2e", force: "true" },
    contentType: "application/apply-patch+yaml",
    body: definition,
  });
  await until(`${version} to be served`, async () => {
    await server.client.request({ path: pathOf(version) });
    return true;
  });
}

/** Once the autoscaler wrote the status of this generation. */
async function written(name: string): Promise<Stored> {
  return until(`a status of ${name}`, async () => {
    const object = await read(name);
    return object.status?.observedGeneration === object.metadata.generation ? object : undefined;
  });
}

/** Something that the autoscaler has to write about: another maximum is another generation. */
async function settled(name: string, maxReplicas: number): Promise<Stored> {
  await patch(pathOf("v1alpha1", name), { spec: { maxReplicas } });
  return written(name);
}

async function restart(): Promise<void> {
  await autoscaler?.stop();
  autoscaler = await startPlimsoll("autoscaler", [
    `--kubeconfig=${server.kubeconfig}`,
    "--leader-elect-resource-namespace=default",
    ...pace,
    "--port=0",
  ]);
}

beforeAll(async () => {
  server = await temporaryApiServer();
  await upgrade(first, "v1alpha1");
  for (const [name, spec] of Object.entries(specs)) {
    const metadata = { name, labels: { app: name } };
    const template = { metadata, spec: { containers: [{ name: "app", image: "example/app" }] } };
    await server.client.request({
      method: "POST",
      path: "/apis/apps/v1/namespaces/default/deployments",
      body: { ...target(name), metadata, spec: { selector: { matchLabels: { app: name } }, template } },
    });
    await server.client.request({
      method: "POST",
      path: pathOf("v1alpha1"),
      query: { fieldValidation: "Strict" },
      body: { apiVersion: `${group}/v1alpha1`, kind: "WorkloadAutoscaler", metadata: { name }, spec },
    });
  }
  await restart();
  for (const name of Object.keys(specs)) stored.set(name, await written(name));
});

afterAll(async () => {
  await autoscaler?.stop();
  await server?.stop();
});

test("the first CRD keeps what was written", () => {
  for (const [name, spec] of Object.entries(specs)) expect(stored.get(name)?.spec).toMatchObject(spec);
});

test("under the CRD of the tree they are as before, and take what is new", async () => {
  await upgrade(ofTree, "v1alpha1");
  for (const name of Object.keys(specs)) {
    expect((await read(name)).spec).toEqual(stored.get(name)?.spec);
    const { spec, status } = await settled(name, 30);
    expect(spec).toEqual({ ...stored.get(name)?.spec, maxReplicas: 30 });
    expect(status?.conditions).not.toEqual([]);
  }
  const schedules = [
    { name: "office", timeZone: "UTC", start: "0 8 * * *", end: "0 18 * * *", minReplicas: 3 },
  ];
  await until("the field to be taken", async () => {
    await patch(pathOf("v1alpha1", "plain"), { spec: { schedules } });
    return (await read("plain")).spec["schedules"] === undefined ? undefined : true;
  });
  // As an upgrade does: a watch that was open before shows a new field only when the object changes once more.
  await restart();
  const shown = await until("a status with schedules", async () => {
    const { status } = await read("plain");
    return status?.schedules === undefined ? undefined : status;
  });
  expect(shown).toHaveProperty("observedGeneration");
});

test("of a next version that is served beside today's nothing is lost by what the autoscaler of today writes", async () => {
  const before = new Map(
    await Promise.all(Object.keys(specs).map(async (name) => [name, await read(name)] as const)),
  );
  await upgrade(next("v1alpha1"), "v1beta1");
  for (const name of Object.keys(specs)) {
    const { apiVersion, spec } = await read(name, "v1beta1");
    expect(apiVersion).toBe(`${group}/v1beta1`);
    expect(spec).toEqual(before.get(name)?.spec);
    await until("the new field to be taken", async () => {
      await patch(pathOf("v1beta1", name), { spec: { team: "a" } });
      return (await read(name, "v1beta1")).spec["team"] === "a" ? true : undefined;
    });
    await settled(name, 40);
    expect((await read(name, "v1beta1")).spec).toEqual({
      ...before.get(name)?.spec,
      team: "a",
      maxReplicas: 40,
    });
  }
});

test("the next version becomes the stored one, and today's ends", async () => {
  const before = new Map(
    await Promise.all(Object.keys(specs).map(async (name) => [name, await read(name)] as const)),
  );
  await upgrade(next("v1beta1"), "v1beta1");
  for (const name of Object.keys(specs)) {
    // Whoever migrates writes each object once, unchanged.
    await until("the object to be migrated", async () => {
      await server.client.request({
        method: "PUT",
        path: pathOf("v1beta1", name),
        body: await read(name, "v1beta1"),
      });
      return true;
    });
    const { spec } = await settled(name, 50);
    expect(spec).toEqual({ ...before.get(name)?.spec, maxReplicas: 50 });
  }
  const definition = await server.client.request<Definition>({ path: crdPath });
  expect(definition.status?.storedVersions).toEqual(["v1alpha1", "v1beta1"]);
  await patch(`${crdPath}/status`, { status: { storedVersions: ["v1beta1"] } });
  await autoscaler?.stop();
  await upgrade(next("v1beta1", ["v1beta1"]), "v1beta1");
  for (const name of Object.keys(specs))
    expect((await read(name, "v1beta1")).spec).toEqual({ ...before.get(name)?.spec, maxReplicas: 50 });
});
