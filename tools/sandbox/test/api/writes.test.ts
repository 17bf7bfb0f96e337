import { expect, test } from "vitest";
import { configMap, configMaps, deployment, deployments, withApi } from "./api-rig.ts";

test("a stale version is a conflict, no version overwrites, and no change keeps the version", () =>
  withApi(async ({ call }) => {
    const { body: first } = await call("POST", configMaps, { body: configMap("a", { x: "1" }) });
    const { body: second } = await call("PUT", `${configMaps}/a`, { body: { ...first, data: { x: "2" } } });
    expect(second["metadata"]?.["resourceVersion"]).not.toEqual(first["metadata"]?.["resourceVersion"]);
    const stale = await call("PUT", `${configMaps}/a`, { body: { ...first, data: { x: "3" } } });
    expect(stale.code).toBe(409);
    expect(stale.body["message"]).toBe(
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to ' +
        "the latest version and try again",
    );
    const same = await call("PUT", `${configMaps}/a`, { body: second });
    expect(same.body["metadata"]?.["resourceVersion"]).toEqual(second["metadata"]?.["resourceVersion"]);
    const blind = await call("PUT", `${configMaps}/a`, { body: configMap("a", { x: "4" }) });
    expect([blind.code, blind.body["data"]]).toEqual([200, { x: "4" }]);
  }));

test("create refuses what exists, what has a version, and what has a bad name", () =>
  withApi(async ({ call }) => {
    await call("POST", configMaps, { body: configMap("a") });
    const again = await call("POST", configMaps, { body: configMap("a") });
    expect([again.code, again.body["reason"]]).toEqual([409, "AlreadyExists"]);
    const versioned = { metadata: { name: "b", resourceVersion: "1" } };
    expect((await call("POST", configMaps, { body: versioned })).code).toBe(400);
    const badName = await call("POST", configMaps, { body: configMap("A_b") });
    expect([badName.code, badName.body["reason"]]).toEqual([422, "Invalid"]);
    expect(badName.body["details"]?.["causes"]?.[0]).toMatchObject({ field: "metadata.name" });
    const elsewhere = { ...(configMap("c") as object), metadata: { name: "c", namespace: "other" } };
    expect((await call("POST", configMaps, { body: elsewhere })).code).toBe(400);
    const nowhere = await call("POST", "/api/v1/namespaces/none/configmaps", { body: configMap("a") });
    expect(nowhere.body["message"]).toBe('namespaces "none" not found');
    expect((await call("POST", configMaps, { body: deployment("x") })).code).toBe(400);
  }));

test("bodies may be YAML, and other types are refused", () =>
  withApi(async ({ call }) => {
    const yaml = "kind: ConfigMap\napiVersion: v1\nmetadata:\n  generateName: run-\ndata:\n  x: 'yes'\n";
    const created = await call("POST", configMaps, { body: yaml, type: "application/yaml" });
    expect(created.body["metadata"]?.["name"]).toMatch(/^run-[a-z0-9]{5}$/);
    expect((await call("POST", configMaps, { body: "x", type: "text/plain" })).code).toBe(415);
    expect((await call("POST", configMaps, { body: "{" })).code).toBe(400);
    const patch = await call("PATCH", `${configMaps}/none`, { body: {}, type: "application/json" });
    expect(patch.code).toBe(415);
  }));

test("spec and status are written apart, and only the spec counts generations", () =>
  withApi(async ({ call }) => {
    const { body: created } = await call("POST", deployments, {
      body: { ...deployment("shop"), status: { replicas: 9 } },
    });
    expect(created["status"]).toEqual({});
    const status = await call("PUT", `${deployments}/shop/status`, {
      body: { ...created, spec: { ...created["spec"], replicas: 7 }, status: { replicas: 1 } },
    });
    expect(status.body["spec"]?.["replicas"]).toBe(1);
    expect(status.body["status"]).toEqual({ replicas: 1 });
    expect(status.body["metadata"]?.["generation"]).toBe(1);
    const spec = await call("PATCH", `${deployments}/shop`, {
      body: { spec: { replicas: 7 }, status: { replicas: 5 } },
      type: "application/merge-patch+json",
    });
    expect(spec.body["metadata"]?.["generation"]).toBe(2);
    expect(spec.body["status"]).toEqual({ replicas: 1 });
  }));

