import { expect, test } from "vitest";
import { configMap, configMaps, deployment, deployments, text, withApi } from "./api-rig.ts";

test("an object comes back with what the server adds, and not found is a Status", () =>
  withApi(async ({ call }) => {
    const created = await call("POST", deployments, { body: deployment("shop") });
    expect(created.code).toBe(201);
    expect(created.body["metadata"]).toMatchObject({ name: "shop", namespace: "default", generation: 1 });
    expect(created.body["spec"]).toMatchObject({
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      template: { spec: { restartPolicy: "Always", containers: [{ ports: [{ protocol: "TCP" }] }] } },
    });
    const read = await call("GET", `${deployments}/shop`);
    expect(read.body).toEqual(created.body);
    const missing = await call("GET", `${deployments}/none`);
    expect(missing.code).toBe(404);
    expect(missing.body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'deployments.apps "none" not found',
      reason: "NotFound",
      details: { name: "none", group: "apps", kind: "deployments" },
      code: 404,
    });
  }));

test("a list is selected by labels and fields, in pages that add up", () =>
  withApi(async ({ call }) => {
    for (const name of ["a", "b", "c", "d"]) {
      await call("POST", configMaps, { body: configMap(name, {}, { tier: name < "c" ? "front" : "back" }) });
    }
    const names = async (query: string): Promise<unknown> => {
      const { body } = await call("GET", `${configMaps}?${query}`);
      return (body["items"] as unknown as { metadata: { name: string } }[]).map((item) => item.metadata.name);
    };
    expect(await names("labelSelector=tier%3Dfront")).toEqual(["a", "b"]);
    expect(await names("labelSelector=tier+in+(back),tier!=front")).toEqual(["c", "d"]);
    expect(await names("fieldSelector=metadata.name%3Dd")).toEqual(["d"]);
    const bad = await call("GET", `${configMaps}?fieldSelector=data.x%3D1`);
    expect([bad.code, bad.body["message"]]).toEqual([400, "field label not supported: data.x"]);

    const first = await call("GET", `${configMaps}?limit=3&labelSelector=tier`);
    expect(first.body["metadata"]?.["remainingItemCount"]).toBe(1);
    const token = text(first.body["metadata"]?.["continue"]);
    expect(await names(`limit=3&labelSelector=tier&continue=${token}`)).toEqual(["d"]);
  }));

test("a continue token that is older than the history is expired", () =>
  withApi(async ({ call, sandbox }) => {
    for (const name of ["a", "b"]) await call("POST", configMaps, { body: configMap(name) });
    const first = await call("GET", `${configMaps}?limit=1`);
    await call("POST", configMaps, { body: configMap("c") });
    sandbox.store.compact();
    const token = text(first.body["metadata"]?.["continue"]);
    const second = await call("GET", `${configMaps}?limit=1&continue=${token}`);
    expect([second.code, second.body["reason"]]).toEqual([410, "Expired"]);
  }));

test("a version of the future is refused as too large", () =>
  withApi(async ({ call }) => {
    const answer = await call(
      "GET",
      `${configMaps}?resourceVersion=999999&resourceVersionMatch=NotOlderThan`,
    );
    expect(answer.code).toBe(504);
    expect(answer.body["details"]?.["causes"]?.[0]).toMatchObject({ reason: "ResourceVersionTooLarge" });
  }));

test("Accept chooses Table, metadata only, YAML, or 406", () =>
  withApi(async ({ call }) => {
    await call("POST", configMaps, { body: configMap("a", { x: "1" }) });
    const table = await call("GET", `${configMaps}?fieldSelector=metadata.name%3Da`, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" },
    });
    expect(table.body).toMatchObject({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      rows: [
        {
          cells: ["a", 1, expect.stringMatching(/^\d+s$/)],
          object: { kind: "PartialObjectMetadata", metadata: { name: "a" } },
        },
      ],
    });
    const partial = await call("GET", `${configMaps}/a`, {
      headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" },
    });
    expect(partial.body["kind"]).toBe("PartialObjectMetadata");
    expect(partial.body["data"]).toBeUndefined();
    const yaml = await call("GET", `${configMaps}/a`, { headers: { accept: "application/yaml" } });
    expect(yaml.headers["content-type"]).toBe("application/yaml");
    expect(yaml.text).toContain("kind: ConfigMap\n");
    const refused = await call("GET", `${configMaps}/a`, { headers: { accept: "text/html" } });
    expect([refused.code, refused.body["reason"]]).toEqual([406, "NotAcceptable"]);
    const both = await call("GET", `${configMaps}/a`, {
      headers: { accept: "application/vnd.kubernetes.protobuf,application/json" },
    });
    expect(both.headers["content-type"]).toBe("application/json");
  }));

test("methods and paths that do not exist are distinguished", () =>
  withApi(async ({ call }) => {
    expect((await call("PUT", configMaps, { body: {} })).body["reason"]).toBe("MethodNotAllowed");
    expect((await call("POST", `${configMaps}/a`, { body: {} })).code).toBe(405);
    const unknown = await call("GET", "/apis/apps/v1/namespaces/default/gadgets");
    expect([unknown.code, unknown.text]).toEqual([404, "404 page not found\n"]);
    expect((await call("GET", "/api/v1/namespaces/default/pods/none/log")).code).toBe(404);
    expect((await call("GET", "/nothing")).code).toBe(404);
  }));

test("events are one thing in two groups", () =>
  withApi(async ({ call }) => {
    await call("POST", "/apis/events.k8s.io/v1/namespaces/default/events", {
      body: {
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: { name: "e" },
        regarding: { kind: "Pod", name: "p" },
        note: "hello",
        reason: "Started",
        type: "Normal",
      },
    });
    const core = await call("GET", "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dp");
    expect(core.body["items"]?.[0]).toMatchObject({
      involvedObject: { kind: "Pod", name: "p" },
      message: "hello",
    });
    const other = await call(
      "GET",
      "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dq",
    );
    expect(other.body["items"]).toEqual([]);
  }));
