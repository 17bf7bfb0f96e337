// What `metrics setup` finds, proves, and prints, against a real Prometheus.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type RealPrometheus, scraped, startRealPrometheus } from "@plimsoll/prometheus/testing";
import { testFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { run } from "./fake-cluster.ts";
import { app, gateway, ingress, ingressClass, route, service, shop, traefik } from "./metrics-setup-rig.ts";

let prometheus: RealPrometheus;
const atMs = Date.now();
beforeAll(async () => {
  const grown = (perSecond: number, scrape: number) => perSecond * scrape * 15;
  const page = (scrape: number) =>
    [
      `traefik_service_requests_total{namespace="traefik",service="traefik",exported_service="shop-web-80@kubernetes"} ${grown(240.0004, scrape)}`,
      `envoy_cluster_upstream_rq_total{namespace="envoy",envoy_cluster_name="httproute/shop/web/rule/0"} ${grown(70.0004, scrape)}`,
      `nginx_ingress_controller_requests{controller="x",namespace="shop",ingress="old"} ${grown(30.0004, scrape)}`,
      `container_network_receive_packets_total{namespace="shop",pod="web-0"} ${grown(1500.0004, scrape)}`,
      `container_network_receive_packets_total{namespace="shop",pod="other-0"} ${grown(9000.0004, scrape)}`,
      `istio_requests_total{reporter="destination",kubernetes_namespace="shop"} ${grown(1, scrape)}`,
      "",
    ].join("\n");
  const slow = Array.from({ length: 20 }, (_, at) => [atMs - 1_140_000 + at * 60_000, at * 600] as const);
  const labels = { __name__: "http_requests_total", namespace: "shop", pod: "web-0" };
  const kong = { __name__: "kong_http_requests_total", namespace: "kong", route: "shop.web.web.x.80" };
  prometheus = await startRealPrometheus(process.env["PROMETHEUS"] ?? "prometheus");
  // The oldest first: Prometheus takes nothing that is older than what it has by more than an hour.
  await prometheus.write([{ labels: kong, samples: [[atMs - 9 * 86_400_000, 1]] }]);
  await prometheus.write([{ labels, samples: slow }]);
  await prometheus.write(scraped({ page, fromMs: atMs - 900_000, toMs: atMs + 300_000, stepMs: 15_000 }));
});
afterAll(() => prometheus?.stop());

const setup = (cluster: ReturnType<typeof shop>, ...args: readonly string[]) =>
  run(cluster, ["metrics", "setup", "-n", "shop", ...args], { nowMs: () => atMs });
const withPrometheus = (cluster: ReturnType<typeof shop>, ...args: readonly string[]) =>
  setup(cluster, "--prometheus-url", prometheus.url, ...args);

test("an Ingress of Traefik: the Service's requests, and the step that an autoscaler would take", async () => {
  const { code, out, errors } = await withPrometheus(shop(ingress("traefik"), traefik), "ingress/web");
  expect(code).toBe(0);
  expect(out).toContain("Ingress     web, class traefik (traefik.io/ingress-controller)");
  expect(out).toContain("requests-per-second of services/web = 240");
  expect(out).toContain("would change replicas from 1 to 3 now");
  expect(errors).toContain("note: Which metric? Took Traefik");
});

test("--out writes what can be applied", async () => {
  const folder = join(testFolder(), "out");
  const { code } = await withPrometheus(shop(ingress("traefik"), traefik), "web", "--yes", "--out", folder);
  expect(code).toBe(0);
  const read = async (name: string) => parse(await readFile(join(folder, name), "utf8")) as object;
  expect(await read("values.yaml")).toMatchObject({
    rules: { custom: [{ name: { as: "requests-per-second" } }] },
  });
  expect(await read("hpa.yaml")).toMatchObject({
    spec: {
      scaleTargetRef: { name: "web" },
      metrics: [{ type: "Object", object: { describedObject: { kind: "Service", name: "web" } } }],
    },
  });
  expect(await read("workload-autoscaler.yaml")).toMatchObject({ kind: "WorkloadAutoscaler" });
});

test("an HTTPRoute of Envoy Gateway is the object of its metric", async () => {
  const { out } = await withPrometheus(shop(route, ...gateway), "httproute/web");
  expect(out).toContain("requests-per-second of httproutes.gateway.networking.k8s.io/web = 70");
  expect(out).toContain("kind: HTTPRoute");
});

test("the pods' packets are those of the workload's own pods", async () => {
  const { out } = await withPrometheus(shop(), "web", "--recipe", "cadvisor");
  expect(out).toContain("packets-per-second of the pods = 1500 (pods with a value: 1)");
});

test("a scrape interval that is longer than the range widens the range", async () => {
  const { out } = await withPrometheus(shop(), "web", "--recipe", "application");
  expect(out).toContain("every 60 s, so the range of the rate is 240s instead of 2m");
  expect(out).toContain("[240s]");
});

test("labels that Prometheus did not rename are found", async () => {
  const nginx = ingressClass("nginx", "k8s.io/ingress-nginx");
  const { out } = await withPrometheus(
    shop(ingress("nginx", "old"), nginx),
    "ingress/old",
    "--recipe",
    "ingress-nginx",
  );
  expect(out).toContain('the series have "namespace" instead of "exported_namespace"');
  expect(out).toContain("of ingresses.networking.k8s.io/old = 30");
});

test.each<[string, ReturnType<typeof shop>, readonly string[], string]>([
  [
    "no series for days",
    shop(),
    ["--recipe", "kong"],
    "Kong: no sample of kong_http_requests_total for 9 days",
  ],
  [
    "no series at all",
    shop(),
    ["--recipe", "kafka"],
    "Kafka: Prometheus has no series kafka_consumergroup_lag",
  ],
  [
    "labels that were renamed",
    shop(),
    ["--recipe", "istio"],
    "Istio: its series have no value for this workload's services",
  ],
  [
    "two Services behind one name",
    shop(
      service("web-web", "x", "x"),
      service("web", "y", "shop"),
      service("b-web", "y", "shop-a"),
      service("a-b-web", "web"),
    ),
    ["--recipe", "traefik"],
    'share the name "shop-a-b-web" in its series',
  ],
])("%s is said, and ends with 2", async (_, cluster, args, text) => {
  const { code, out } = await withPrometheus(cluster, "web", ...args);
  expect(out).toContain(text);
  expect(code).toBe(2);
});

test("what is missing in the cluster is said", async () => {
  const lost = await withPrometheus(shop(ingress("lost")), "web");
  expect(lost.out).toContain('has the class "lost", which no IngressClass has');
  const foreign = ingressClass("own", "example.com/own");
  const unknown = await withPrometheus(shop(ingress("own"), foreign), "web");
  expect(unknown.out).toContain("web is served by example.com/own, for which there is no recipe");
  const denied = shop(route, ...gateway);
  denied.deny(/namespaces\/infra/);
  expect((await withPrometheus(denied, "httproute/web")).out).toContain(
    "gateways infra/edge may not be read: ask your administrator",
  );
});

test("without a Prometheus, an unknown object, or an unknown recipe, the next command is named", async () => {
  const monitoring = service("prometheus-server", "p", "monitoring", { ports: [{ port: 9090 }] });
  const none = await setup(shop(monitoring), "web");
  expect([none.code, none.errors]).toEqual([
    1,
    expect.stringContaining("kubectl port-forward -n monitoring service/prometheus-server 9090"),
  ]);
  expect((await setup(shop(), "nosuch")).errors).toContain(
    'no Deployment or StatefulSet "nosuch" in namespace "shop"',
  );
  expect((await setup(shop(), "ingress/nosuch")).errors).toContain('no Ingress "nosuch" in namespace "shop"');
  expect((await setup(shop(), "web", "--recipe", "nosuch")).errors).toContain(
    "use one of application, caddy",
  );
});

/** In a terminal, with the answers of a person. */
async function answered(...answers: readonly (string | Error)[]) {
  const asked: string[] = [];
  const ask = async (question: string): Promise<string> => {
    asked.push(question);
    const answer = answers[asked.length - 1] ?? "";
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const cluster = shop(app("api"), ingress("traefik"), traefik);
  const args = ["metrics", "setup", "-n", "shop", "--prometheus-url", prometheus.url];
  const terminal = { isTty: true, columns: 120, isUtf8: true };
  return { ...(await run(cluster, args, { nowMs: () => atMs, ask, terminal })), asked };
}

test("in a terminal the workload and the metric are asked for", async () => {
  const { out, asked } = await answered("2");
  expect(asked).toEqual([
    "Which workload?\n  1  Deployment api\n  2  Deployment web\nNumber [1]: ",
    expect.stringMatching(/^Which metric\?\n {2}1 {2}Traefik: /),
  ]);
  expect(out).toContain("workload    Deployment web");
  expect(out).toContain("requests-per-second of services/web = 240");
});

test("after a wrong answer it asks again, three times, and never takes the first choice", async () => {
  const { out, asked } = await answered("3", "web", " 2 ");
  expect(asked.slice(1, 3)).toEqual([
    '"3" is not a number from 1 to 2\nNumber [1]: ',
    '"web" is not a number from 1 to 2\nNumber [1]: ',
  ]);
  expect(out).toContain("workload    Deployment web");
  const wrong = await answered("0", "-1", "1.5");
  expect(wrong).toMatchObject({ code: 1, out: "" });
  expect(wrong.asked).toHaveLength(3);
  expect(wrong.errors).toContain(
    'Which workload? "1.5" is not a number from 1 to 2: name your choice in the command, or take the first with --yes',
  );
  const odd = await answered("0x2", "\u001b[2J", "1e0");
  expect([odd.code, odd.asked[2]]).toEqual([1, expect.stringContaining('"\\x1b[2J" is not a number')]);
});

test("it ends with an error when the input ends", async () => {
  const { code, errors } = await answered(Object.assign(new Error("Ctrl+D"), { name: "AbortError" }));
  expect([code, errors]).toEqual([
    1,
    expect.stringContaining("Which workload? The input ended without an answer: name your"),
  ]);
});
