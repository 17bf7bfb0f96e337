import { manualClock } from "@plimsoll/component-base/testing";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fieldsOf, fromFieldsV1, pathsOf, toFieldsV1 } from "../../src/apply/field-set.ts";
import { builtinSchema } from "../../src/patch/merge-schema.ts";
import {
  type Answer,
  type ApiRig,
  configMaps,
  deployment,
  deployments,
  type Json,
  withApi,
} from "./api-rig.ts";

const type = "application/apply-patch+yaml";

function apply(call: ApiRig["call"], body: unknown, query: string): Promise<Answer> {
  const { kind, metadata } = body as { kind: string; metadata: { name: string } };
  const base = kind === "Deployment" ? deployments : configMaps;
  return call("PATCH", `${base}/${metadata.name}?${query}`, { body, type });
}

const config = (data: Record<string, string>): unknown => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  data,
});

test("apply creates, says who owns what, and prunes what its manager leaves out", () =>
  withApi(async ({ call }) => {
    const created = await apply(call, config({ x: "1", y: "1" }), "fieldManager=one");
    expect(created.code).toBe(201);
    expect(created.body["metadata"]?.["managedFields"]?.[0]).toMatchObject({
      manager: "one",
      operation: "Apply",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { "f:x": {}, "f:y": {} } },
    });
    await apply(call, config({ z: "1" }), "fieldManager=two");
    const pruned = await apply(call, config({ x: "2" }), "fieldManager=one");
    expect([pruned.code, pruned.body["data"]]).toEqual([200, { x: "2", z: "1" }]);
    const again = await apply(call, config({ x: "2" }), "fieldManager=one");
    expect(again.body["metadata"]?.["resourceVersion"]).toBe(pruned.body["metadata"]?.["resourceVersion"]);
  }));

test("applying the same again later is no write, whoever else applied meanwhile", async () => {
  const clock = manualClock(Date.now());
  await withApi(
    async ({ call }) => {
      await apply(call, config({ x: "1" }), "fieldManager=one");
      const { body: before } = await apply(call, config({ y: "1" }), "fieldManager=two");
      await clock.advance(5000);
      const { body: after } = await apply(call, config({ x: "1" }), "fieldManager=one");
      expect(after["metadata"]).toEqual(before["metadata"]);
    },
    { clock },
  );
});

test("a field of another manager is a conflict that names it, until it is forced", () =>
  withApi(async ({ call }) => {
    await apply(call, config({ x: "1" }), "fieldManager=one");
    const refused = await apply(call, config({ x: "2" }), "fieldManager=two");
    expect(refused.code).toBe(409);
    expect(refused.body).toMatchObject({
      reason: "Conflict",
      message: 'Apply failed with 1 conflict: conflict with "one": .data.x',
      details: {
        causes: [{ reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.x" }],
      },
    });
    // The same value is shared, not fought over.
    expect((await apply(call, config({ x: "1" }), "fieldManager=two")).code).toBe(200);
    const forced = await apply(call, config({ x: "3" }), "fieldManager=two&force=true");
    expect(forced.body["data"]).toEqual({ x: "3" });
    const owners = forced.body["metadata"]?.["managedFields"] as unknown as Json[];
    expect(owners.map((owner) => owner["manager"])).toEqual(["two"]);
  }));

test("an update takes fields over, and apply then conflicts with the updater", () =>
  withApi(async ({ call }) => {
    await apply(call, deployment("shop", 2), "fieldManager=one");
    await call("PATCH", `${deployments}/shop/scale`, {
      body: { spec: { replicas: 5 } },
      type: "application/merge-patch+json",
      headers: { "user-agent": "hpa/v1" },
    });
    const refused = await apply(call, deployment("shop", 2), "fieldManager=one");
    expect(refused.body["message"]).toBe(
      'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas',
    );
    const { replicas: _replicas, ...spec } = deployment("shop")["spec"] as Record<string, unknown>;
    const handedOver = await apply(call, { ...deployment("shop"), spec }, "fieldManager=one");
    expect([handedOver.code, handedOver.body["spec"]?.["replicas"]]).toEqual([200, 5]);
  }));

test("list items are owned by their keys", () =>
  withApi(async ({ call }) => {
    const withContainers = (...names: string[]): unknown => {
      const object = deployment("shop");
      const spec = object["spec"] as { template: object };
      const containers = names.map((name) => ({ name, image: `${name}:1` }));
      return { ...object, spec: { ...spec, template: { ...spec.template, spec: { containers } } } };
    };
    await apply(call, withContainers("a", "b"), "fieldManager=one");
    const fewer = await apply(call, withContainers("b"), "fieldManager=one");
    expect(fewer.body["spec"]?.["template"]?.["spec"]?.["containers"]).toMatchObject([{ name: "b" }]);
    expect(fewer.body["spec"]?.["template"]?.["spec"]?.["containers"]?.[1]).toBeUndefined();
    const conflicting = await apply(
      call,
      JSON.parse(JSON.stringify(withContainers("b")).replace("b:1", "b:2")),
      "fieldManager=two",
    );
    expect(conflicting.body["details"]?.["causes"]?.[0]?.["field"]).toBe(
      '.spec.template.spec.containers[name="b"].image',
    );
  }));

test("apply needs a manager and no managed fields of its own", () =>
  withApi(async ({ call }) => {
    expect((await apply(call, config({}), "")).code).toBe(400);
    const withOwners = { ...(config({}) as object), metadata: { name: "a", managedFields: [] } };
    expect((await apply(call, withOwners, "fieldManager=one")).code).toBe(400);
  }));

test("field sets survive their wire form", () => {
  const container = fc.record({
    name: fc.stringMatching(/^[a-z]{1,8}$/),
    image: fc.string(),
    ports: fc.uniqueArray(fc.record({ containerPort: fc.nat(9) }), {
      selector: (port) => port.containerPort,
    }),
  });
  const object = fc.record({
    metadata: fc.record({ labels: fc.dictionary(fc.string({ minLength: 1 }), fc.string()) }),
    spec: fc.record({ containers: fc.uniqueArray(container, { selector: (one) => one.name }) }),
  });
  assertProperty(
    fc.property(object, (value) => {
      const set = fieldsOf(value, builtinSchema);
      expect(pathsOf(fromFieldsV1(toFieldsV1(set))).toSorted()).toEqual(pathsOf(set).toSorted());
    }),
  );
});
