import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { type FakeApi, failure } from "../../fake-api.ts";
import { hpa, type Rig, rig, wanting, workload } from "../../harness.ts";

const managed = { "autoscaling.plimsoll.dev/managed": "true" };
const conditions = [{ type: "AbleToScale", status: "True" }];

function annotate(api: FakeApi, annotations: object): void {
  const known = api.get("horizontalpodautoscalers", "default", "shop");
  api.put("horizontalpodautoscalers", { ...known, metadata: { ...known.metadata, annotations } });
}

/** The other controller manages the object for a while. */
async function handOverAndBack({ api, autoscaler }: Rig): Promise<void> {
  const modeIs = (mode: string) =>
    eventually(() => expect(autoscaler.decisions.of("default", "shop").at(-1)?.mode).toBe(mode));
  annotate(api, {});
  await modeIs("shadow");
  const known = api.get("horizontalpodautoscalers", "default", "shop");
  api.put("horizontalpodautoscalers", {
    ...known,
    status: { currentReplicas: 3, desiredReplicas: 4, lastScaleTime: "2030-01-01T00:00:00Z", conditions },
  });
  await autoscaler.sync();
  annotate(api, managed);
  await modeIs("active");
  await autoscaler.sync();
}

const annotated = (decide = wanting(() => 3)) =>
  rig({
    decide,
    config: { manageHpas: "annotated" },
    before: (api) => {
      workload(api, "shop");
      api.put("horizontalpodautoscalers", hpa("shop", { annotations: managed }));
    },
  });

test("an object that is handed over and back by its annotation is managed, whatever the other controller wrote", async () => {
  const process = await annotated();
  const { api, autoscaler } = process;
  await autoscaler.sync();
  await handOverAndBack(process);
  expect(autoscaler.decisions.of("default", "shop").at(-1)?.mode).toBe("active");
  expect(api.list("events").filter(({ reason }) => reason === "ForeignWriter")).toEqual([]);
});

test("our last status is not taken for another controller's once the object is handed over", async () => {
  const { api, autoscaler } = await rig({
    config: { manageHpas: "annotated" },
    before: (api) => {
      workload(api, "shop", { value: "100" });
      api.put("horizontalpodautoscalers", hpa("shop", { annotations: managed }));
    },
  });
  await autoscaler.sync();
  const known = api.get("horizontalpodautoscalers", "default", "shop");
  const time = new Date().toISOString();
  const wrote = { manager: "plimsoll-autoscaler", subresource: "status", time };
  const metadata = { ...known.metadata, annotations: {}, managedFields: [wrote] };
  api.put("horizontalpodautoscalers", { ...known, metadata });
  await eventually(() =>
    expect(autoscaler.decisions.of("default", "shop").at(-1)).toMatchObject({ mode: "shadow" }),
  );
  expect(autoscaler.decisions.of("default", "shop").at(-1)?.builtIn).toBeUndefined();
});

test("a status that could not be written before the object was handed over is forgotten", async () => {
  const process = await annotated();
  const { api, autoscaler, inputs } = process;
  api.script("PUT", /\/status$/, () => failure(500, "InternalError", "etcd is full"), 1);
  await autoscaler.sync();
  const { length } = inputs;
  await handOverAndBack(process);
  const first = inputs.slice(length).find(({ mode }) => mode === "Active");
  expect(first?.hpa.status).toMatchObject({ desiredReplicas: 4, lastScaleTime: "2030-01-01T00:00:00Z" });
  const { log } = process;
  expect(log.map(({ message }) => message)).toContain("evaluation recovered");
});
