import type { ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { type ApiRig, type Json, text, withApi } from "./api-rig.ts";
import { metricsAnswer, startBackend, type TlsBackend } from "./tls-backend.ts";

const metrics = "/apis/metrics.k8s.io/v1beta1";
const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
const authentication = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";

interface Backed extends ApiRig {
  readonly backend: TlsBackend;
}

async function withBackend(
  use: (rig: Backed) => Promise<void>,
  options: { answer?: (path: string, response: ServerResponse) => void; serviceName?: string } = {},
): Promise<void> {
  await withApi(async (rig) => {
    const { body } = await rig.call("GET", authentication);
    const backend = await startBackend({
      serviceName: options.serviceName ?? "adapter.default.svc",
      clientCaPem: text(body["data"]?.["requestheader-client-ca-file"]),
      answer: options.answer ?? metricsAnswer,
    });
    try {
      await use({ ...rig, backend });
    } finally {
      await backend.close();
    }
  });
}

function apiService(backend: TlsBackend, extra: object = {}): unknown {
  return {
    metadata: { name: "v1beta1.metrics.k8s.io" },
    spec: {
      group: "metrics.k8s.io",
      version: "v1beta1",
      service: { name: "adapter", namespace: "default", port: backend.port },
      caBundle: backend.caBundle,
      groupPriorityMinimum: 100,
      versionPriority: 10,
      ...extra,
    },
  };
}

const externalService = {
  metadata: { name: "adapter" },
  spec: { type: "ExternalName", externalName: "127.0.0.1" },
};

async function register({ call, backend }: Backed, extra: object = {}): Promise<void> {
  await call("POST", "/api/v1/namespaces/default/services", { body: externalService });
  await call("POST", apiServices, { body: apiService(backend, extra) });
}

async function condition({ call }: ApiRig, reason: string): Promise<Json | undefined> {
  return vi.waitFor(
    async () => {
      const { body } = await call("GET", `${apiServices}/v1beta1.metrics.k8s.io`);
      const found = body["status"]?.["conditions"]?.[0];
      expect(found?.["reason"]).toBe(reason);
      return found;
    },
    // Nearly as long as a test may take.
    { timeout: 100_000, interval: 20 },
  );
}

test("a request reaches the backend as its user, by the front-proxy certificate, without the user's secrets", () =>
  withBackend(async (rig) => {
    await register(rig);
    await condition(rig, "Passed");
    const probe = rig.backend.requests[0];
    expect(probe).toMatchObject({
      path: metrics,
      client: "front-proxy-client",
      clientTrusted: true,
      groups: ["system:masters"],
      headers: { "x-remote-user": "system:kube-aggregator" },
    });
    const token = /token: (\S+)/.exec(rig.address.kubeconfigFor("bob", ["devs", "ops"]))?.[1] ?? "";
    const answer = await rig.call("GET", `${metrics}/namespaces/default/pods?labelSelector=a%3Db`, {
      as: { token },
      headers: {
        "x-remote-user": "root",
        "x-remote-group": "system:masters",
        "x-remote-extra-scope": "all",
        "audit-id": "audit-1",
        accept: "application/json",
      },
    });
    expect([answer.code, answer.body["kind"], answer.headers["audit-id"]]).toEqual([
      200,
      "PodMetricsList",
      "audit-1",
    ]);
    const seen = rig.backend.requests.at(-1);
    expect(seen).toMatchObject({
      method: "GET",
      path: `${metrics}/namespaces/default/pods?labelSelector=a%3Db`,
      client: "front-proxy-client",
      clientTrusted: true,
      groups: ["devs", "ops", "system:authenticated"],
    });
    expect(seen?.headers["x-remote-user"]).toBe("bob");
    expect(seen?.headers["audit-id"]).toBe("audit-1");
    expect(seen?.headers["authorization"]).toBeUndefined();
    expect(seen?.headers["x-remote-extra-scope"]).toBeUndefined();
  }));

test("a backend's group appears in both discoveries, subresources below their resource", () =>
  withBackend(async (rig) => {
    await register(rig);
    await condition(rig, "Passed");
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const find = async (): Promise<Json | undefined> => {
      const { body } = await rig.call("GET", "/apis", { headers: { accept } });
      return (body["items"] as unknown as Json[]).find(
        (item) => text(item["metadata"]?.["name"]) === "metrics.k8s.io",
      );
    };
    await expect
      .poll(async () => (await find())?.["versions"])
      .toMatchObject([
        {
          version: "v1beta1",
          freshness: "Current",
          resources: [{ resource: "pods", scope: "Namespaced", subresources: [{ subresource: "extra" }] }],
        },
      ]);
    const group = await rig.call("GET", "/apis/metrics.k8s.io");
    expect(group.body["preferredVersion"]?.["version"]).toBe("v1beta1");
    expect((await rig.call("GET", metrics)).body["kind"]).toBe("APIResourceList");
    const plain = rig.backend.requests.find((one) => one.headers.accept === "application/json");
    expect(plain).toMatchObject({ path: metrics, groups: [] });
  }));

test("the reasons for being unavailable, and 503 for as long", () =>
  withBackend(async (rig) => {
    const { call, backend } = rig;
    await call("POST", apiServices, { body: apiService(backend) });
    expect((await condition(rig, "ServiceNotFound"))?.["message"]).toBe(
      'service/adapter in "default" is not present',
    );
    const refused = await call("GET", `${metrics}/nodes`);
    expect(refused.body).toMatchObject({ kind: "Status", code: 503, reason: "ServiceUnavailable" });
    const services = "/api/v1/namespaces/default/services";
    const service = { metadata: { name: "adapter" }, spec: { ports: [{ name: "https", port: 1 }] } };
    await call("POST", services, { body: service });
    await condition(rig, "ServicePortError");
    const merge = "application/merge-patch+json";
    const ports = { spec: { ports: [{ name: "https", port: backend.port, targetPort: 6443 }] } };
    await call("PATCH", `${services}/adapter`, { body: ports, type: merge });
    await condition(rig, "EndpointsNotFound");
    const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    const slice = {
      metadata: { name: "adapter-1", labels: { "kubernetes.io/service-name": "adapter" } },
      addressType: "IPv4",
      ports: [{ name: "https", port: backend.port }],
      endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: false } }],
    };
    await call("POST", slices, { body: slice });
    await condition(rig, "MissingEndpoints");
    const endpoints = [{ addresses: ["127.0.0.1"], conditions: { ready: true } }];
    await call("PATCH", `${slices}/adapter-1`, { body: { endpoints }, type: merge });
    const passed = await condition(rig, "Passed");
    expect(passed).toMatchObject({ type: "Available", status: "True", message: "all checks passed" });
    expect((await call("GET", `${metrics}/namespaces/default/pods`)).code).toBe(200);
  }));

