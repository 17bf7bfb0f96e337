// Users and GitOps that edit, pause, annotate, delete and recreate autoscaling objects.
import { minuteMs } from "@plimsoll/core/internal/values";
import { drawBehavior } from "../objects/behaviors.ts";
import { drawSchedules } from "../objects/schedules.ts";
import type { Random } from "../random/random.ts";
import type { FaultKind, World } from "../run/world.ts";
import type { PlannedEvent, SetupObject } from "../scenario/scenario.ts";
import { detailsOf, drawObject, pathOf } from "./autoscaling-objects.ts";
import { manifestOf, textOf } from "./details.ts";
import { applyAsUser, patchAsUser, sendAsUser } from "./user-request.ts";

const wla = "WorkloadAutoscaler";
const hpa = "HorizontalPodAutoscaler";
const managed = "autoscaling.plimsoll.dev/managed";

type Patch = Readonly<Record<string, unknown>>;

function patch({ cluster }: World, event: PlannedEvent, body: unknown): void {
  patchAsUser(cluster, pathOf(event), body);
}

function apply(world: World, event: PlannedEvent, user: string): void {
  const manifest = manifestOf(event, "object", world.scenario.setup);
  if (manifest !== undefined) applyAsUser(world, manifest, user);
}

function remove({ cluster }: World, event: PlannedEvent): void {
  sendAsUser(cluster, { user: "user", method: "DELETE", path: pathOf(event) });
}

function drawWith(
  kinds: readonly string[] | undefined,
  more: (random: Random, object: SetupObject) => Patch | undefined,
): FaultKind["draw"] {
  return (random, setup) => {
    const object = drawObject(random, setup, kinds && [...kinds]);
    const details = object && more(random, object);
    return object && details && { ...detailsOf(object), ...details };
  };
}

interface Spec {
  readonly metrics?: readonly unknown[];
  readonly maxReplicas?: number;
  readonly schedules?: readonly unknown[];
  readonly jobs?: readonly { readonly targetSize: number }[];
  readonly scaleTargetRef: { readonly kind: string };
}

/** What a user may change of the specification of this object. */
function drawEdit(random: Random, { kind, ...object }: SetupObject): Patch | undefined {
  const { metrics = [], maxReplicas = 1, schedules, jobs, scaleTargetRef } = object["spec"] as Spec;
  if (jobs !== undefined) {
    const jobsThen = jobs.map((job) => ({ ...job, targetSize: random.between(0, 8) }));
    return { spec: { jobs: random.chance(0.8) ? jobsThen : jobsThen.slice(1) } };
  }
  const minReplicas = random.between(1, 4);
  const edits: (() => Patch)[] = [
    () => ({ minReplicas, maxReplicas: minReplicas + random.between(0, 8) }),
    () => ({ minReplicas: Math.min(maxReplicas, minReplicas) }),
  ];
  if (metrics.length > 0) {
    edits.push(() => ({ behavior: drawBehavior(random) ?? null }));
    if (metrics.length > 1)
      edits.push(
        () => ({ metrics: metrics.toReversed() }),
        () => ({ metrics: metrics.slice(1) }),
      );
  }
  if (kind === wla && scaleTargetRef.kind !== hpa)
    edits.push(() => ({ tuning: { downscaleStabilizationSeconds: random.pick([0, 60, 300]) } }));
  if (schedules !== undefined) edits.push(() => ({ schedules: drawSchedules(random, maxReplicas) }));
  return { spec: random.pick(edits as [() => Patch, ...(() => Patch)[]])() };
}

/** A mode for as long as it lasts. */
function modeFault(mode: (random: Random, world: Pick<World, "time">) => Patch): FaultKind {
  return {
    draw: drawWith([wla], () => ({})),
    maxForMs: 15 * minuteMs,
    begin(world, event) {
      patch(world, event, { spec: mode(world.random.stream(`event ${String(event.id)}`), world) });
      return () => patch(world, event, { spec: { mode: "Active", pause: null } });
    },
  };
}

export const userFaults: Readonly<Record<string, FaultKind>> = {
  "object-edited": {
    draw: drawWith(undefined, (random, object) => {
      const body = drawEdit(random, object);
      return body && { body };
    }),
    weight: 4,
    begin(world, event) {
      patch(world, event, event.details["body"]);
      return undefined;
    },
  },
  "object-paused": modeFault((random, { time }) => ({
    mode: "Paused",
    pause: {
      reason: "storm",
      ...(random.chance(0.5)
        ? {
            until: new Date(time.nowMs + random.between(1, 10) * minuteMs)
              .toISOString()
              .replace(/\.\d+Z$/, "Z"),
          }
        : {}),
    },
  })),
  "object-shadowed": modeFault(() => ({ mode: "Shadow" })),
  /** With --manage-hpas=annotated the HPA is left to others for as long as it lasts. */
  "hpa-released": {
    draw: drawWith([hpa], () => ({})),
    maxForMs: 15 * minuteMs,
    begin(world, event) {
      patch(world, event, { metadata: { annotations: { [managed]: null } } });
      return () => patch(world, event, { metadata: { annotations: { [managed]: "true" } } });
    },
  },
  /** What was left to a foreign writer is taken back. */
  "object-reclaimed": {
    draw: drawWith([hpa, wla], (random) => ({ reclaim: String(random.between(0, 1_000_000)) })),
    weight: 2,
    begin(world, event) {
      const annotations = { "autoscaling.plimsoll.dev/reclaim": textOf(event, "reclaim") };
      patch(world, event, { metadata: { annotations } });
      return undefined;
    },
  },
  /** Away for as long as it lasts, if it is not applied meanwhile. */
  "object-deleted": {
    draw: drawWith(undefined, (random) => ({ isForGood: random.chance(0.3) })),
    maxForMs: 10 * minuteMs,
    begin(world, event) {
      remove(world, event);
      return () => {
        if (event.details["isForGood"] !== true) apply(world, event, "user");
      };
    },
  },
  "object-recreated": {
    draw: drawWith(undefined, () => ({})),
    begin(world, event) {
      remove(world, event);
      apply(world, event, "user");
      return undefined;
    },
  },
  /** As above, and no watch shows it: a new list has the new object only. */
  "object-replaced": {
    draw: drawWith([hpa, wla], () => ({})),
    begin(world, event) {
      const reconnect = world.network.add({ ofWatch: () => ({ type: "cut" }) });
      remove(world, event);
      apply(world, event, "user");
      world.cluster.compact();
      reconnect();
      return undefined;
    },
  },
  /** As GitOps does it: what was edited since is as in the repository again. */
  "object-applied": {
    draw: drawWith(undefined, () => ({})),
    weight: 2,
    begin(world, event) {
      apply(world, event, "gitops");
      return undefined;
    },
  },
};
