// What `metrics setup` does with odd clusters and odd series, against a real Prometheus.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PrometheusError } from "@plimsoll/prometheus";
import { type RealPrometheus, scraped, startRealPrometheus } from "@plimsoll/prometheus/testing";
import { recipes } from "@plimsoll/recipes";
import { testFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { whyMissing } from "../../src/commands/metrics/prove.ts";
import { run } from "./fake-cluster.ts";
import { app, gateway, ingress, ingressClass, route, service, shop, traefik } from "./metrics-setup-rig.ts";

let prometheus: RealPrometheus;
const atMs = Date.now();
beforeAll(async () => {
  const grown = (perSecond: number, scrape: number) => perSecond * scrape * 15;
  const page = (scrape: number) =>
    [
      `traefik_service_requests_total{namespace="traefik",service="shop-web-80@kubernetes"} ${grown(90.0004, scrape)}`,
      `kong_http_requests_total{namespace="kong",route="shop.web.web.x.80"} ${grown(20.0004, scrape)}`,
      `kong_http_requests_total{namespace="kong",route="shop-web.api.web.x.80"} ${grown(700.0004, scrape)}`,
      `nginx_http_requests_total{namespace="shop",gateway_networking_k8s_io_gateway_name="edge"} ${grown(50.0004, scrape)}`,
      `inference_pool_average_queue_size{namespace="shop",name="llama"} 9`,
      `container_network_receive_packets_total{namespace="shop",pod="web-0"} ${grown(1500.0004, scrape)}`,
      `container_network_receive_packets_total{namespace="shop",pod="other-0"} ${grown(9000.0004, scrape)}`,
      `redis_key_size{namespace="shop",key="queue:mail"} 7`,
      `redis_key_size{namespace="shop",key="jobs"} 30`,
      `redis_key_size{namespace="shop",key="mail"} 40`,
      `haproxy_frontend_http_requests_total{namespace="shop",pod="haproxy-0",proxy="http"} ${grown(250.0004, scrape)}`,
      `haproxy_backend_http_requests_total{namespace="shop",proxy="web"} ${grown(250.0004, scrape)}`,
      `haproxy_backend_current_queue{namespace="shop",proxy="web"} 0`,
      "",
    ].join("\n");
  prometheus = await startRealPrometheus(process.env["PROMETHEUS"] ?? "prometheus");
  await prometheus.write(scraped({ page, fromMs: atMs - 900_000, toMs: atMs + 300_000, stepMs: 15_000 }));
  const queue = (name: string) => ({
    labels: { __name__: "rabbitmq_queue_messages_ready", namespace: "shop", vhost: "/", queue: name },
    samples: [[atMs - 15_000, 5] as const],
  });
  await prometheus.write([queue("a\u001b[2J\nkind: Secret"), queue("x".repeat(500))]);
});
afterAll(() => prometheus?.stop());

const setup = (cluster: ReturnType<typeof shop>, ...args: readonly string[]) =>
  run(cluster, ["metrics", "setup", "-n", "shop", ...args], { nowMs: () => atMs });
const withPrometheus = (cluster: ReturnType<typeof shop>, ...args: readonly string[]) =>
  setup(cluster, "--prometheus-url", prometheus.url, ...args);

test("of a workload that is selected by expressions only its own pods count", async () => {
  const web = app("web");
  const selector = { matchExpressions: [{ key: "app", operator: "In", values: ["web"] }] };
  const other = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "other-0", namespace: "shop", labels: { app: "other" } },
  };
  const cluster = shop({ ...web, spec: { ...web.spec, selector } }, other);
  const { out } = await withPrometheus(cluster, "web", "--recipe", "cadvisor");
  expect(out).toContain("packets-per-second of the pods = 1500 (pods with a value: 1)");
});

