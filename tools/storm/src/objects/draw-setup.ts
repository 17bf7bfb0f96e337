// Draws what a run begins with: processes, flags and about twenty objects with their workloads.

import type { Load } from "../load/loads.ts";
import type { Random } from "../random/random.ts";
import type { Setup, SetupObject } from "../scenario/scenario.ts";
import { drawBoundsWla, drawHeldWla, drawHpa, drawIdleWla, drawWla } from "./autoscalers.ts";
import { drawCronHpa } from "./cron-hpas.ts";
import { drawCrowd } from "./crowd.ts";
import { drawHostile, hostileNamespace } from "./hostile.ts";
import { drawLive } from "./live.ts";
import { drawMetricRules } from "./metric-rules.ts";
import { drawWorkload, targetRef, type Workload, workloadObject } from "./workloads.ts";

const namespaces = ["shop", "bank"] as const;

export function drawSetup(random: Random): Setup {
  const coordination = random.pick(["leader", "leader", "shards", "shards", "alone"] as const);
  const objects = drawObjects(random.stream("objects"));
  const ruled = [
    ...drawMetricRules(random.stream("metric-rules"), namespaces),
    ...drawLive(random.stream("live"), namespaces),
  ];
  return {
    autoscalers: coordination === "alone" ? 1 : random.pick([1, 2, 2, 3, 3, 4, 5]),
    adapters: random.between(1, 2),
    coordination,
    flags: drawFlags(random.stream("flags")),
    ...(ruled.length > 0 ? { metricRules: true } : {}),
    objects: [...objects, ...ruled, ...drawCrowd(random.stream("crowd"))],
    loads: drawIdleLoads(random.stream("loads"), objects),
  };
}

function drawFlags(random: Random): readonly string[] {
  const some = (probability: number, ...flags: readonly string[]) =>
    random.chance(probability) ? flags : [];
  return [
    `--manage-hpas=${random.pick(["all", "annotated"])}`,
    "--cron-hpa",
    `--cron-hpa-missed-runs=${random.pick(["1m", "5m", "20m", "1h"])}`,
    `--horizontal-pod-autoscaler-downscale-stabilization=${random.pick(["1m", "2m", "5m"])}`,
    ...some(0.3, "--watch-scale-targets=false"),
    ...some(
      0.3,
      `--kube-api-write-qps=${String(random.pick([1, 2, 5, 20]))}`,
      "--kube-api-status-refresh-qps=1",
    ),
    ...some(0.2, "--concurrent-horizontal-pod-autoscaler-syncs=1"),
    ...some(0.2, "--horizontal-pod-autoscaler-downscale-delay=1m"),
    ...some(0.1, "--scale-to-zero=false"),
    ...some(0.2, `--semantics=${random.pick(["1.38", "1.36", "1.35", "1.32"])}`),
  ];
}

const slots = [
  "hpa",
  "hpa",
  "hpa",
  "wla",
  "wla",
  "wla",
  "wla",
  "held",
  "idle",
  "bounds",
  "cron",
  "cron-of-hpa",
  "cron-beside-hpa",
  "overlap",
  "same-target",
  "twins",
] as const;

/** Namespaces first, then each workload before what scales it. */
function drawObjects(random: Random): readonly SetupObject[] {
  const count = random.between(12, 16);
  const objects = Array.from({ length: count }, (_, index) => {
    const own = random.stream(`slot/${String(index)}`);
    return drawSlot(own, own.pick(slots), `app-${String(index)}`);
  });
  const hostile = random.chance(0.4)
    ? [
        workloadObject({ kind: "Deployment", namespace: hostileNamespace, name: "victim" }, { replicas: 2 }),
        drawHostile(random.stream("hostile"), "hostile-0"),
      ]
    : [];
  return [...[...namespaces, hostileNamespace].map(namespaceObject), ...objects.flat(), ...hostile];
}

function namespaceObject(name: string): SetupObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

function drawSlot(random: Random, kind: (typeof slots)[number], name: string): readonly SetupObject[] {
  const workload = drawWorkload(random.stream("workload"), random.pick(namespaces), name);
  const object = workloadObject(workload, { replicas: random.between(1, 6) });
  const { namespace } = workload;
  const one = random.stream("one");
  switch (kind) {
    case "hpa":
      return [object, drawHpa(one, workload)];
    case "wla":
      return [object, drawWla(one, workload)];
    case "held":
      return [object, drawHeldWla(one, workload)];
    case "idle":
      return [object, drawIdleWla(one, workload)];
    case "bounds": {
      const hpa = drawHpa(one, workload);
      return [object, hpa, drawBoundsWla(random.stream("other"), hpa, `${name}-bounds`)];
    }
    case "cron":
      return [object, drawCronHpa(one, namespace, targetRef(workload))];
    case "cron-of-hpa": {
      const target = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name };
      return [object, drawHpa(one, workload), drawCronHpa(random.stream("other"), namespace, target)];
    }
    case "cron-beside-hpa":
      return [
        object,
        drawHpa(one, workload),
        drawCronHpa(random.stream("other"), namespace, targetRef(workload)),
      ];
    case "overlap":
      return drawOverlap(random, workload);
    case "same-target":
      return [object, drawHpa(one, workload), drawWla(random.stream("other"), workload, `${name}-too`)];
    // The same names in each namespace, whose loads are different.
    case "twins":
      return namespaces.flatMap((space) => {
        const twin = { ...workload, namespace: space };
        return [
          workloadObject(twin, { replicas: random.between(1, 6) }),
          drawHpa(random.stream("one"), twin),
        ];
      });
  }
}

/** Two workloads, where the selector of the first one meets the pods of both. */
function drawOverlap(random: Random, { namespace, name }: Workload): readonly SetupObject[] {
  const wide: Workload = { kind: "Deployment", namespace, name };
  const narrow: Workload = { kind: "Deployment", namespace, name: `${name}-b` };
  const labels = { app: name, part: "b" };
  return [
    workloadObject(wide, { replicas: random.between(1, 4), labels: { app: name, part: "a" } }),
    workloadObject(narrow, { replicas: random.between(1, 4), labels, selector: labels }),
    drawHpa(random.stream("one"), wide),
    random.chance(0.6) ? drawHpa(random.stream("other"), narrow) : drawWla(random.stream("other"), narrow),
  ];
}

const minuteMs = 60_000;

interface Spec {
  readonly minReplicas?: number;
  readonly scaleTargetRef?: { readonly name: string };
}

/** For most targets of objects that may scale to zero; without them few would ever rest. */
function drawIdleLoads(random: Random, objects: readonly SetupObject[]): readonly Load[] {
  return objects.flatMap(({ metadata: { namespace = "default" }, spec }) => {
    const { minReplicas, scaleTargetRef } = (spec ?? {}) as Spec;
    if (minReplicas !== 0 || scaleTargetRef === undefined) return [];
    const { name: workload } = scaleTargetRef;
    const own = random.stream(`${namespace}/${workload}`);
    if (!own.chance(0.8)) return [];
    const demand = {
      type: "spike",
      units: 0,
      peak: own.between(5, 60) / 10,
      everyMs: minuteMs * own.between(4, 15),
      forMs: minuteMs * own.between(1, 3),
    } as const;
    return [{ namespace, workload, demand }];
  });
}
