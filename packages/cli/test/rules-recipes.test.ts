// What `rules check` says of rules whose series the recipe book knows.
import { recipes, recipesOf, recipesServedBy } from "@plimsoll/recipes";
import { expect, test } from "vitest";
import { plimsoll, reading } from "./run-plimsoll.ts";
import { usePrometheus } from "./use-prometheus.ts";

interface Parts {
  readonly series?: string;
  readonly namespace?: string;
  readonly query?: string;
}

const rules = ({
  series = "traefik_service_requests_total",
  namespace = "namespace",
  query = "sum(rate(<<.Series>>{<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)",
}: Parts) =>
  `rules:\n- seriesQuery: ${series}\n  resources: {overrides: {${namespace}: {resource: namespace}, service: {resource: service}}}\n  metricsQuery: ${JSON.stringify(query)}\n`;

const check = async (text: string, ...args: readonly string[]) => {
  const seams = { readText: reading({ "rules.yaml": text }), nowMs: () => Date.now() };
  const { code, out } = await plimsoll(["rules", "check", "rules.yaml", "-o", "json", ...args], seams);
  const { problems } = JSON.parse(out) as {
    readonly problems: readonly { readonly message: string; readonly line: number }[];
  };
  return { code, lines: problems.map(({ line }) => line), messages: problems.map(({ message }) => message) };
};

test.each(
  recipes.filter(({ retired }) => retired === undefined).map(({ name, rules: text }) => [name, text]),
)("the rules of the recipe %s have no mistakes", async (_, text = "") => {
  expect((await check(text)).messages).toEqual([]);
});

test("nothing but its end is wrong with the rules of the retired recipe", async () => {
  const gone = recipes.filter(({ retired }) => retired !== undefined);
  expect(gone.map(({ name }) => name)).toEqual(["ingress-nginx"]);
  const { messages } = await check(gone[0]?.rules ?? "");
  expect(messages).toEqual([expect.stringContaining("retired since March 2026")]);
});

test("a retired source is named, with where to move and the line of its rule", async () => {
  const text = rules({
    series: "nginx_ingress_controller_request_duration_seconds_count",
    namespace: "exported_namespace",
  });
  expect(await check(text)).toEqual({
    code: 2,
    lines: [2],
    messages: [
      "the series are from ingress-nginx, retired since March 2026: move to Traefik, HAProxy, or a Gateway API implementation, then run plimsoll metrics setup",
    ],
  });
});

test.each([
  ["istio_requests_total", "map destination_service_namespace to namespaces in resources.overrides"],
  ["traefik_service_requests_total", "use the rules that plimsoll metrics setup --recipe traefik prints"],
])("a label with the gateway's namespace doesn't name its objects' namespace: %s", async (series, fix) => {
  const { code, messages } = await check(rules({ series }));
  expect([code, messages]).toEqual([2, [expect.stringMatching(/^the label namespace is where .+ runs/)]]);
  expect(messages.join()).toContain(fix);
});

const withPods = (series: string) =>
  rules({ series }).replace("service: {resource: service}", "pod: {resource: pod}");

test.each([
  // The replicas of the gateway itself.
  withPods("traefik_service_requests_total"),
  rules({ series: "traefik_service_requests_total{pod!=''}" }).replace(
    /overrides: .+\}\}(?=\})/,
    'template: "<<.Resource>>"',
  ),
  // A sidecar counts where the object is.
  rules({
    series: `'istio_requests_total{reporter="destination"}'`,
    query: 'sum(rate(<<.Series>>{reporter="destination",<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)',
  }),
  rules({
    series: "istio_requests_total",
    query: "sum(rate(<<.Series>>{reporter=~'destination',<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)",
  }),
  // Any Envoy has it, a sidecar too.
  rules({ series: "envoy_cluster_upstream_rq_total" }),
  rules({ series: "http_server_request_duration_seconds_count" }),
  // The name of a recipe's series as a value of another's label.
  rules({
    series: `'my_requests_total{job="istio_requests_total"}'`,
    query: 'sum(rate(<<.Series>>{job="istio_requests_total",<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)',
  }),
  // How often it is scraped is not known.
  rules({
    series: "kong_http_requests_total",
    namespace: "exported_namespace",
    query: "sum(rate(<<.Series>>{<<.LabelMatchers>>}[59s])) by (<<.GroupBy>>)",
  }),
  // A plain HAProxy runs beside its workload.
  rules({ series: "haproxy_backend_http_requests_total" }),
  rules({ series: "nginx_http_requests_total" }),
  rules({ series: "istio_requests_total", namespace: "destination_service_namespace" }),
  rules({
    series: "my_requests_total",
    query: "sum(rate(<<.Series>>{<<.LabelMatchers>>}[15s])) by (<<.GroupBy>>)",
  }),
])("nothing is said where the rule may be right (%#)", async (text) => {
  expect(await check(text)).toEqual({ code: 0, lines: [], messages: [] });
});

