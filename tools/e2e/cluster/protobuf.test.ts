// What the real kube-apiserver sends in protobuf is kept as the same objects as its JSON.
import {
  createReflector,
  type KubeClient,
  type KubeObject,
  type ProtobufKind,
  resourcePath,
} from "@plimsoll/kube";
import { podReader, protobufMediaType, workloadReaderOf } from "@plimsoll/kube/protobuf";
import { createPodProjection, projectWorkload } from "@plimsoll/observe";
import { until } from "@plimsoll/testbed";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryApiServer } from "./fixture.ts";

type Server = Awaited<ReturnType<typeof temporaryApiServer>>;

const seed = Number(process.env["PROPERTY_SEED"] ?? Math.trunc(Math.random() * 2 ** 31));
const podPath = "/api/v1/namespaces/default/pods";
let server: Server;

beforeAll(async () => {
  server = await temporaryApiServer();
  await until("the service account", async () => {
    await server.client.request({
      method: "POST",
      path: "/api/v1/namespaces/default/serviceaccounts",
      body: { metadata: { name: "default" }, automountServiceAccountToken: false },
    });
    return true;
  });
});

afterAll(async () => {
  await server?.stop();
});

/** Keeps all objects of a resource, by JSON and by protobuf. */
async function bothOf(
  path: string,
  options: { readonly protobuf: ProtobufKind; readonly project: () => (raw: KubeObject) => KubeObject },
): Promise<() => readonly (readonly KubeObject[])[]> {
  const errors: unknown[] = [];
  const counts = { protobuf: 0, json: 0 };
  const client: KubeClient = {
    ...server.client,
    async stream(request) {
      const stream = await server.client.stream(request);
      counts[stream.mediaType === protobufMediaType ? "protobuf" : "json"] += 1;
      return stream;
    },
  };
  const reflectors = [undefined, options.protobuf].map((protobuf) =>
    createReflector({
      client,
      path,
      pageSize: 7,
      project: options.project(),
      protobuf,
      onError: (error) => errors.push(error),
    }),
  );
  for (const reflector of reflectors) reflector.start();
  await Promise.all(reflectors.map((reflector) => reflector.synced()));
  await until("both watches", async () => (counts.json > 0 && counts.protobuf > 0) || undefined);
  stops.push(...reflectors.map((reflector) => () => reflector.stop()));
  return () => {
    expect(errors).toEqual([]);
    return reflectors.map(({ store }) =>
      store.list().toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    );
  };
}

const stops: (() => Promise<void>)[] = [];

afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
});

/** Waits until both have what the server has, and compares them. Returns how many objects there are. */
async function agreed(path: string, stores: () => readonly (readonly KubeObject[])[]): Promise<number> {
  const { items } = await server.client.request<{ readonly items: readonly KubeObject[] }>({ path });
  const versionsOf = (list: readonly KubeObject[]) =>
    list
      .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
      .toSorted()
      .join();
  const wanted = versionsOf(items);
  await until(
    "both to have all versions",
    async () => stores().every((list) => versionsOf(list) === wanted) || undefined,
  );
  const [json, protobuf] = stores();
  expect(protobuf).toStrictEqual(json);
  return items.length;
}

const quantity = fc.constantFrom("100m", "0.25", "1", "1e3", "64Mi", "1500M", "128974848", "0", "12345678n");
const resources = fc
  .record(
    { cpu: quantity, memory: quantity, "example.com/gpu": fc.constantFrom("1", "3") },
    { requiredKeys: [] },
  )
  // Of extended resources the limits must be the requests.
  .map((requests) => ({ requests, limits: { "example.com/gpu": requests["example.com/gpu"] } }));
const label = fc.constantFrom("a", "b-1", "", "x".repeat(63));
const container = fc.record({ resources, image: fc.constant("registry.example/image:1") });
const instant = fc
  .integer({ min: 1, max: 4e9 })
  .map((s) => new Date(s * 1000).toISOString().replace(".000", ""));
