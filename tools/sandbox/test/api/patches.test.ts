import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { StatusError } from "../../src/errors/status-error.ts";
import { jsonPatch, mergePatch } from "../../src/patch/json-patch.ts";
import { builtinSchema, customSchema } from "../../src/patch/merge-schema.ts";
import { strategicMergePatch } from "../../src/patch/strategic-merge.ts";
import { deployment, deployments, withApi } from "./api-rig.ts";

const strategic = (object: Record<string, unknown>, patch: unknown): unknown =>
  strategicMergePatch(object, patch, builtinSchema);

const pod = {
  spec: {
    containers: [
      {
        name: "main",
        image: "a:1",
        env: [
          { name: "A", value: "1" },
          { name: "B", value: "2" },
        ],
      },
      { name: "side", image: "s:1" },
    ],
    tolerations: [{ key: "x" }],
  },
};

test("a merge patch deletes with null and replaces lists", () => {
  expect(mergePatch({ a: { b: 1, c: [1, 2] }, d: 1 }, { a: { b: null, c: [3] }, e: { f: null } })).toEqual({
    a: { c: [3] },
    d: 1,
    e: {},
  });
});

test("merging a document without nulls into itself changes nothing", () => {
  const noNulls = fc.dictionary(
    fc.string(),
    fc.letrec((tie) => ({
      node: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.dictionary(fc.string(), tie("node"))),
    })).node,
  );
  assertProperty(
    fc.property(noNulls, (document) => {
      expect(mergePatch(document, document)).toEqual(document);
    }),
  );
});

test("a JSON patch that fails is 422, one that is none is 400", () => {
  expect(jsonPatch({ a: 1 }, [{ op: "replace", path: "/a", value: 2 }])).toEqual({ a: 2 });
  const codeOf = (patch: unknown): number => {
    try {
      jsonPatch({ a: 1 }, patch);
      return 0;
    } catch (error) {
      return error instanceof StatusError ? error.code : -1;
    }
  };
  expect(codeOf([{ op: "test", path: "/a", value: 5 }])).toBe(422);
  expect(codeOf([{ op: "remove", path: "/none" }])).toBe(422);
  expect(codeOf({ op: "add" })).toBe(400);
  expect(codeOf([{ op: "leap", path: "/a" }])).toBe(400);
});

test("a strategic patch merges lists of named things and replaces the others", () => {
  const patched = strategic(pod, {
    spec: {
      containers: [
        {
          name: "main",
          image: "a:2",
          env: [
            { name: "B", value: "3" },
            { name: "C", value: "4" },
          ],
        },
      ],
      tolerations: [{ key: "y" }],
    },
  });
  expect(patched).toEqual({
    spec: {
      containers: [
        {
          name: "main",
          image: "a:2",
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "3" },
            { name: "C", value: "4" },
          ],
        },
        { name: "side", image: "s:1" },
      ],
      tolerations: [{ key: "y" }],
    },
  });
});

test("directives delete, replace, order and retain", () => {
  expect(strategic(pod, { spec: { containers: [{ $patch: "delete", name: "side" }] } })).toMatchObject({
    spec: { containers: [{ name: "main" }] },
  });
  const replaced = strategic(pod, {
    spec: { containers: [{ name: "only", image: "o" }, { $patch: "replace" }] },
  });
  expect(replaced).toMatchObject({ spec: { containers: [{ name: "only", image: "o" }] } });
  const ordered = strategic(pod, {
    spec: {
      "$setElementOrder/containers": [{ name: "side" }, { name: "main" }],
      containers: [{ name: "new" }],
    },
  });
  expect(ordered).toMatchObject({
    spec: { containers: [{ name: "side" }, { name: "main" }, { name: "new" }] },
  });
  const retained = strategic(
    { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
    { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
  );
  expect(retained).toEqual({ spec: { strategy: { type: "Recreate" } } });
  const finalizers = strategic(
    { metadata: { finalizers: ["a", "b"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"], finalizers: ["c"] } },
  );
  expect(finalizers).toEqual({ metadata: { finalizers: ["b", "c"] } });
  expect(strategic({ a: { b: 1 }, c: 1 }, { a: { $patch: "replace", d: 2 } })).toEqual({ a: { d: 2 }, c: 1 });
});

test("an item without its merge key is refused", () => {
  expect(() => strategic(pod, { spec: { containers: [{ image: "x" }] } })).toThrow(
    "declared merge key: name",
  );
});

test("a custom schema says how its lists merge", () => {
  const schema = customSchema({
    properties: {
      spec: {
        properties: {
          rules: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["id"],
            items: {
              properties: {
                tags: { "x-kubernetes-list-type": "set" },
                limits: { "x-kubernetes-map-type": "atomic" },
              },
            },
          },
        },
      },
    },
  });
  expect(schema.merging(["spec", "rules"], [])).toMatchObject({ kind: "map", keys: ["id"] });
  expect(schema.merging(["spec", "rules", "tags"], []).kind).toBe("set");
  expect(schema.merging(["spec", "rules", "limits"], {}).kind).toBe("atomic");
  expect(schema.merging(["spec", "other"], []).kind).toBe("atomic");
});

test("patches over HTTP find the current object and honor a version in them", () =>
  withApi(async ({ call }) => {
    await call("POST", deployments, { body: deployment("shop") });
    const type = "application/strategic-merge-patch+json";
    const image = await call("PATCH", `${deployments}/shop`, {
      body: { spec: { template: { spec: { containers: [{ name: "main", image: "app:2" }] } } } },
      type,
    });
    expect(image.body["spec"]?.["template"]?.["spec"]?.["containers"]?.[0]).toMatchObject({
      image: "app:2",
      ports: [{ containerPort: 80, protocol: "TCP" }],
    });
    const stale = await call("PATCH", `${deployments}/shop`, {
      body: { metadata: { resourceVersion: "1" }, spec: { replicas: 3 } },
      type,
    });
    expect(stale.code).toBe(409);
    expect((await call("PATCH", `${deployments}/none`, { body: {}, type })).code).toBe(404);
  }));