test("a label's value that no autoscaler can select is left out, and said where there is no other", async () => {
  const redis = await withPrometheus(shop(), "web", "--recipe", "redis");
  expect(redis.out).toContain("redis-key-size{key=jobs} = 30");
  expect(redis.out).toContain(
    "there are others: key=mail, key=queue:mail. To use one of them, change matchLabels",
  );
  const rabbit = await withPrometheus(shop(), "web", "--recipe", "rabbitmq");
  expect(rabbit.code).toBe(2);
  expect(rabbit.out).toContain("an autoscaler cannot select queue=");
  expect(rabbit.out).not.toContain("\u001b");
  expect(rabbit.out).not.toContain("kind: Secret\n");
});

test("nothing of a cluster controls the terminal that shows the questions", async () => {
  const asked: string[] = [];
  const ask = async (question: string): Promise<string> => {
    asked.push(question);
    return "";
  };
  const terminal = { isTty: true, columns: 120, isUtf8: true };
  const odd = { ...app("x"), metadata: { name: "a\u001b[2Jb", namespace: "shop" } };
  await run(shop(odd), ["metrics", "setup", "-n", "shop"], { ask, terminal });
  expect(asked[0]).toContain("Deployment a\\x1b[2Jb");
  expect((await setup(shop(odd))).errors).not.toContain("\u001b");
});

test("--out never takes the place of what others wrote", async () => {
  const folder = testFolder();
  const chart = join(folder, "values.yaml");
  await writeFile(chart, "image: mine\n");
  const args = ["ingress/web", "--yes", "--out", folder] as const;
  const cluster = shop(ingress("traefik"), traefik);
  const { code, errors } = await withPrometheus(cluster, ...args);
  expect([code, errors]).toEqual([1, expect.stringContaining("values.yaml is there already")]);
  expect(await readFile(chart, "utf8")).toBe("image: mine\n");
  const fresh = join(folder, "fresh");
  const again = () => withPrometheus(cluster, "ingress/web", "--yes", "--out", fresh);
  expect([(await again()).code, (await again()).code]).toEqual([0, 0]);
});

test("what may not be read is never said to be missing", async () => {
  const noWorkloads = shop();
  noWorkloads.deny(/deployments/);
  expect((await withPrometheus(noWorkloads, "web")).errors).toContain("deployments in shop may not be read");
  const noClasses = shop(ingress("traefik"), traefik);
  noClasses.deny(/ingressclasses/);
  const classes = await withPrometheus(noClasses, "web");
  expect(classes.out).toContain("ingressclasses of the cluster may not be read");
  expect(classes.out).not.toContain("which no IngressClass has");
  const noServices = shop(ingress("traefik"), traefik);
  noServices.deny(/^\/api\/v1\/services/);
  const services = await withPrometheus(noServices, "web", "--recipe", "traefik");
  expect(services.out).toContain("another Service may have the same name in these series");
  noServices.deny(/^\/api\/v1\/services/);
  expect((await setup(noServices, "web")).errors).toContain("you can't list Services of other namespaces");
});

test("of the Services of a monitoring chart the one of Prometheus is named, with its port", async () => {
  const cluster = shop(
    service("kube-prometheus-stack-alertmanager", "a", "monitoring", {
      ports: [{ port: 9093, targetPort: "http-web" }],
    }),
    service("kube-prometheus-stack-operator", "o", "monitoring", {
      ports: [{ port: 443, targetPort: "https" }],
    }),
    service("kube-prometheus-stack-prometheus", "p", "monitoring", {
      ports: [{ port: 9090, targetPort: 9090 }],
    }),
  );
  expect((await setup(cluster, "web")).errors).toContain(
    "kubectl port-forward -n monitoring service/kube-prometheus-stack-prometheus 9090, then",
  );
  const chart = shop(
    service("prometheus-alertmanager", "a", "monitoring", { ports: [{ port: 9093 }] }),
    service("prometheus-server", "p", "monitoring", { ports: [{ port: 80, targetPort: 9090 }] }),
  );
  expect((await setup(chart, "web")).errors).toContain(
    "kubectl port-forward -n monitoring service/prometheus-server 9090:80, then",
  );
});

