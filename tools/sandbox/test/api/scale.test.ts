import { expect, test } from "vitest";
import { formatSelector } from "../../src/resources/scale-object.ts";
import { deployment, deployments, withApi } from "./api-rig.ts";

test("a Scale shows replicas and selector, and its version guards the write", () =>
  withApi(async ({ call }) => {
    await call("POST", deployments, { body: deployment("shop", 2) });
    const { body: scale } = await call("GET", `${deployments}/shop/scale`);
    expect(scale).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "shop", namespace: "default" },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: "app=shop" },
    });
    const written = await call("PUT", `${deployments}/shop/scale`, {
      body: { ...scale, spec: { replicas: 5 } },
    });
    expect([written.code, written.body["spec"]]).toEqual([200, { replicas: 5 }]);
    expect((await call("GET", `${deployments}/shop`)).body["metadata"]?.["generation"]).toBe(2);
    const stale = await call("PUT", `${deployments}/shop/scale`, {
      body: { ...scale, spec: { replicas: 6 } },
    });
    expect([stale.code, stale.body["reason"]]).toEqual([409, "Conflict"]);
    const negative = await call("PATCH", `${deployments}/shop/scale`, {
      body: { spec: { replicas: -1 } },
      type: "application/merge-patch+json",
    });
    expect(negative.body["message"]).toBe(
      'Scale.autoscaling "shop" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    const zero = await call("PUT", `${deployments}/shop/scale`, {
      body: { kind: "Scale", metadata: { name: "shop" } },
    });
    expect(zero.body["spec"]).toEqual({});
    expect((await call("GET", `${deployments}/none/scale`)).code).toBe(404);
    expect((await call("GET", "/api/v1/namespaces/default/configmaps/a/scale")).code).toBe(404);
  }));

test("selectors are printed with their keys in order", () => {
  expect(
    formatSelector({
      matchLabels: { b: "1" },
      matchExpressions: [
        { key: "c", operator: "In", values: ["y", "x"] },
        { key: "a", operator: "NotIn", values: ["z"] },
        { key: "d", operator: "Exists" },
        { key: "e", operator: "DoesNotExist" },
      ],
    }),
  ).toBe("a notin (z),b=1,c in (x,y),d,!e");
});
