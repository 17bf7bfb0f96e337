import { ApiError, type KubeRequest } from "@plimsoll/kube";
import { fakeClient } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import { applyBounds, giveBack } from "../../../src/schedules/hpa-bounds/apply.ts";
import type { LiveHpa } from "../../../src/schedules/hpa-bounds/live-hpa.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };

/** An HPA that the user wrote, and of which schedules own some fields by now. */
function hpa(owned: readonly string[], { resourceVersion = "1", annotations = {} } = {}): LiveHpa {
  const fieldsV1 = { "f:spec": Object.fromEntries(owned.map((field) => [`f:${field}`, {}])) };
  const ofSchedules = { manager: "plimsoll-schedules", operation: "Apply", fieldsV1 };
  return {
    metadata: {
      name: "shop",
      namespace: "default",
      resourceVersion,
      annotations,
      managedFields: [
        { manager: "kubectl", operation: "Update" },
        ...(owned.length > 0 ? [ofSchedules] : []),
      ],
    },
    spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 9 },
  };
}

function clientOf(answer: (request: KubeRequest) => unknown) {
  const client = fakeClient(answer);
  return { client, requests: client.requests };
}

function specOf(request: KubeRequest | undefined): unknown {
  return (request?.body as { readonly spec?: unknown } | undefined)?.spec;
}

const move = { kind: "move", saved: { by: "a", own: { maxReplicas: 9 }, set: { maxReplicas: 5 } } } as const;

test("a bound that could not be given back keeps its value: left out of what is applied, it would be removed", async () => {
  const { client, requests } = clientOf(() => hpa([]));
  await applyBounds(client, hpa(["minReplicas", "maxReplicas"]), move);
  await applyBounds(client, hpa(["minReplicas"]), { kind: "restore", spec: { maxReplicas: 9 } });
  await applyBounds(client, hpa(["minReplicas"]), { kind: "restore", spec: {} });
  expect(requests.map(specOf)).toEqual([
    { minReplicas: 3, maxReplicas: 5 },
    { minReplicas: 3, maxReplicas: 9 },
    { minReplicas: 3 },
  ]);
});

test("a bound that is not ours is not applied", async () => {
  const { client, requests } = clientOf(() => hpa([]));
  await applyBounds(client, hpa(["maxReplicas"]), move);
  await applyBounds(client, hpa([]), move);
  expect(requests.map(specOf)).toEqual([{ maxReplicas: 5 }, { maxReplicas: 5 }]);
});

test("bounds are forced only where another manager has them and does not apply them", async () => {
  const conflict = new ApiError({
    code: 409,
    reason: "Conflict",
    message: "conflict",
    status: { details: { causes: [{ reason: "FieldManagerConflict" }] } },
  });
  const { client, requests } = clientOf(({ query: { force } = {} }) => {
    if (force === true) return hpa([]);
    throw conflict;
  });
  expect(await applyBounds(client, hpa([]), move)).toMatchObject({ result: "applied" });
  expect(requests.map(({ query }) => query)).toEqual(
    [false, true].map((force) => ({ fieldManager: "plimsoll-schedules", force })),
  );
});

const changed = new ApiError({ code: 422, reason: "Invalid", message: "the test operation failed" });

/** The HPA changes at each of the first attempts. */
function busyClient(changes: number, later: LiveHpa) {
  let left = changes;
  return clientOf(({ method = "GET" }) => {
    if (method === "GET") return later;
    left -= 1;
    if (left >= 0) throw changed;
    return hpa([]);
  });
}

test("fields are given back although the object changes meanwhile", async () => {
  const { client, requests } = busyClient(2, hpa(["maxReplicas"], { resourceVersion: "2" }));
  await giveBack(client, hpa(["maxReplicas"]), () => true);
  const versions = requests
    .filter(({ method }) => method === "PATCH")
    .map(({ body }) => (body as readonly { readonly value?: string }[])[0]?.value);
  expect(versions).toEqual(["1", "2", "2"]);
});

test("three times are enough, and one where the bounds are moved again, or another process has the lease", async () => {
  const busy = busyClient(10, hpa(["maxReplicas"]));
  await giveBack(busy.client, hpa(["maxReplicas"]), () => true);
  expect(busy.requests.filter(({ method }) => method === "PATCH").length).toBe(3);
  const annotations = { "autoscaling.plimsoll.dev/schedule-bounds": "{}" };
  const moved = busyClient(10, hpa(["maxReplicas"], { annotations }));
  await giveBack(moved.client, hpa(["maxReplicas"]), () => true);
  expect(moved.requests.map(({ method = "GET" }) => method)).toEqual(["PATCH", "GET"]);
  const lost = busyClient(10, hpa(["maxReplicas"]));
  await giveBack(lost.client, hpa(["maxReplicas"]), () => false);
  expect(lost.requests.map(({ method = "GET" }) => method)).toEqual(["PATCH", "GET"]);
});
