import { manualClock } from "@plimsoll/component-base/testing";
import type { KubeClient, KubeRequest } from "@plimsoll/kube";
import { createByteStream, type InProcessRequest, inProcessClient } from "@plimsoll/kube/testing";
import { silentLog } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { createCaBundlePublisher } from "../../src/app/ca-bundle.ts";

const name = "v1beta1.custom.metrics.k8s.io";
const collection = "/apis/apiregistration.k8s.io/v1/apiservices";
const own = { name: "adapter", namespace: "monitoring" };
const published = "published the CA of the serving certificate";
const foreign = "an APIService belongs to another Service and is left alone";
const failing = "cannot publish the serving certificate's CA yet";

type Spec = Readonly<Record<string, unknown>>;

/** An API server with one APIService, and a publisher whose CA is "new". */
function publish(spec: Spec | undefined, caBundle: () => Promise<string | undefined> = async () => "new") {
  const clock = manualClock(0);
  const stream = createByteStream();
  const patches: KubeRequest[] = [];
  const logged: unknown[] = [];
  const state = { respond: () => Promise.resolve(200), version: 1, isWatched: true };
  stream.onClose(() => (state.isWatched = false));
  const object = (spec: Spec | undefined) => ({
    metadata: { name, resourceVersion: String(state.version) },
    spec,
  });
  const served = inProcessClient({
    clock,
    async respond({ method, path, query }: InProcessRequest) {
      if (method === "PATCH") return { code: await state.respond(), body: {} };
      expect([path, query.get("fieldSelector")]).toEqual([collection, `metadata.name=${name}`]);
      if (query.has("watch")) return { code: 200, stream };
      return { code: 200, body: { metadata: { resourceVersion: "1" }, items: [object(spec)] } };
    },
  });
  const client: KubeClient = {
    ...served,
    request(request) {
      if (request.method === "PATCH") patches.push(request);
      return served.request(request);
    },
  };
  const log = (fields: object, message: string) => void logged.push([message, fields]);
  const publisher = createCaBundlePublisher({
    client,
    apiServices: [name],
    hosts: ["localhost", "adapter.monitoring.svc"],
    caBundle,
    clock,
    log: { ...silentLog, info: log, warn: log },
  });
  onTestFinished(() => publisher.stop());
  publisher.start();
  return {
    clock,
    logged,
    patches,
    publisher,
    state,
    stream,
    messages: () => logged.map((entry) => (entry as readonly [string])[0]),
    async event(type: "MODIFIED" | "DELETED", spec: Spec) {
      state.version += 1;
      stream.write(`${JSON.stringify({ type, object: object(spec) })}\n`);
      await clock.advance(0);
    },
  };
}

test.each<[what: string, spec: Spec]>([
  ["no CA", { service: own, insecureSkipTLSVerify: true }],
  ["another CA", { service: own, caBundle: "old" }],
  ["the CA, unverified", { service: own, caBundle: "new", insecureSkipTLSVerify: true }],
])(
  "the CA is published to an APIService with %s, and nothing that changed meanwhile is lost",
  async (_, spec) => {
    const { clock, logged, patches } = publish(spec);
    await clock.advance(0);
    expect(patches).toEqual([
      {
        method: "PATCH",
        path: `${collection}/${name}`,
        contentType: "application/merge-patch+json",
        body: { metadata: { resourceVersion: "1" }, spec: { caBundle: "new", insecureSkipTLSVerify: false } },
      },
    ]);
    expect(logged).toEqual([[published, { apiService: name }]]);
  },
);

test.each<[what: string, spec: Spec | undefined, ca?: string]>([
  ["has the CA", { service: own, caBundle: "new" }, "new"],
  ["has no Service", {}, "new"],
  ["has no spec", undefined, "new"],
  ["has another CA, until there is a new one", { service: own, caBundle: "old" }],
])("nothing is published to an APIService that %s", async (_, spec, ca) => {
  const { clock, patches } = publish(spec, async () => ca);
  await clock.advance(10_000);
  expect(patches).toEqual([]);
});

test("an APIService of another Service is left alone, with one warning each time it goes there", async () => {
  const other = { service: { ...own, name: "other" } };
  const { clock, event, logged, messages, patches } = publish(other);
  await clock.advance(0);
  expect(logged).toEqual([[foreign, { apiService: name, service: "other.monitoring.svc" }]]);
  await event("MODIFIED", { ...other, caBundle: "its own" });
  expect([logged, patches]).toEqual([[expect.anything()], []]);
  await event("MODIFIED", { service: own });
  await event("MODIFIED", other);
  await event("DELETED", { service: own });
  expect(messages()).toEqual([foreign, published, foreign]);
});

test("an update that fails is tried again in two seconds, with the APIService as it is then", async () => {
  const { clock, event, logged, messages, patches, state } = publish({ service: own });
  state.respond = async () => 409;
  await clock.advance(0);
  await event("MODIFIED", { service: own, caBundle: "new", insecureSkipTLSVerify: true });
  await clock.advance(1_999);
  const warned = [failing, { apiService: name, err: expect.any(Error) }];
  expect(logged).toEqual([warned, warned]);
  state.respond = async () => 200;
  await clock.advance(1);
  expect(messages()).toEqual([failing, failing, published, published]);
  expect(patches.at(-1)?.body).toMatchObject({ metadata: { resourceVersion: "2" } });
});

test("an APIService that was deleted since is not tried again", async () => {
  const { clock, event, patches, state } = publish({ service: own });
  state.respond = async () => 409;
  await clock.advance(0);
  await event("DELETED", { service: own });
  await clock.advance(2_000);
  expect(patches).toHaveLength(1);
});

test.each(["before", "after"])("nothing is sent after a stop %s an update has failed", async (when) => {
  const { clock, patches, publisher, state } = publish({ service: own });
  const sent = Promise.withResolvers<number>();
  state.respond = () => sent.promise;
  await clock.advance(0);
  if (when === "before") await publisher.stop();
  sent.resolve(500);
  await clock.advance(0);
  if (when === "after") await publisher.stop();
  expect([state.isWatched, clock.pendingTimers]).toEqual([false, 0]);
  expect(patches).toHaveLength(1);
});

test("nothing is sent when the process stops while it reads the CA", async () => {
  const read = Promise.withResolvers<string>();
  const { clock, patches, publisher } = publish({ service: own }, () => read.promise);
  await clock.advance(0);
  await publisher.stop();
  read.resolve("new");
  await clock.advance(0);
  expect(patches).toEqual([]);
});

test("an APIService that cannot be watched is named in the log", async () => {
  const { clock, logged, stream } = publish({ service: own });
  await clock.advance(0);
  stream.fail(new Error("reset"));
  await clock.advance(0);
  expect(logged.at(-1)).toEqual(["cannot watch an APIService", { apiService: name, err: expect.any(Error) }]);
});
