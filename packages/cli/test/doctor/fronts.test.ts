// A metric of an Ingress or a route whose class is served by another source than the one of the rule.
import { systemClock } from "@plimsoll/component-base";
import { type RealPrometheus, startPrometheusWith } from "@plimsoll/prometheus/testing";
import { expect, onTestFinished, test } from "vitest";
import { noFiles, plimsoll } from "../run-plimsoll.ts";
import { doctor, nowMs } from "./api-server.ts";
import { cluster, rulesOf } from "./fronts-cluster.ts";

const only = ["-n", "pay", "--only=PL-056", "-o", "json"];

async function examined(server: ReturnType<typeof cluster>, ...args: readonly string[]) {
  const { out } = await doctor(server, [...only, ...args]);
  const { findings, skipped } = JSON.parse(out) as {
    readonly findings: readonly {
      readonly title: string;
      readonly fix: string;
      readonly evidence: unknown;
    }[];
    readonly skipped: readonly { readonly reason: string }[];
  };
  return {
    findings,
    titles: findings.map(({ title }) => title),
    reasons: skipped.map(({ reason }) => reason),
  };
}

const envoyGateway = "gateway.envoyproxy.io/gatewayclass-controller";
const traefik = "traefik.io/ingress-controller";
const ofService = {
  kind: "Service",
  rules: rulesOf("ingress-nginx").replace(
    "ingress: { group: networking.k8s.io, resource: ingress }",
    "service: { resource: service }",
  ),
} as const;

test.each([
  [{}, "Ingress pay/web is served by Traefik, but requests-per-second is from ingress-nginx"],
  [
    { kind: "HTTPRoute", controller: envoyGateway, rules: rulesOf("kong") },
    "HTTPRoute pay/web is served by Envoy Gateway, but requests-per-second is from Kong",
  ],
  [
    { ...ofService, ingresses: [traefik], isRouted: true, controller: envoyGateway },
    "Service pay/web is served by Traefik and Envoy Gateway, but requests-per-second is from ingress-nginx",
  ],
] as const)("is a finding: %o", async (setting, title) => {
  const { findings, titles } = await examined(cluster(setting));
  expect(titles).toEqual([title]);
  expect(findings[0]?.fix).toMatch(
    /plimsoll metrics setup (ingress|httproute|deployment)\/web -n pay prints them$/,
  );
});

test.each([
  [
    "the rule is of the source",
    { rules: rulesOf("kong"), controller: "ingress-controllers.konghq.com/kong" },
  ],
  ["there is traffic", { value: "20" }],
  ["nobody knows the controller", { controller: "example.com/own" }],
  [
    "nobody knows the series",
    { rules: rulesOf("ingress-nginx").replaceAll("nginx_ingress_controller_requests", "own") },
  ],
  [
    "any Envoy has the series",
    { kind: "HTTPRoute", controller: "istio.io/gateway-controller", rules: rulesOf("envoy-gateway") },
  ],
  [
    "one of two rules is of the source",
    {
      rules: `${rulesOf("kong")}${rulesOf("ingress-nginx").replace("rules:\n", "")}`,
      controller: "ingress-controllers.konghq.com/kong",
    },
  ],
  [
    "the Gateway is Istio's own",
    {
      kind: "Gateway",
      apiVersion: "networking.istio.io/v1",
      rules: rulesOf("kong").replaceAll("resource: httproute", "resource: gateway"),
    },
  ],
  [
    "a Gateway's proxy may be any NGINX",
    { kind: "Gateway", controller: envoyGateway, rules: rulesOf("nginx-gateway-fabric") },
  ],
  [
    "the class was the retired controller's, which others serve now",
    { controller: "k8s.io/ingress-nginx", rules: rulesOf("kong") },
  ],
  ["nothing leads to the Service", ofService],
  ["there is traffic of the Service", { ...ofService, ingresses: [traefik], value: "20" }],
  ["another Ingress leads to it", { ...ofService, ingresses: [traefik, "k8s.io/ingress-nginx-internal"] }],
  [
    "a Gateway that nobody knows leads to it, too",
    { ...ofService, ingresses: [traefik], isRouted: true, controller: "example.com/own" },
  ],
  [
    "the source may serve the Service by kinds of its own",
    {
      kind: "Service",
      ingresses: [traefik],
      rules: rulesOf("kong").replaceAll(
        "group: gateway.networking.k8s.io, resource: httproutes",
        "resource: service",
      ),
    },
  ],
  [
    "the rule counts what a mesh sends to the Service",
    { kind: "Service", ingresses: [traefik], rules: rulesOf("istio") },
  ],
  [
    "the rule counts what a proxy without a controller sends to the Service",
    { kind: "Service", ingresses: [traefik], rules: rulesOf("haproxy") },
  ],
  [
    "another parent is not known",
    {
      kind: "HTTPRoute",
      controller: envoyGateway,
      rules: rulesOf("kong"),
      parents: [{ name: "edge" }, { name: "none" }],
    },
  ],
] as const)("is none where %s", async (_, setting) => {
  expect(await examined(cluster(setting))).toEqual({ findings: [], titles: [], reasons: [] });
});

