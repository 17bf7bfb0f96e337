// Users and GitOps that scale, apply, roll out, delete and recreate workloads.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { Random } from "../random/random.ts";
import type { FaultKind, World } from "../run/world.ts";
import type { PlannedEvent, Setup, SetupObject } from "../scenario/scenario.ts";
import { manifestOf, numberOf, textOf } from "./details.ts";
import { applyAsUser, patchAsUser, sendAsUser } from "./user-request.ts";
import { annotatedTemplate, drawWorkload, workloadOf } from "./workloads.ts";

function drawWith(details: (random: Random) => Readonly<Record<string, unknown>>): FaultKind["draw"] {
  return (random, setup: Setup) => {
    const workload = drawWorkload(random, setup);
    return workload === undefined ? undefined : { ...workload, ...details(random) };
  };
}

/** With the replicas that the manifest says. */
function apply(world: World, event: PlannedEvent, user: string): void {
  const manifest = manifestOf(event, "workload", world.scenario.setup);
  if (manifest !== undefined) applyAsUser(world, manifest, user);
}

/** All that the setup has in a namespace, as soon as nothing is left of it. */
function applyNamespace(world: World, namespace: string): void {
  const { cluster, scenario, time } = world;
  if (cluster.store.get("namespaces", undefined, namespace)?.metadata.deletionTimestamp !== undefined) {
    time.after(1000, () => applyNamespace(world, namespace));
    return;
  }
  const isOf = ({ kind, metadata }: SetupObject) =>
    kind === "Namespace" ? metadata.name === namespace : metadata.namespace === namespace;
  for (const manifest of scenario.setup.objects.filter(isOf)) applyAsUser(world, manifest, "user");
}

function remove({ cluster }: World, event: PlannedEvent): void {
  const propagationPolicy = textOf(event, "propagation");
  sendAsUser(cluster, {
    user: "user",
    method: "DELETE",
    path: workloadOf(event).path,
    query: { propagationPolicy },
  });
}

const drawDeletion = drawWith((random) => ({
  propagation: random.pick(["Background", "Background", "Foreground", "Orphan"]),
}));

export const workloadUserFaults: Readonly<Record<string, FaultKind>> = {
  "workload-scaled": {
    draw: drawWith((random) => ({ replicas: random.pick([0, 0, 1, 2, 3, 5, 8, 20]) })),
    weight: 2,
    begin({ cluster }, event) {
      const body = { spec: { replicas: numberOf(event, "replicas") } };
      const path = `${workloadOf(event).path}/scale`;
      patchAsUser(cluster, path, body);
      return undefined;
    },
  },
  "workload-applied": {
    draw: drawWith(() => ({})),
    begin(world, event) {
      apply(world, event, "gitops");
      return undefined;
    },
  },
  /** Away for as long as it lasts, if it is not applied meanwhile. */
  "workload-deleted": {
    draw: drawDeletion,
    maxForMs: 15 * minuteMs,
    begin(world, event) {
      remove(world, event);
      return () => apply(world, event, "user");
    },
  },
  "workload-recreated": {
    draw: drawDeletion,
    begin(world, event) {
      remove(world, event);
      apply(world, event, "user");
      return undefined;
    },
  },
  /** Away with all that is in it. */
  "namespace-deleted": {
    draw(random, { objects }) {
      const [first, ...rest] = objects.filter(({ kind }) => kind === "Namespace");
      return first === undefined ? undefined : { namespace: random.pick([first, ...rest]).metadata.name };
    },
    weight: 0.3,
    maxForMs: 10 * minuteMs,
    begin(world, event) {
      const namespace = textOf(event, "namespace");
      sendAsUser(world.cluster, { user: "user", method: "DELETE", path: `/api/v1/namespaces/${namespace}` });
      return () => applyNamespace(world, namespace);
    },
  },
  /** A new template, whose pods may never come up, until it is rolled back. */
  rollout: {
    draw: drawWith((random) => ({
      // Not "Failed": a Deployment replaces such a pod at once, without end.
      phase: random.pick(["", "NeverReady", "CrashLoop", "Pending"]),
      readyDelay: random.pick(["0s", "5s", "1m", "5m"]),
    })),
    maxForMs: 30 * minuteMs,
    begin({ cluster }, event) {
      const { path } = workloadOf(event);
      const patch = (phase: string | null, readyDelay: string | null) =>
        patchAsUser(
          cluster,
          path,
          annotatedTemplate({
            "sandbox.plimsoll.dev/phase": phase === "" ? null : phase,
            "sandbox.plimsoll.dev/ready-delay": readyDelay,
          }),
        );
      patch(textOf(event, "phase"), textOf(event, "readyDelay"));
      return () => patch(null, null);
    },
  },
};
