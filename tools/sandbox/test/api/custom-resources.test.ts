import { expect, test } from "vitest";
import { withApi } from "./api-rig.ts";

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "farms.example.dev" },
  spec: {
    group: "example.dev",
    scope: "Namespaced",
    names: { plural: "farms", kind: "Farm", shortNames: ["fm"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.size",
            statusReplicasPath: ".status.size",
            labelSelectorPath: ".status.selector",
          },
        },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["crop"],
                properties: {
                  size: { type: "integer", minimum: 0, default: 1 },
                  crop: { type: "string", enum: ["wheat", "rye"] },
                },
              },
              status: {
                type: "object",
                properties: { size: { type: "integer" }, selector: { type: "string" } },
              },
            },
          },
        },
      },
      {
        name: "v1beta1",
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const farms = "/apis/example.dev/v1/namespaces/default/farms";
const farm = (spec: object): unknown => ({
  apiVersion: "example.dev/v1",
  kind: "Farm",
  metadata: { name: "north" },
  spec,
});

test("a definition is served at once, in discovery and with its versions", () =>
  withApi(async ({ call }) => {
    expect((await call("GET", farms)).code).toBe(404);
    const created = await call("POST", definitions, { body: definition });
    expect(created.body["status"]?.["conditions"]).toMatchObject([
      { type: "NamesAccepted", status: "True" },
      { type: "Established", status: "True" },
    ]);
    const group = await call("GET", "/apis/example.dev");
    expect(group.body["preferredVersion"]).toEqual({ groupVersion: "example.dev/v1", version: "v1" });
    const { body: list } = await call("GET", "/apis/example.dev/v1");
    expect(list["resources"]).toMatchObject([
      { name: "farms", kind: "Farm", shortNames: ["fm"], namespaced: true },
      { name: "farms/status" },
      { name: "farms/scale", kind: "Scale", group: "autoscaling", version: "v1" },
    ]);
    await call("POST", farms, { body: farm({ crop: "rye" }) });
    const older = await call("GET", farms.replace("/v1/", "/v1beta1/"));
    expect(older.body["items"]?.[0]).toMatchObject({ apiVersion: "example.dev/v1beta1", spec: { size: 1 } });
    await call("DELETE", `${definitions}/farms.example.dev`);
    expect((await call("GET", farms)).code).toBe(404);
  }));

test("the schema fills in, prunes and refuses", () =>
  withApi(async ({ call }) => {
    await call("POST", definitions, { body: definition });
    const created = await call("POST", farms, { body: farm({ crop: "rye", odd: 1 }) });
    expect(created.body["spec"]).toEqual({ crop: "rye", size: 1 });
    const refused = await call("POST", farms, { body: farm({ crop: "oats", size: -1 }) });
    expect(refused.code).toBe(422);
    expect(refused.body["details"]?.["causes"]).toMatchObject([
      { field: "spec.crop", reason: "FieldValueNotSupported" },
      { field: "spec.size", reason: "FieldValueInvalid" },
    ]);
    expect((await call("POST", farms, { body: farm({}) })).body["message"]).toContain(
      "spec.crop: Required value",
    );
  }));

test("scale and status go to the paths of the definition", () =>
  withApi(async ({ call }) => {
    await call("POST", definitions, { body: definition });
    await call("POST", farms, { body: farm({ crop: "rye", size: 2 }) });
    const merge = "application/merge-patch+json";
    await call("PATCH", `${farms}/north/status`, {
      body: { status: { size: 2, selector: "f=n" } },
      type: merge,
    });
    const { body: scale } = await call("GET", `${farms}/north/scale`);
    expect(scale).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 2, selector: "f=n" } });
    await call("PATCH", `${farms}/north/scale`, { body: { spec: { replicas: 4 } }, type: merge });
    const { body: object } = await call("GET", `${farms}/north`);
    expect([object["spec"]?.["size"], object["status"]]).toEqual([4, { size: 2, selector: "f=n" }]);
    const strategic = await call("PATCH", `${farms}/north`, {
      body: {},
      type: "application/strategic-merge-patch+json",
    });
    expect(strategic.code).toBe(415);
  }));

test("printer columns become a Table", () =>
  withApi(async ({ call }) => {
    await call("POST", definitions, { body: definition });
    await call("POST", farms, { body: farm({ crop: "rye", size: 3 }) });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { body } = await call("GET", farms, { headers: { accept } });
    expect(body["columnDefinitions"]).toMatchObject([{ name: "Name" }, { name: "Size" }]);
    expect(body["rows"]?.[0]?.["cells"]).toEqual(["north", 3]);
  }));
