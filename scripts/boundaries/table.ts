// Who may import whom: the one table of the architecture. docs/developers/architecture.md is generated from it.

export interface Row {
  readonly name: string;
  /** What the package is, for docs/developers/architecture.md. */
  readonly what: string;
  /** Packages ("core") or single entries ("core/quantity"). A row names rows above it only. */
  readonly mayImport: readonly string[] | "anything";
  /** Published for others; imports public packages only. */
  readonly isPublic?: true;
  /** Its source runs in a browser: no library but those that have their home in it, no `node:` module. */
  readonly runsInBrowser?: true;
  /** The folder of an entry that runs in Node only, in a package that runs in a browser: its other sources do not import it. */
  readonly servesFrom?: string;
  /** A process of its own: only packages that test or show it import it. */
  readonly isDaemon?: true;
  /** Where it is: `packages` when absent. A tool may import daemons and `testing` entries; no package imports a tool. */
  readonly folder?: "tools" | "docs";
  /** Tests of every package may import it. */
  readonly isForEveryTest?: true;
}

export const rows: readonly Row[] = [
  {
    name: "core",
    what: "the replica math: `decide(input, memory) → { decision, memory }`; no I/O, no clock; all that changes a decision",
    mayImport: [],
    isPublic: true,
    runsInBrowser: true,
  },
  {
    name: "properties",
    what: "the budget of property tests: how often they run, how long they may take",
    mayImport: [],
    folder: "tools",
    isForEveryTest: true,
  },
  {
    name: "component-base",
    what: "what both processes share: flags, logger, clock, backoff, process seams, caches, work off the thread, the catalog of codes",
    mayImport: ["core/internal/values", "core/duration", "core/redact"],
  },
  {
    name: "prometheus",
    what: "query client, PromQL, response decoding",
    // Every message passes the one function that hides secrets; large responses are read item by item.
    mayImport: ["core/internal/values", "core/json-items", "core/redact"],
    isPublic: true,
  },
  {
    name: "recipes",
    what: "the recipe book: rules for gateways, proxies, applications and queues, with what each of them exports; data",
    mayImport: [],
    runsInBrowser: true,
  },
  {
    name: "kube",
    what: "the only home of `@kubernetes/client-node`: connections, reflectors, stores, keyed controller, leases, events, serving; Kubernetes' protobuf",
    mayImport: [
      "component-base",
      "core/internal/values",
      "core/json-items",
      "core/selector",
      "core/redact",
      "core/duration",
    ],
  },
  {
    name: "rules",
    what: "rule documents, naming, compilation, inspection; evaluation of a rule over an injected query function",
    mayImport: [
      "core/internal/values",
      "core/quantity",
      "core/queries",
      "core/redact",
      "core/duration",
      "prometheus",
    ],
    isPublic: true,
  },
  {
    name: "live",
    what: "live metrics: pods scraped while queries ask for them, and PromQL over a short window in memory, as Prometheus evaluates it",
    mayImport: ["prometheus", "component-base"],
  },
  {
    name: "metric-rules",
    what: "the kind MetricRule, and the queries of WorkloadAutoscalers: what they compile to, who owns which metric, values, status; over injected queries",
    mayImport: [
      "rules",
      "live",
      "prometheus",
      "kube",
      "component-base",
      "core/internal/objects",
      "core/internal/values",
      "core/queries",
      "core/redact",
      "core/selector",
    ],
  },
  {
    name: "federation",
    what: "other metrics adapters behind our APIService: which one owns a request, and handing it on",
    // The reader of documents with places, and patterns in linear time, are those of the rules.
    mayImport: [
      "core/internal/values",
      "core/json-items",
      "core/redact",
      "core/selector",
      "component-base",
      "kube",
      "rules",
    ],
  },
  {
    name: "calendars",
    what: "calendars and recurrences, read under a budget of time and memory",
    // The clock, the bounded cache and the seam for work off the thread.
    mayImport: ["core", "component-base"],
  },
  {
    name: "observe",
    what: "what a decision needs from a cluster: target, scale, pods, one response for each metric; cached or direct",
    mayImport: ["core", "kube", "component-base"],
  },
  {
    name: "metrics-adapter",
    what: "the three metrics APIs out of Prometheus, from prometheus-adapter's configuration and from MetricRules",
    mayImport: [
      "metric-rules",
      "live",
      "rules",
      "federation",
      "prometheus",
      "kube",
      "component-base",
      "core/internal/values",
      "core/quantity",
      "core/queries",
      "core/redact",
      "core/selector",
      "core/duration",
    ],
    isDaemon: true,
  },
  {
    name: "doctor",
    what: "what is wrong with autoscalers: findings as pure functions over evidence",
    mayImport: ["core"],
    runsInBrowser: true,
  },
  {
    name: "decisions",
    what: "the decision API: its documents, one row of the summary, what is a problem, reading it, and `./serve`, which serves it",
    // The findings of the doctor are documents of `plimsoll console`.
    mayImport: ["core", "doctor"],
    runsInBrowser: true,
    servesFrom: "serve",
  },
  {
    name: "autoscaler",
    what: "observe → decide → act → remember → report, for native HPAs and WorkloadAutoscalers; never Prometheus",
    // Its definition has the block `live` of a MetricRule.
    mayImport: [
      "core",
      "calendars",
      "decisions",
      "observe",
      "kube",
      "component-base",
      "metric-rules/testing",
    ],
    isDaemon: true,
  },
  {
    name: "simulator",
    what: "what an autoscaler would do under a load: a closed loop around `decide`, with its load, pods, nodes and metrics",
    mayImport: ["core"],
    runsInBrowser: true,
  },
  {
    name: "backtest",
    what: "recordings of an autoscaler: read from a Prometheus, replayed, the load behind them, the search for a better specification",
    mayImport: ["core", "prometheus", "rules", "simulator"],
  },
  {
    name: "migration",
    what: "the way in and out: manifests with places, conversion of other autoscalers, plans for federation and for going back",
    mayImport: ["core", "rules", "metric-rules", "prometheus", "observe", "kube", "component-base"],
  },
  {
    name: "console",
    what: "the web page: decisions of a fleet, their traces, what-if; built by Vite, served by path",
    mayImport: ["core", "decisions", "doctor", "simulator"],
    runsInBrowser: true,
  },
  {
    name: "cli",
    what: "the command `plimsoll`, also as `kubectl plimsoll`",
    mayImport: [
      "core",
      "decisions",
      "doctor",
      "simulator",
      "backtest",
      "migration",
      "rules",
      "recipes",
      "metric-rules",
      "federation",
      "calendars",
      "observe",
      "prometheus",
      "kube",
      "component-base",
    ],
  },
  {
    name: "sandbox",
    what: "an in-memory Kubernetes API server with simulated workloads",
    mayImport: ["kube", "component-base", "core"],
    folder: "tools",
  },
  {
    name: "conformance",
    what: "vectors and their runner, and the oracle of the upstream controller",
    mayImport: ["core", "prometheus", "rules", "live"],
  },
  {
    name: "testbed",
    what: "stacks, a real control plane, simulated nodes, Go builds, deployment tools",
    mayImport: ["sandbox", "kube", "component-base"],
    folder: "tools",
    isForEveryTest: true,
  },
  {
    name: "release",
    what: "every artifact of a release by one command: packages, images with their SBOMs, chart, plugin, checksums",
    mayImport: ["testbed"],
    folder: "tools",
  },
  {
    name: "site",
    what: "the documentation as a site: pages of docs in an order for readers, built by VitePress, served on loopback",
    mayImport: ["core", "simulator", "console"],
    folder: "docs",
  },
  {
    name: "demo",
    what: "the demonstration: whole processes against a real Prometheus",
    mayImport: [
      "testbed",
      "sandbox",
      "core",
      "simulator",
      "kube",
      "component-base",
      "prometheus",
      "metrics-adapter",
      "autoscaler",
    ],
    folder: "tools",
  },
  {
    name: "bench",
    what: "measurements of processes and packages, and the comparison with prometheus-adapter",
    mayImport: [
      "testbed",
      "sandbox",
      "core",
      "kube",
      "component-base",
      "prometheus",
      "live",
      "rules",
      "observe",
      "simulator",
      "backtest",
      "console",
      "metrics-adapter",
      "autoscaler",
    ],
    folder: "tools",
  },
  {
    name: "storm",
    what: "deterministic simulation: the real processes in a simulated cluster, on virtual time, with faults drawn from a seed",
    // The functions of PromQL over a window are the simulator's.
    mayImport: [
      "sandbox",
      "core",
      "kube",
      "component-base",
      "prometheus",
      "rules",
      "calendars",
      "simulator",
      "metrics-adapter",
      "autoscaler",
    ],
    folder: "tools",
  },
  {
    name: "e2e",
    what: "tests of whole processes; no source of its own",
    mayImport: "anything",
    folder: "tools",
  },
];

/** Libraries with one home: whoever else needs what they do imports that package. */
export const homes: Readonly<Record<string, readonly string[]>> = {
  "@kubernetes/client-node": ["kube"],
  undici: ["kube", "live", "bench"],
  "node-fetch": ["prometheus"],
  "@prometheus-io/lezer-promql": ["prometheus"],
  pino: ["component-base"],
  "sonic-boom": ["component-base"],
  "lru-cache": ["component-base"],
  "ical.js": ["calendars"],
  "pure-rand": ["simulator"],
  express: ["metrics-adapter", "autoscaler"],
  re2js: ["rules", "prometheus", "live"],
  preact: ["console", "site"],
  "@preact/signals": ["console"],
  uplot: ["console"],
  rfc6902: ["cli", "sandbox"],
  vitepress: ["site"],
  vue: ["site"],
  esbuild: ["release"],
  "@cyclonedx/cyclonedx-esbuild": ["release"],
};
