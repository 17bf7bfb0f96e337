// Who may import whom: the one table of the architecture. docs/architecture.md is generated from it.

export interface Row {
  readonly name: string;
  /** What the package is, for docs/architecture.md. */
  readonly what: string;
  /** Packages ("core") or single entries ("core/quantity"). A row names rows above it only. */
  readonly mayImport: readonly string[] | "anything";
  /** Published for others; imports public packages only. */
  readonly isPublic?: true;
  /** Its source runs in a browser: no library but those that have their home in it, no `node:` module. */
  readonly runsInBrowser?: true;
  /** A process of its own: only packages that test or show it import it. */
  readonly isDaemon?: true;
  /** Serves tests and demonstrations: its source may use the `testing` entries and the daemons. */
  readonly isForTests?: true;
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
    isForTests: true,
    isForEveryTest: true,
  },
  {
    name: "component-base",
    what: "what both processes share: flags, logger, clock, backoff, process seams, caches, work off the thread, the catalog of codes",
    mayImport: ["core/duration", "core/redact"],
  },
  {
    name: "prometheus",
    what: "query client, PromQL, response decoding",
    // Every message passes the one function that hides secrets.
    mayImport: ["core/redact"],
    isPublic: true,
  },
  {
    name: "kube-protobuf",
    what: "Kubernetes' protobuf: the fields that are read in bulk, of pods, workloads, usage and watch events",
    mayImport: [],
  },
  {
    name: "kube",
    what: "the only home of `@kubernetes/client-node`: connections, reflectors, stores, keyed controller, leases, events, serving",
    mayImport: ["component-base", "kube-protobuf", "core/selector", "core/redact", "core/duration"],
  },
  {
    name: "rules",
    what: "rule documents, naming, compilation, inspection; evaluation of a rule over an injected query function",
    mayImport: ["core/quantity", "core/redact", "core/duration", "prometheus"],
    isPublic: true,
  },
  {
    name: "source-auth",
    what: "credentials of sources that are fetched or computed: OAuth 2.0, signatures of AWS, Google Cloud, Azure",
    mayImport: ["core/redact", "prometheus", "rules"],
  },
  {
    name: "metric-rules",
    what: "the kind MetricRule, and the queries of WorkloadAutoscalers: what they compile to, who owns which metric, values, status; over injected queries",
    mayImport: ["rules", "prometheus", "kube", "component-base", "core/queries", "core/selector"],
  },
  {
    name: "federation",
    what: "other metrics adapters behind our APIService: which one owns a request, and handing it on",
    // The reader of documents with places, and patterns in linear time, are those of the rules.
    mayImport: ["core/redact", "core/selector", "component-base", "kube", "rules"],
  },
  {
    name: "schedules",
    what: "calendars and recurrences, read under a budget of time and memory",
    // The clock, the bounded cache and the seam for work off the thread.
    mayImport: ["core", "component-base"],
  },
  {
    name: "observe",
    what: "what a decision needs from a cluster: target, scale, pods, one response for each metric; cached or direct",
    mayImport: ["core", "kube", "kube-protobuf", "component-base"],
  },
  {
    name: "metrics-adapter",
    what: "the three metrics APIs out of Prometheus, from prometheus-adapter's configuration and from MetricRules",
    mayImport: [
      "metric-rules",
      "rules",
      "source-auth",
      "federation",
      "prometheus",
      "kube",
      "kube-protobuf",
      "component-base",
      "core/quantity",
      "core/queries",
      "core/redact",
      "core/selector",
      "core/duration",
    ],
    isDaemon: true,
  },
  {
    name: "autoscaler",
    what: "observe → decide → act → remember → report, for native HPAs and WorkloadAutoscalers; never Prometheus",
    mayImport: ["core", "schedules", "observe", "kube", "kube-protobuf", "component-base"],
    isDaemon: true,
  },
  {
    name: "doctor",
    what: "what is wrong with autoscalers: findings as pure functions over evidence",
    mayImport: ["core"],
    runsInBrowser: true,
  },
  {
    name: "simulator",
    what: "what an autoscaler would do under a load: a closed loop around `decide`, with its load, pods, nodes and metrics",
    mayImport: ["core"],
    runsInBrowser: true,
  },
  {
    name: "history",
    what: "what a Prometheus remembers of an autoscaler, as a recording: status, pods, count, metrics, the controller's clock",
    mayImport: ["core", "prometheus", "rules", "simulator"],
  },
  {
    name: "console",
    what: "the web page: decisions of a fleet, their traces, what-if; built by Vite, served by path",
    mayImport: ["core", "doctor", "simulator"],
    runsInBrowser: true,
  },
  {
    name: "cli",
    what: "the command `plimsoll`, also as `kubectl plimsoll`",
    mayImport: [
      "core",
      "doctor",
      "simulator",
      "history",
      "rules",
      "metric-rules",
      "federation",
      "schedules",
      "observe",
      "prometheus",
      "kube",
      "component-base",
    ],
  },
  {
    name: "sandbox",
    what: "an in-memory Kubernetes API server with simulated workloads",
    mayImport: ["kube", "component-base", "core/selector", "core/quantity", "core/duration"],
  },
  {
    name: "conformance",
    what: "vectors and their runner, and the oracle of the upstream controller",
    mayImport: ["core", "prometheus", "rules"],
  },
  {
    name: "images",
    what: "what the container images hold: a bundled file for each process, its SBOM, a root filesystem",
    mayImport: [],
  },
  {
    name: "testbed",
    what: "stacks, a real control plane, simulated nodes, Go builds, deployment tools",
    mayImport: ["sandbox", "kube", "component-base"],
    isForTests: true,
  },
  {
    name: "release",
    what: "every artifact of a release by one command: packages, images, chart, plugin, checksums",
    mayImport: ["images", "testbed"],
    isForTests: true,
  },
  {
    name: "site",
    what: "the documentation as a site: pages of docs in an order for readers, built by VitePress, served on loopback",
    mayImport: ["core", "simulator", "console"],
  },
  {
    name: "demo",
    what: "the demonstration: whole processes against a real Prometheus",
    mayImport: [
      "testbed",
      "sandbox",
      "core",
      "kube",
      "component-base",
      "prometheus",
      "metrics-adapter",
      "autoscaler",
    ],
    isForTests: true,
  },
  {
    name: "bench",
    what: "measurements of both processes, and the comparison with prometheus-adapter",
    mayImport: [
      "testbed",
      "sandbox",
      "core",
      "kube",
      "kube-protobuf",
      "component-base",
      "prometheus",
      "rules",
      "observe",
      "metrics-adapter",
      "autoscaler",
    ],
    isForTests: true,
  },
  {
    name: "storm",
    what: "deterministic simulation: the real processes in a simulated cluster, on virtual time, with faults drawn from a seed",
    mayImport: [
      "sandbox",
      "core",
      "kube",
      "component-base",
      "prometheus",
      "rules",
      "schedules",
      "metrics-adapter",
      "autoscaler",
    ],
    isForTests: true,
  },
  {
    name: "e2e",
    what: "tests of whole processes; no source of its own",
    mayImport: "anything",
    isForTests: true,
  },
];

/** Libraries with one home: whoever else needs what they do imports that package. */
export const homes: Readonly<Record<string, readonly string[]>> = {
  "@kubernetes/client-node": ["kube"],
  undici: ["kube", "bench"],
  "node-fetch": ["prometheus"],
  "@prometheus-io/lezer-promql": ["prometheus"],
  pino: ["component-base"],
  "sonic-boom": ["component-base"],
  "lru-cache": ["component-base"],
  "ical.js": ["schedules"],
  "pure-rand": ["simulator"],
  express: ["metrics-adapter", "autoscaler"],
  re2js: ["rules"],
  preact: ["console", "site"],
  "@preact/signals": ["console"],
  uplot: ["console"],
  rfc6902: ["cli", "sandbox"],
  vitepress: ["site"],
  vue: ["site"],
  esbuild: ["images"],
  "@cyclonedx/cyclonedx-esbuild": ["images"],
};

/** Circles of files that stand until the named work has landed: how many a package may have. It must be empty in the end. */
export const circlesLeft: Readonly<Record<string, number>> = {};