const pod = fc.record({
  labels: fc.dictionary(fc.constantFrom("app", "tier", "example.com/part-of"), label, {
    noNullPrototype: true,
  }),
  annotations: fc.dictionary(
    fc.constantFrom("note", "example.com/other"),
    fc.string({ unit: "binary", maxLength: 300 }),
    {
      noNullPrototype: true,
    },
  ),
  containers: fc.array(container, { minLength: 1, maxLength: 3 }),
  initContainers: fc.array(fc.tuple(container, fc.boolean()), { maxLength: 2 }),
  hasPodLevel: fc.boolean(),
  status: fc.record(
    {
      phase: fc.constantFrom("Pending", "Running", "Succeeded", "Failed"),
      startTime: instant,
      conditions: fc.uniqueArray(
        fc.record({
          type: fc.constantFrom("Ready", "PodScheduled", "Initialized"),
          status: fc.constantFrom("True", "False", "Unknown"),
          lastTransitionTime: fc.option(instant, { nil: null }),
        }),
        { selector: ({ type }) => type },
      ),
    },
    { requiredKeys: [] },
  ),
  isDeleted: fc.constantFrom("no", "no", "in time", "at once"),
});

type Sample = typeof pod extends fc.Arbitrary<infer T> ? T : never;

function podOf(
  name: string,
  { labels, annotations, containers, initContainers, hasPodLevel }: Sample,
): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels, annotations },
    spec: {
      nodeName: "node",
      containers: containers.map((each, n) => ({ ...each, name: `c-${n}` })),
      initContainers: initContainers.map(([each, isSidecar], n) => ({
        ...each,
        name: `i-${n}`,
        ...(isSidecar ? { restartPolicy: "Always" } : {}),
      })),
      ...(hasPodLevel ? { resources: { requests: { cpu: "1e12", memory: "1Ei" } } } : {}),
    },
  };
}

test(`pods, as they are created, change and go (PROPERTY_SEED=${seed})`, async () => {
  const { client } = server;
  const samples = fc.sample(pod, { seed, numRuns: 60 });
  await change(0, 30);
  const stores = await bothOf(podPath, { protobuf: podReader, project: createPodProjection });
  await agreed(podPath, stores);
  await change(30, 60);
  expect(await agreed(podPath, stores)).toBeGreaterThan(20);

  async function change(from: number, to: number): Promise<void> {
    for (const [n, sample] of samples.slice(from, to).entries()) {
      const name = `p-${from + n}`;
      const path = `${podPath}/${name}`;
      await client.request({ method: "POST", path: podPath, body: podOf(name, sample) });
      await client.request({
        method: "PATCH",
        path: `${path}/status`,
        contentType: "application/merge-patch+json",
        body: { status: sample.status },
      });
      if (sample.isDeleted === "no") continue;
      const gracePeriodSeconds = sample.isDeleted === "in time" ? 600 : 0;
      await client.request({ method: "DELETE", path, body: { gracePeriodSeconds } });
    }
  }
});

const template = {
  metadata: { labels: { app: "x", tier: "a" } },
  spec: { containers: [{ name: "main", image: "registry.example/image:1" }] },
};
const expressions = [
  { key: "tier", operator: "In", values: ["a", "b"] },
  { key: "gone", operator: "DoesNotExist" },
];

test.each([
  ["deployments", "apps", { matchLabels: { app: "x" }, matchExpressions: expressions }],
  ["statefulsets", "apps", { matchLabels: { app: "x" } }],
  ["replicasets", "apps", { matchExpressions: expressions }],
  ["replicationcontrollers", "", { app: "x", tier: "a" }],
])("%s, as they are created and scaled", async (resource, group, selector) => {
  const { client } = server;
  const info = { group, version: "v1", resource };
  const path = resourcePath(info, "default");
  const protobuf = workloadReaderOf(info);
  if (protobuf === undefined) throw new Error(`no reader of ${resource}`);
  const write = (method: "POST" | "PATCH", at: string, body: object) => {
    const contentType = method === "PATCH" ? { contentType: "application/merge-patch+json" } : {};
    return client.request({ method, path: at, body, ...contentType });
  };
  for (const [n, replicas] of [undefined, 0, 3, 2_000_000_000].entries())
    await write("POST", path, { metadata: { name: `w-${n}` }, spec: { replicas, selector, template } });
  const stores = await bothOf(path, { protobuf, project: () => projectWorkload });
  await agreed(path, stores);
  await write("PATCH", `${path}/w-0`, { spec: { replicas: 7 } });
  await write("PATCH", `${path}/w-0/status`, { status: { replicas: 5 } });
  expect(await agreed(path, stores)).toBe(4);
});
