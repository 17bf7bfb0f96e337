// The series that both adapters serve.

/** What is scraped; counters grow with each scrape, so that their rates are the same for every query. */
export function exposition(scrape: number): string {
  const lines: string[] = [];
  const add = (name: string, labels: Readonly<Record<string, string>>, value: number) => {
    const text = Object.entries(labels).map(([key, label]) => `${key}="${label}"`);
    lines.push(`${name}{${text.join(",")}} ${value}`);
  };
  for (const [namespace, pod] of [
    ["shop", "web-1"],
    ["shop", "web-2"],
    ["shop", "api-1"],
    ["shop", "done-1"],
    ["shop", "gone-1"],
    ["other", "web-1"],
  ] as const) {
    const app = pod.replace(/-\d$/, "");
    const owners = { namespace, pod, service: app, deployment: app };
    add("http_requests_total", { ...owners, code: "200" }, scrape * 10);
    add("http_requests_total", { ...owners, code: "500" }, scrape);
    for (const container of ["app", "side"]) {
      const labels = { namespace, pod, container, node: "node-1" };
      add("container_cpu_usage_seconds_total", labels, scrape / 4);
      add("container_memory_working_set_bytes", labels, 123_456_789);
      add("container_fs_reads_total", labels, scrape * 3);
    }
    add("temperature", { namespace, pod }, pod === "web-1" ? 36.6 : 40);
    add("huge", { namespace, pod }, 12_345_678_901);
    add("lag_values", { ns: namespace, podname: pod }, 7);
  }
  add("sessions", { namespace: "shop", service: "web", shard: "1" }, 250);
  add("sessions", { namespace: "shop", service: "web", shard: "2" }, 50);
  add("kube_ingress_rps", { namespace: "shop", ingress: "front" }, 1234.5);
  for (const node of ["node-1", "node-2"]) {
    add("node_load", { node }, 3.5);
    add("node_cpu_usage_seconds_total", { node }, scrape * 2);
    add("node_memory_working_set_bytes", { node }, 8e9);
  }
  for (const namespace of ["shop", "other"]) add("ns_quota", { namespace }, 11);
  for (const name of ["a", "b", "c.d"]) add("queue_consumer_lag", { name, namespace: "elsewhere" }, 10);
  add("queue_depth", { namespace: "shop", name: "a", topic: "x" }, 100);
  add("queue_depth", { namespace: "shop", name: "b", topic: "y" }, 200);
  add("queue_depth", { namespace: "other", name: "a", topic: "x" }, 300);
  for (const zone of ["eu", "us"]) add("ext_jobs_sum", { zone }, 5);
  add("ext_ignored", {}, 7);
  return `${lines.join("\n")}\n`;
}

/** In how many scrapes an init container is there. */
export const initScrapes = 3;

/** Series with UTF-8 names, and those of pods whose init containers have ended, as the kubelet shows them. */
export function hardExposition(scrape: number): string {
  const lines: string[] = [];
  for (const [pod, value] of [
    ["web-1", 5],
    ["web-2", 10],
  ] as const) {
    const labels = `namespace="shop",pod="${pod}"`;
    lines.push(`{"messages.published",${labels}} ${scrape * value}`);
    lines.push(`{"messages.waiting",${labels}} ${value}`, `{"messages.held",${labels}} ${value}`);
    const ofPod = `"k8s.namespace.name"="shop","k8s.pod.name"="${pod}"`;
    lines.push(`active_sessions{${ofPod}} ${value}`);
    for (const method of ["GET", "POST"])
      lines.push(
        `{"http.server.request.duration_seconds_count",${ofPod},"http.request.method"="${method}"} ${scrape * value}`,
      );
  }
  lines.push('{"queue.depth",namespace="shop"} 40', '{"queue.depth",namespace="other"} 2');
  for (const queue of ["a", "b"]) lines.push(`{"queue.depth",namespace="shop",queue="${queue}"} 7`);
  lines.push('{"sessions.open",namespace="shop",service="web",shard="1"} 250');
  lines.push('{"sessions.open",namespace="shop",service="web",shard="2"} 50');
  lines.push('{"jobs.active",namespace="shop",deployment="web"} 12');
  for (const node of ["node-1", "node-2"]) lines.push(`{"node.load","k8s.node.name"="${node}"} 3.5`);
  const usage = (
    pod: string,
    container: string,
    values: { readonly cpu?: number; readonly memory?: number },
  ) => {
    const labels = `namespace="shop",pod="${pod}",container="${container}",node="node-1"`;
    if (values.cpu !== undefined) lines.push(`container_cpu_usage_seconds_total{${labels}} ${values.cpu}`);
    if (values.memory !== undefined)
      lines.push(`container_memory_working_set_bytes{${labels}} ${values.memory}`);
  };
  for (const pod of ["began-1", "began-2"])
    for (const container of ["app", "side"]) usage(pod, container, { cpu: scrape / 4, memory: 1_000_000 });
  // containerd: both end, and the rate lives on for its range. cri-o: a memory of 0 stays, and there is no cpu.
  if (scrape <= initScrapes) usage("began-1", "init", { cpu: scrape, memory: 2_000_000 });
  usage("began-2", "init", { memory: 0 });
  return `${lines.join("\n")}\n`;
}
