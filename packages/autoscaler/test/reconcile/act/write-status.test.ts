import { ApiError, type KubeClient, type KubeObject, type KubeRequest } from "@plimsoll/kube";
import { expect, test } from "vitest";
import type { ScalingObject } from "../../../src/objects/scaling-object.ts";
import { writeStatus } from "../../../src/reconcile/act/write-status.ts";
import { hpaObject, wlaObject } from "../observations.ts";

const status = { currentReplicas: 4, desiredReplicas: 4 } as never;

function clientOf(respond: (body: KubeObject) => unknown) {
  const requests: KubeRequest[] = [];
  const client = {
    async request(request: KubeRequest) {
      requests.push(request);
      return await respond(request.body as KubeObject);
    },
  } as unknown as KubeClient;
  return { client, requests };
}

const read = (object: ScalingObject): ScalingObject => ({
  ...object,
  status: { desiredReplicas: 1 },
  statusWriter: { manager: "keda", at: "2030-01-01T00:00:00Z" },
});

test.each([
  ["autoscaling/v2", "horizontalpodautoscalers", read(hpaObject())],
  ["autoscaling.plimsoll.dev/v1alpha1", "workloadautoscalers", read(wlaObject({ spec: { mode: "Shadow" } }))],
])(
  "a status of %s replaces the one that was read, and the rest goes back as it was stored",
  async (version, resource, object) => {
    const { client, requests } = clientOf((body) => ({
      ...body,
      metadata: { ...body.metadata, resourceVersion: "6" },
    }));
    const { apiVersion, kind, metadata } = object;
    const spec = object.kind === "WorkloadAutoscaler" ? object.wla.storedSpec : object.spec;
    const written = await writeStatus(client, object, status);
    expect(requests).toMatchObject([
      { method: "PUT", path: `/apis/${version}/namespaces/default/${resource}/shop/status` },
    ]);
    expect(requests[0]?.body).toEqual({ apiVersion, kind, metadata, spec, status });
    const { statusWriter: _, ...others } = object;
    expect(written).toEqual({
      result: "written",
      object: { ...others, status, metadata: { ...metadata, resourceVersion: "6" } },
    });
  },
);

const apiError = (code: number, retryAfterMs?: number) =>
  new ApiError({ code, reason: "", message: "no", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
const failed = { result: "failed", message: "no", retryAfterMs: undefined, isUncertain: false };

test.each([
  [apiError(404), { result: "gone" }],
  [apiError(409), failed],
  [apiError(429, 2000), { ...failed, retryAfterMs: 2000 }],
  [apiError(499), failed],
  [apiError(500), { ...failed, isUncertain: true }],
  [new Error("no"), { ...failed, isUncertain: true }],
])("a status whose write ends with %s", async (error, written) => {
  const { client } = clientOf(() => {
    throw error;
  });
  expect(await writeStatus(client, hpaObject(), status)).toEqual(written);
});
