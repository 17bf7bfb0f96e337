// The examples of the repository, with a load for each and the replicas that follow from it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WorkloadLoad } from "@plimsoll/sandbox";
import { parse, stringify } from "yaml";

/** An example of the repository, a load for it, and the replicas that ⌈load ÷ target⌉ gives. */
export interface Example {
  readonly folder: string;
  readonly workload: string;
  readonly load: readonly WorkloadLoad[];
  readonly replicas: number;
}

const namespace = "default";
const steady = (value: number) => [{ atMs: 0, value }];

export const examples: readonly Example[] = [
  {
    folder: "packets-per-second",
    workload: "gateway",
    load: [{ namespace, kind: "Deployment", name: "gateway", metric: "packets", points: steady(4600) }],
    replicas: 5,
  },
  {
    folder: "ingress-requests-nginx",
    workload: "shop",
    load: [{ namespace, kind: "Ingress", name: "shop", metric: "requests", points: steady(360) }],
    replicas: 4,
  },
  {
    folder: "ingress-requests-traefik",
    workload: "blog",
    load: [{ namespace, kind: "Ingress", name: "blog", metric: "requests", points: steady(260) }],
    replicas: 3,
  },
  {
    folder: "queue-depth",
    workload: "order-worker",
    load: [{ namespace: "messaging", kind: "Queue", name: "orders", metric: "queue", points: steady(140) }],
    replicas: 5,
  },
  {
    folder: "cpu-memory",
    workload: "renderer",
    load: [
      // 60 % of 500m for each pod; memory alone would want two.
      { namespace, kind: "Deployment", name: "renderer", metric: "cpu", points: steady(1.05) },
      { namespace, kind: "Deployment", name: "renderer", metric: "memory", points: steady(400 * 2 ** 20) },
    ],
    replicas: 4,
  },
];

/** The path of a file of an example. */
export function exampleFile(example: Pick<Example, "folder">, name: string): string {
  return fileURLToPath(new URL(`../../../../examples/${example.folder}/${name}`, import.meta.url));
}

/**
 * All rules in one file, as a cluster has them. Only the ranges of rates are others: a few scrapes of a test instead of
 * a few scrapes of an installation.
 */
export function exampleRules(folder: string): string {
  const merged: Record<string, unknown> = {};
  for (const example of examples) {
    const text = readFileSync(exampleFile(example, "rules.yaml"), "utf8");
    const rules = parse(text.replaceAll("[2m]", "[3s]").replace("window: 2m", "window: 3s")) as object;
    for (const [key, value] of Object.entries(rules) as [string, unknown][]) {
      merged[key] = Array.isArray(value)
        ? [...((merged[key] as unknown[] | undefined) ?? []), ...value]
        : value;
    }
  }
  const file = join(folder, "rules.yaml");
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, stringify(merged, { lineWidth: 0 }));
  return file;
}

/**
 * The exporter's packets, requests and queues under the names and labels that cAdvisor, ingress-nginx, Traefik and
 * RabbitMQ give them, as Prometheus stores them with its defaults: what the target says of itself wins, the metric's own
 * goes to exported_….
 */
export function exampleJobs(exporter: string): string {
  const job = (name: string, target: object, relabelings: readonly object[]) => ({
    job_name: name,
    static_configs: [{ targets: [exporter], labels: target }],
    metric_relabel_configs: relabelings,
  });
  const keep = (metric: string, ...more: readonly object[]) => [
    {
      source_labels: ["__name__", ...more.flatMap(labelOf)],
      regex: [metric, ...more.flatMap(valueOf)].join(";"),
      action: "keep",
    },
  ];
  const rename = (metric: string) => ({ target_label: "__name__", replacement: metric });
  const jobs = [
    job("kubelet", { node: "node-1" }, [
      ...keep("packets_total"),
      rename("container_network_receive_packets_total"),
      { target_label: "interface", replacement: "eth0" },
    ]),
    job("ingress-nginx", { namespace: "ingress-nginx", pod: "ingress-nginx-controller-0" }, [
      ...keep("http_requests_total", { ingress: "shop" }),
      rename("nginx_ingress_controller_requests"),
      { target_label: "status", replacement: "200" },
    ]),
    job("traefik", { namespace: "traefik", pod: "traefik-0", service: "traefik" }, [
      ...keep("http_requests_total", { ingress: "blog" }),
      rename("traefik_service_requests_total"),
      {
        source_labels: ["exported_namespace", "exported_service"],
        regex: "(.+);(.+)",
        target_label: "exported_service",
        replacement: "$1-$2-http@kubernetes",
      },
      { regex: "exported_namespace|ingress", action: "labeldrop" },
      { target_label: "code", replacement: "200" },
    ]),
    job("rabbitmq", { namespace: "messaging", pod: "rabbitmq-0" }, [
      ...keep("queue_depth"),
      rename("rabbitmq_queue_messages_ready"),
      { target_label: "vhost", replacement: "/" },
    ]),
  ];
  return stringify(jobs, { lineWidth: 0 }).replaceAll(/^/gm, "  ");
}

const labelOf = (matcher: object): readonly string[] => Object.keys(matcher);
const valueOf = (matcher: object): readonly string[] => Object.values(matcher).map(String);