test("the book knows whose series a query has, and which sources share them", () => {
  const of = (promql: string) => recipesOf(promql).map(({ name }) => name);
  expect(of('sum(rate(envoy_cluster_upstream_rq_total{a="b"}[2m]))')).toEqual([]);
  expect(of('{__name__=~"istio_requests_total",job="kong_http_requests_total"}')).toEqual(["istio"]);
  expect(of("my_traefik_service_requests_total")).toEqual([]);
  for (const name of [
    '{"http.server.request.duration_seconds_count","k8s.pod.name"!=""}',
    '{__name__=~"http[.]server[.]request[.]duration_count"}',
    '{__name__="http.server.request.duration_count"}',
  ])
    expect(of(name)).toEqual(["opentelemetry-utf8"]);
  expect(of('{"k8s.pod.name"="http.server.request.duration_count"}')).toEqual([]);
});

test.each([
  ["traefik.io/ingress-controller", ["traefik"]],
  ["traefik.io/gateway-controller", ["traefik"]],
  ["haproxy.org/ingress-controller", ["haproxy-ingress"]],
  ["haproxy.org/ingress-controller/haproxy", ["haproxy-ingress"]],
  ["k8s.io/ingress-nginx", ["ingress-nginx"]],
  ["k8s.io/ingress-nginx-internal", ["ingress-nginx"]],
  ["k8s.io/internal-ingress-nginx", ["ingress-nginx"]],
  ["webapprouting.kubernetes.azure.com/nginx/own", ["ingress-nginx"]],
  ["konghq.com/kic-gateway-controller", ["kong"]],
  ["konghq.com/gateway-operator", ["kong"]],
  ["projectcontour.io/projectcontour/contour", ["contour"]],
  ["istio.io/unmanaged-gateway", ["istio"]],
  ["openshift.io/gateway-controller/v1", ["istio"]],
  ["gateway.envoyproxy.io/gatewayclass-controller", ["envoy-gateway"]],
  ["io.cilium/gateway-controller", ["cilium"]],
  // They have no series in a Prometheus that name an object, or no recipe.
  ["nginx.org/ingress-controller", []],
  ["networking.gke.io/gateway", []],
  ["ingress.k8s.aws/alb", []],
  ["azure/application-gateway", []],
  ["example.com/own", []],
])("the book knows who serves a class of %s", (controller, names) => {
  expect(recipesServedBy(controller).map(({ name }) => name)).toEqual(names);
});

const prometheus = usePrometheus((scrape) => [
  `nginx_ingress_controller_requests{namespace="shop",ingress="web",service="web"} ${scrape * 10}`,
  `istio_requests_total{namespace="istio-system",destination_service_namespace="shop",service="web"} ${scrape}`,
  `traefik_service_requests_total{namespace="edge",service="metrics",exported_service="shop-web-http@kubernetes"} ${scrape}`,
  `envoy_cluster_upstream_rq_total{namespace="edge",envoy_cluster_name="httproute/shop/web/rule/0"} ${scrape}`,
]);

test("with a Prometheus its labels and its scrape interval count", async () => {
  const against = ["--against", prometheus.url];
  const text = rules({
    series: "nginx_ingress_controller_requests",
    query: "sum(rate(<<.Series>>{<<.LabelMatchers>>}[15s])) by (<<.GroupBy>>)",
  });
  const offline = await check(text);
  expect(offline.messages).toEqual([
    expect.stringContaining("retired"),
    expect.stringContaining("unless the scrape has honorLabels: true, which --against finds out"),
  ]);
  expect((await check(text, ...against)).messages).toEqual([expect.stringContaining("retired")]);
  const { messages } = await check(rules({ series: "istio_requests_total" }), ...against);
  expect(messages).toEqual([expect.stringContaining("map destination_service_namespace to namespaces")]);
  const short = (range: string) =>
    rules({
      series: "istio_requests_total",
      namespace: "destination_service_namespace",
      query: `sum(rate(<<.Series>>{<<.LabelMatchers>>,route=~"[0-9][a-z]+"}${range})) by (<<.GroupBy>>)`,
    });
  expect((await check(short("[1s]"), ...against)).messages).toEqual([
    "the range [1s] is shorter than two scrapes of the series, which are scraped every 1 s: use [2m]",
  ]);
  expect((await check(short("[500ms:1s]"), ...against)).messages).toEqual([
    expect.stringContaining("the range [0.5s] is shorter"),
  ]);
});

test.each(["traefik", "envoy-gateway"])(
  "the names that the recipe %s joins are no names of its series",
  async (name) => {
    const text = recipes.find((one) => one.name === name)?.rules ?? "";
    expect(await check(text, "--against", prometheus.url)).toEqual({ code: 0, lines: [], messages: [] });
    const empty = text.replaceAll("httproute/", "other/").replaceAll("@kubernetes", "@other");
    expect((await check(empty, "--against", prometheus.url)).code).toBe(2);
  },
);
