// Why a workload doesn't scale, in each of the usual situations: the cause is in the first line, the fix in the last.
import type { DecideInput, MetricSpec } from "@plimsoll/core";
import { readQueries, withQueries } from "@plimsoll/core/queries";
import { withSchedules } from "@plimsoll/core/schedules";
import { expect, test } from "vitest";
import { widthOf } from "../../src/output/width.ts";
import { at, cpu, cpuSamples, inputOf, recordedInput, type Workload } from "../golden/inputs.ts";
import { loggedOf, recordBody } from "./decisions.ts";
import { connecting, leaseOf, startFakeAutoscaler } from "./fake-autoscaler.ts";
import { fakeCluster, nowMs, run } from "./fake-cluster.ts";

const ofPods = {
  type: "Pods",
  pods: { metric: { name: "packets-per-secnd" }, target: { type: "AverageValue", averageValue: "1k" } },
};
const onePod = { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }], stabilizationWindowSeconds: 0 };
const unserved = "the server could not find the requested resource (get pods.metrics.k8s.io)";
const noTarget = 'deployments.apps "web" not found';
const queries = [
  {
    type: "Query",
    query: { promql: 'sum(a{namespace="b"})', target: { type: "AverageValue", averageValue: "9" } },
  },
];
const night = {
  atMs: nowMs,
  floor: undefined,
  ceiling: 4,
  active: [{ name: "night", ceiling: 4 }],
  nextMs: nowMs + 3_600_000,
};
const memory = {
  recommendations: [{ replicas: 4, atMs: at("09:59:31") }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};

interface Situation {
  readonly name: string;
  readonly workload?: Partial<Workload>;
  readonly change?: (input: DecideInput) => Partial<DecideInput>;
  readonly logged?: object;
  readonly isOurs?: boolean;
  readonly first: string;
  readonly last: string;
}

const situations: readonly Situation[] = [
  {
    name: "a missing request",
    change: ({ pods }) => ({
      pods: pods.ok
        ? { ok: true, pods: pods.pods.map((pod) => ({ ...pod, spec: { containers: [{ name: "app" }] } })) }
        : pods,
    }),
    first: "container app has no cpu request",
    last: "Fix: set resources.requests.cpu on every container of Deployment/web",
  },
  {
    name: "no metrics-server",
    workload: { samples: [{ error: unserved }] },
    first: "nothing serves CPU and memory (metrics.k8s.io)",
    last: "Fix: install metrics-server, or add resource rules to metrics-adapter",
  },
  {
    name: "a misspelt metric",
    workload: {
      metrics: [ofPods],
      samples: [{ error: "the server could not find the metric packets-per-secnd for pods" }],
    },
    first: "no adapter serves a metric named packets-per-secnd",
    last: "Fix: check its name: plimsoll rules query packets-per-secnd -n shop",
  },
  {
    name: "a missing target",
    change: () => ({ scale: { ok: false, message: noTarget } }),
    first: "Deployment/web doesn't exist",
    last: "Fix: create Deployment/web, or correct spec.scaleTargetRef",
  },
  {
    name: "a target at zero",
    workload: { replicas: 0, bounds: [1, 10], samples: [cpuSamples("web", 0, 0)] },
    first: "0 replicas",
    last: "Fix: kubectl scale --replicas=1 Deployment/web -n shop",
  },
  {
    name: "pinned at max",
    workload: { replicas: 10, samples: [cpuSamples("web", 10, 450)] },
    first: "maxReplicas is 10",
    last: "Fix: raise spec.maxReplicas to 15, or the target of the metric",
  },
  {
    name: "held by the window",
    workload: { samples: [cpuSamples("web", 4, 150)] },
    first: "metrics call for 2; the stabilization window keeps 4",
    last: "Fix: wait until 10:04:31, or lower scaleDown.stabilizationWindowSeconds (300)",
  },
  {
    name: "held by a policy",
    workload: { samples: [cpuSamples("web", 4, 600)], behavior: { scaleUp: onePod } },
    first: "metrics call for 8; the scale-up policies allow 5",
    last: "Fix: wait until 10:01:02, or change the policies in behavior.scaleUp",
  },
  {
    name: "a schedule",
    workload: { samples: [cpuSamples("web", 4, 600)] },
    change: (input) => withSchedules(input, night),
    isOurs: true,
    first: "metrics call for 8; schedule night sets the limits 2–4",
    last: "Fix: wait until 11:00:02, or change spec.schedules",
  },
  {
    name: "paused",
    workload: { samples: [cpuSamples("web", 4, 600)], mode: "Paused" },
    isOurs: true,
    first: "spec.mode is Paused",
    last: "Fix: set spec.mode to Active",
  },
  {
    name: "a foreign writer",
    workload: { samples: [cpuSamples("web", 4, 600)], mode: "Active" },
    logged: {
      otherWriter: {
        by: "argocd-controller",
        writes: "replicas",
        count: 14,
        since: "2026-11-22T09:00:00.000Z",
        lastAt: "2026-11-22T09:58:00.000Z",
        retryAt: "2026-11-22T10:02:00.000Z",
      },
    },
    first: "Scaling from 4 to 8 replicas: argocd-controller changed the\n  replicas back 14 times",
    last: "Fix: ignore /spec/replicas in the Argo CD Application (ignoreDifferences)",
  },
  {
    name: "a refused query",
    workload: {
      metrics: withQueries(queries, readQueries("web", queries)) as readonly MetricSpec[],
      samples: [{ error: "the matcher of the namespace is not allowed", reason: "NamespaceMatcher" }],
    },
    isOurs: true,
    first: "query[0] can't be used: the matcher\n  of the namespace is not allowed",
    last: "Fix: correct the query; kubectl describe wla web -n shop has details",
  },
];

const base: Workload = {
  namespace: "shop",
  name: "web",
  replicas: 4,
  bounds: [2, 10],
  metrics: [cpu(60)],
  samples: [cpuSamples("web", 4, 300)],
  memory,
  mode: "Active",
};

const terminals = [
  ["a terminal", { isTty: true, columns: 80, isUtf8: true }],
  ["a pipe", { isTty: false, columns: undefined, isUtf8: true }],
] as const;

test.each(
  situations.flatMap((one) =>
    terminals.map(([where, terminal]) => [one.name, where, one, terminal] as const),
  ),
)("%s, in %s", async (_name, _where, situation, terminal) => {
  const { out, code } = await explain(situation, terminal);
  expect(code).toBe(0);
  const lines = out.trimEnd().split("\n");
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(80);
  expect(lines[0]).toMatch(/^(?:Staying|Scaling|Would scale|No change|\d+ replicas)/);
  const firstLines = lines.slice(0, situation.first.split("\n").length);
  expect(firstLines.join("\n")).toContain(situation.first);
  expect(lines.at(-1)).toBe(situation.last);
});

async function explain(
  { workload, change, logged, isOurs = false }: Situation,
  terminal: (typeof terminals)[number][1],
) {
  const whole = { ...base, ...workload };
  const input = inputOf(whole);
  const resource = isOurs ? "workloadautoscalers" : "horizontalpodautoscalers";
  const explained = recordedInput(whole, { ...input, ...change?.(input) });
  const decided = { ...explained, object: { ...explained.object, resource } as const };
  const fake = fakeCluster();
  const { hpa } = input;
  fake.put({
    ...hpa,
    ...(isOurs
      ? { apiVersion: "autoscaling.plimsoll.dev/v1alpha1", kind: "WorkloadAutoscaler" }
      : { kind: "HorizontalPodAutoscaler" }),
  });
  const autoscaler = await startFakeAutoscaler();
  const path = `/apis/decisions/v1/namespaces/shop/${resource}/web`;
  const active = { mode: "active", applied: "held", builtIn: undefined, verdict: undefined };
  autoscaler.reply(path, { items: [loggedOf(decided, { ...active, ...logged })] });
  autoscaler.reply(`${path}/record`, recordBody(decided));
  autoscaler.reply("/apis/decisions/v1/namespaces/shop/summary", { items: [], total: 0, counts: {} });
  fake.put(leaseOf(autoscaler));
  return run(fake, ["explain", "web", "-n", "shop", "--color=never"], {
    connect: connecting(fake),
    terminal,
    nowMs: () => nowMs,
  });
}

const since = "2026-11-22T09:40:00Z";
const scaling = { type: "ScalingActive", lastTransitionTime: since, message: "m" };

test.each<[string, object, string, string]>([
  [
    "paused",
    { conditions: [{ type: "Active", status: "False", reason: "Paused", message: "m" }] },
    "spec.mode is Paused",
    "Fix: set spec.mode to Active",
  ],
  [
    "a refused query",
    {
      conditions: [{ ...scaling, status: "False", reason: "FailedGetExternalMetric" }],
      queries: [
        null,
        {
          name: "query[0]",
          conditions: [null, { type: "Accepted", status: "False", message: "unknown function" }],
        },
      ],
    },
    "query[0] can't be used: unknown function",
    "Fix: correct the query; kubectl describe wla web -n shop has details",
  ],
  [
    "a missing target",
    {
      conditions: [
        { ...scaling, type: "AbleToScale", status: "False", reason: "FailedGetScale", message: noTarget },
      ],
    },
    "Deployment/web doesn't exist",
    "Fix: create Deployment/web, or correct spec.scaleTargetRef",
  ],
])("%s, of which only the status is known", async (_name, status, first, last) => {
  const fake = fakeCluster();
  const { hpa } = inputOf(base);
  fake.put({
    ...hpa,
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    status: { currentReplicas: 4, desiredReplicas: 4, ...status },
  });
  const { out } = await run(fake, ["explain", "web", "-n", "shop", "--via=none"], {
    terminal: terminals[1][1],
  });
  const lines = out.trimEnd().split("\n");
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(80);
  expect([lines[0]?.replace(/^[^:]*: /, ""), lines.at(-1)]).toEqual([first, last]);
});