test("a MetricRule of the namespace comes before the file", async () => {
  const server = cluster({ rules: rulesOf("traefik") });
  server.put({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "MetricRule",
    metadata: { name: "requests-per-second", namespace: "pay" },
    spec: { type: "Object", query: "sum(rate(nginx_ingress_controller_requests[2m])) by (ingress)" },
  });
  const { findings } = await examined(server);
  expect(JSON.stringify(findings)).toContain("MetricRule pay/requests-per-second");
});

test("what the book says of a MetricRule's query is in the findings about it", async () => {
  const server = cluster();
  const metricRule = (name: string, query: string) => ({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "MetricRule",
    metadata: { name, namespace: "pay" },
    spec: { type: "External", query },
    status: {
      query: query.replace("[", '{namespace="pay"}['),
      conditions: [
        { type: "Accepted", status: "True", reason: "Accepted" },
        { type: "Resolved", status: "False", reason: "NoSeries" },
      ],
    },
  });
  server.put(
    metricRule("old", "sum(rate(nginx_ingress_controller_requests[2m]))"),
    metricRule("mesh", "sum(rate(istio_requests_total[2m]))"),
  );
  const { out } = await doctor(server, ["-n", "pay", "--only=PL-047,PL-053", "-o", "json"]);
  const { findings } = JSON.parse(out) as { readonly findings: readonly { readonly id: string }[] };
  expect(findings.map(({ id }) => id).toSorted()).toEqual(["PL-047", "PL-047", "PL-053"]);
  expect(out).toContain("the query finds series only if that is pay");
  expect(out).toContain("the series are from ingress-nginx, retired");
});

test("is skipped with the reason where the adapter's rules are nowhere", async () => {
  const { titles, reasons } = await examined(cluster({ rules: "" }));
  expect([titles, reasons]).toEqual([
    [],
    [expect.stringMatching(/^cannot read the adapter's rules: .+ not found$/)],
  ]);
});

test("with a Prometheus it says for how long the old source had no traffic", async () => {
  const now = Date.now();
  const ended = now - 9 * 86_400_000;
  const prometheus: RealPrometheus = await startPrometheusWith(
    {
      page: (scrape) =>
        `nginx_ingress_controller_requests{exported_namespace="pay",namespace="edge",ingress="web"} ${scrape}\n`,
      fromMs: ended - 600_000,
      toMs: ended,
    },
    { binary: process.env["PROMETHEUS"] ?? "prometheus" },
  );
  onTestFinished(() => prometheus.stop());
  const { out } = await doctor(cluster(), [...only, "--prometheus", prometheus.url], { nowMs: () => now });
  expect(out).toContain("is for ingress-nginx, which has had no samples for 9d");
});

test("explain has the finding", async () => {
  const server = cluster();
  const { out } = await plimsoll(["explain", "web", "-n", "pay", "--via=none"], {
    readText: noFiles,
    nowMs: () => nowMs,
    connect: () => Promise.resolve(server.connection(systemClock)),
  });
  expect(out.replaceAll(/\s+/g, " ")).toContain(
    "Ingress pay/web is served by Traefik, but requests-per-second is from ingress-nginx",
  );
});