test("a dry run responds as if it had stored, and stores nothing", () =>
  withApi(async ({ call }) => {
    const created = await call("POST", `${configMaps}?dryRun=All`, { body: configMap("a") });
    expect(created.code).toBe(201);
    expect((await call("GET", `${configMaps}/a`)).code).toBe(404);
    await call("POST", configMaps, { body: configMap("a") });
    expect((await call("DELETE", `${configMaps}/a?dryRun=All`)).code).toBe(200);
    expect((await call("GET", `${configMaps}/a`)).code).toBe(200);
  }));

test("finalizers hold an object back until the last one is taken off", () =>
  withApi(async ({ call }) => {
    await call("POST", configMaps, { body: { metadata: { name: "a", finalizers: ["x.dev/hold"] } } });
    const deleted = await call("DELETE", `${configMaps}/a`);
    expect(deleted.body["metadata"]?.["deletionTimestamp"]).toBeDefined();
    expect((await call("GET", `${configMaps}/a`)).code).toBe(200);
    const last = {
      body: [{ op: "remove", path: "/metadata/finalizers" }],
      type: "application/json-patch+json",
    };
    expect((await call("PATCH", `${configMaps}/a`, last)).code).toBe(200);
    expect((await call("GET", `${configMaps}/a`)).code).toBe(404);
  }));

test("deletion returns the uid, honors preconditions, and takes collections", () =>
  withApi(async ({ call }) => {
    const { body: a } = await call("POST", configMaps, { body: configMap("a", {}, { x: "1" }) });
    await call("POST", configMaps, { body: configMap("b", {}, { x: "1" }) });
    await call("POST", configMaps, { body: configMap("c") });
    expect(
      (await call("DELETE", `${configMaps}/a`, { body: { preconditions: { uid: "other" } } })).code,
    ).toBe(409);
    const gone = await call("DELETE", `${configMaps}/a`);
    expect(gone.body).toMatchObject({
      status: "Success",
      details: { name: "a", uid: a["metadata"]?.["uid"] },
    });
    await call("DELETE", `${configMaps}?labelSelector=x%3D1`);
    expect((await call("GET", `${configMaps}/b`)).code).toBe(404);
    expect((await call("GET", `${configMaps}/c`)).code).toBe(200);
  }));

test("a deleted namespace takes its content along and takes nothing new", () =>
  withApi(async ({ call }) => {
    expect((await call("DELETE", "/api/v1/namespaces/default")).code).toBe(403);
    await call("POST", "/api/v1/namespaces", { body: { metadata: { name: "team" } } });
    expect((await call("GET", "/api/v1/namespaces/team/serviceaccounts/default")).code).toBe(200);
    const team = "/api/v1/namespaces/team/configmaps";
    await call("POST", team, { body: { metadata: { name: "held", finalizers: ["x.dev/hold"] } } });
    const leaving = await call("DELETE", "/api/v1/namespaces/team");
    expect(leaving.body["status"]?.["phase"]).toBe("Terminating");
    expect((await call("POST", team, { body: configMap("late") })).code).toBe(403);
    await call("PATCH", `${team}/held`, {
      body: { metadata: { finalizers: null } },
      type: "application/merge-patch+json",
    });
    expect((await call("GET", "/api/v1/namespaces/team")).code).toBe(404);
    expect((await call("GET", `${team}/held`)).code).toBe(404);
  }));

test("workloads keep their selector and must match it", () =>
  withApi(async ({ call }) => {
    const wrong = deployment("shop");
    const spec = wrong["spec"] as { selector: unknown };
    const answer = await call("POST", deployments, {
      body: { ...wrong, spec: { ...spec, selector: { matchLabels: { app: "other" } } } },
    });
    expect(answer.code).toBe(422);
    expect(answer.body["message"]).toContain("`selector` does not match template `labels`");
    await call("POST", deployments, { body: deployment("shop") });
    const changed = await call("PATCH", `${deployments}/shop`, {
      body: {
        spec: {
          selector: { matchLabels: { app: "b" } },
          template: { metadata: { labels: { app: "b" } } },
        },
      },
      type: "application/merge-patch+json",
    });
    expect(changed.body["details"]?.["causes"]?.[0]).toMatchObject({
      field: "spec.selector",
      reason: "FieldValueInvalid",
    });
  }));