test("what scales the workload already is named, and is not to be replaced", async () => {
  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop" },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 3 },
  };
  const { out } = await withPrometheus(shop(ingress("traefik"), traefik, hpa), "web", "--yes");
  expect(out).toContain("  scaled by   hpa/web");
  expect(out).toContain("3. Add the metric of hpa.yaml to hpa/web");
});

test("a Gateway and an InferencePool are objects of their recipes", async () => {
  const near = { ...route, spec: { ...route.spec, parentRefs: [{ name: "edge" }] } };
  const [edge = {}, classOf = {}] = gateway;
  const fabric = shop(near, { ...edge, metadata: { name: "edge", namespace: "shop" } }, classOf);
  const gateways = await withPrometheus(fabric, "httproute/web", "--recipe", "nginx-gateway-fabric");
  expect(gateways.out).toContain("requests-per-second of gateways.gateway.networking.k8s.io/edge = 50");
  expect(gateways.out).toContain("kind: Gateway");
  const pool = {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: { name: "llama", namespace: "shop" },
    spec: { selector: { matchLabels: { app: "web" } } },
  };
  const pools = await withPrometheus(shop(pool), "web", "--recipe", "inference-gateway");
  expect(pools.out).toContain("average-queue-size of inferencepools.inference.networking.k8s.io/llama = 9");
});

test("of several metrics of one object the recipe's first is proved, not the first by name", async () => {
  const { out } = await withPrometheus(shop(), "web", "--recipe", "haproxy");
  expect(out).toContain("requests-per-second of services/web = 250");
});

test("a hundred Ingresses of a workload need one list of classes, and few lines", async () => {
  const many = Array.from({ length: 100 }, (_, at) => ingress("traefik", `web-${at}`));
  const cluster = shop(...many, traefik);
  const { out } = await withPrometheus(cluster, "web", "--recipe", "traefik");
  expect(cluster.requests.filter((one) => one.endsWith("/ingressclasses"))).toHaveLength(1);
  expect(out).toContain("and 80 more Ingresses or HTTPRoutes");
});

test("a backend of another namespace or kind is not the workload's Service", async () => {
  const to = (backend: object, name: string) => ({
    ...route,
    metadata: { name, namespace: "shop" },
    spec: { ...route.spec, rules: [{ backendRefs: [{ name: "web", ...backend }] }] },
  });
  const cluster = shop(
    to({ namespace: "x" }, "far"),
    to({ kind: "InferencePool" }, "pool"),
    to({}, "own"),
    ...gateway,
  );
  const { out } = await withPrometheus(cluster, "web");
  expect(out.match(/^ {2}HTTPRoute {3}\w+/gm)).toEqual(["  HTTPRoute   own"]);
});

test("Traefik's own label counts where Prometheus did not rename it", async () => {
  const { out } = await withPrometheus(shop(ingress("traefik"), traefik), "web", "--recipe", "traefik");
  expect(out).toContain('the series have "service" instead of "exported_service"');
  expect(out).toContain("requests-per-second of services/web = 90");
});

test("a namespace and a name do not match those that only look like both joined", async () => {
  const kong = ingressClass("kong", "ingress-controllers.konghq.com/kong");
  const { out } = await withPrometheus(shop(ingress("kong"), kong), "ingress/web", "--recipe", "kong");
  expect(out).toContain("requests-per-second of ingresses.networking.k8s.io/web = 20");
});

test("where Prometheus refuses to look for old samples, the labels are said all the same", async () => {
  const kong = recipes.find(({ name }) => name === "haproxy-ingress");
  const fake = {
    query: () => Promise.reject(new PrometheusError("execution", "too many samples")),
    labelNames: () => Promise.resolve(Array.from({ length: 5000 }, (_, at) => `label_${at}`)),
  };
  const options = {
    prometheus: fake,
    nowMs: atMs,
    signal: new AbortController().signal,
    namespace: "shop",
    names: new Map(),
  };
  const text = await whyMissing(kong as never, options as never);
  expect(text).toContain("Its labels are label_0, label_1");
  expect(text).toContain("and 4980 more: undo the relabeling");
});