test("a certificate for another name is refused, unless verification is off", () =>
  withBackend(
    async (rig) => {
      await register(rig);
      const failed = await condition(rig, "FailedDiscoveryCheck");
      expect(text(failed?.["message"])).toContain("adapter.default.svc");
      expect(rig.backend.requests).toEqual([]);
      await rig.call("PATCH", `${apiServices}/v1beta1.metrics.k8s.io`, {
        body: { spec: { caBundle: null, insecureSkipTLSVerify: true } },
        type: "application/merge-patch+json",
      });
      await condition(rig, "Passed");
    },
    { serviceName: "other.default.svc" },
  ));

test("a backend that fails its check becomes unavailable and comes back by itself", () => {
  let healthy = false;
  return withBackend(
    async (rig) => {
      await register(rig);
      const failed = await condition(rig, "FailedDiscoveryCheck");
      expect(text(failed?.["message"])).toContain("bad status from https://127.0.0.1:");
      healthy = true;
      await condition(rig, "Passed");
    },
    {
      answer(path, response) {
        if (healthy) metricsAnswer(path, response);
        else response.writeHead(500).end();
      },
    },
  );
});

test("a backend may neither redirect nor break off unnoticed", () =>
  withBackend(
    async (rig) => {
      await register(rig);
      await condition(rig, "Passed");
      expect((await rig.call("GET", `${metrics}/away`)).code).toBe(502);
      const broken = await rig.call("GET", `${metrics}/broken`);
      expect([broken.code, broken.body["reason"]]).toEqual([503, "ServiceUnavailable"]);
      expect(broken.body["message"]).toContain("error trying to reach service");
    },
    {
      answer(path, response) {
        if (path.endsWith("/away")) response.writeHead(302, { location: "https://elsewhere" }).end();
        else if (path.endsWith("/broken")) response.destroy();
        else metricsAnswer(path, response);
      },
    },
  ));
