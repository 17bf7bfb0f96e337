// Measurements that are programs of their own, by name.

export interface Program {
  readonly name: string;
  readonly description: string;
  /** From this folder. */
  readonly path: string;
  readonly nodeOptions?: readonly string[];
}

export const programs: readonly Program[] = [
  {
    name: "short",
    description: "ratios to a floor with wide bounds, in three minutes: what .ci/run has",
    path: "./short/main.ts",
  },
  {
    name: "adapter",
    description: "each kind of request to the adapter, the mix of 1,000 autoscalers, a real Prometheus",
    path: "./adapter/main.ts",
  },
  {
    name: "federation",
    description: "own metrics of the adapter beside a backend that swallows packets",
    path: "./adapter/federation.ts",
  },
  {
    name: "metric-rules",
    description: "the adapter with 5,000 MetricRules, beside none",
    path: "./adapter/metric-rules.ts",
  },
  {
    name: "autoscaler",
    description: "a period of the autoscaler; --real: beside kube-controller-manager on a real API server",
    path: "./autoscaler/main.ts",
  },
  {
    name: "evaluations",
    description: "evaluations alone: CPU and memory for each object, without a network",
    path: "./autoscaler/evaluations/main.ts",
    nodeOptions: ["--conditions=@plimsoll/source"],
  },
  { name: "consoles", description: "50 open consoles, beside none", path: "./consoles/main.ts" },
  {
    name: "core",
    description: "a decision, beside a loop over the pods; --go: beside the real replica calculator",
    path: "./core/main.ts",
    nodeOptions: ["--expose-gc"],
  },
  {
    name: "protobuf",
    description: "what a pod and its usage cost to read, from JSON and from protobuf",
    path: "./protobuf/main.ts",
    nodeOptions: ["--max-semi-space-size=16"],
  },
  {
    name: "reaction",
    description: "from a step in the load of pods to the write of replicas, by live metrics",
    path: "./reaction/main.ts",
  },
  { name: "cli", description: "the start of the command line", path: "./cli.ts" },
  { name: "images", description: "sizes of the images, and how soon they serve", path: "./images.ts" },
];
