import type { KubeClient, KubeRequest } from "@plimsoll/kube";
import type { ScaleTarget } from "@plimsoll/observe";
import { expect, test } from "vitest";
import { readReplicasWriter } from "../../../src/reconcile/conflicts/replicas-writer.ts";

const entry = {
  manager: "kubectl",
  time: "2030-01-01T00:00:00Z",
  fieldsV1: { "f:spec": { "f:replicas": {} } },
};

async function read(response: unknown, namespaced = true) {
  const requests: KubeRequest[] = [];
  const lines: unknown[] = [];
  const info = { group: "apps", version: "v1", resource: "deployments", namespaced };
  const debug = (fields: object, message: string) => void lines.push([fields, message]);
  const ignore = () => undefined;
  const writer = await readReplicasWriter(
    { info, scale: { metadata: { name: "shop" } } } as ScaleTarget,
    "default",
    {
      client: {
        request(request: KubeRequest) {
          requests.push(request);
          return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
        },
      } as unknown as KubeClient,
      log: { debug, info: ignore, warn: ignore, error: ignore },
    },
  );
  return { writer, paths: requests.map(({ path }) => path), lines };
}

test.each([
  [true, "/apis/apps/v1/namespaces/default/deployments/shop"],
  [false, "/apis/apps/v1/deployments/shop"],
])("the object itself says who wrote its replicas (in a namespace: %s)", async (namespaced, path) => {
  expect(await read({ metadata: { name: "shop", managedFields: [entry] } }, namespaced)).toEqual({
    writer: { manager: "kubectl", at: entry.time },
    paths: [path],
    lines: [],
  });
});

test("an object that may not be read leaves the writer unknown, and the log says why", async () => {
  const { writer, lines } = await read(new Error("no rights"));
  expect([writer, lines]).toEqual([
    undefined,
    [[{ error: "no rights" }, "could not read who changed the replicas"]],
  ]);
});
