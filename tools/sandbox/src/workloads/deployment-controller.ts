// The Deployment controller.
import { claimName } from "./adopt.ts";
import type { ControllerContext } from "./controller-context.ts";
import { deploymentStatus, progressDeadlineInMs, rollingUpdateOf } from "./deployment-status.ts";
import {
  currentRevision,
  findCurrent,
  newReplicaSet,
  oldestFirst,
  revisionAnnotation,
} from "./replica-set-revision.ts";
import { nextNewReplicas, nextOldReplicas, type ReplicaSetCounts, resolveLimits } from "./rolling-update.ts";
import { replicasOf, type Workload } from "./workload.ts";

const resource = "deployments.apps";
const replicaSets = "replicasets.apps";

/** One level-based pass: the current ReplicaSet exists, replicas move towards the wanted count, status follows. */
export function syncDeployment(
  context: ControllerContext,
  name: { namespace: string | undefined; name: string },
): void {
  const deployment = context.store.get(resource, name.namespace, name.name) as Workload | undefined;
  if (deployment === undefined || deployment.spec?.template === undefined) return;
  if (deployment.metadata.deletionTimestamp !== undefined) return;
  const before = owned(context, deployment);
  const created =
    findCurrent(deployment, before) === undefined &&
    mayCreate(context, deployment, before) &&
    createCurrent(context, deployment, before);
  const current = findCurrent(deployment, owned(context, deployment));
  if (current !== undefined) reviseCurrent(context, current, before);
  scale(context, deployment);
  cleanUp(context, deployment);
  writeStatus(context, deployment, created);
}

function owned(context: ControllerContext, deployment: Workload): readonly Workload[] {
  return oldestFirst(
    (context.index.dependents(deployment.metadata.uid, replicaSets) as readonly Workload[]).filter(
      (one) => one.metadata.deletionTimestamp === undefined,
    ),
  );
}

function mayCreate(context: ControllerContext, deployment: Workload, old: readonly Workload[]): boolean {
  if (deployment.spec?.["paused"] === true) return false;
  if (!isRecreate(deployment)) return true;
  for (const one of old) setReplicas(context, one, 0);
  return old.every((one) => context.index.dependents(one.metadata.uid, "pods").length === 0);
}

function createCurrent(
  context: ControllerContext,
  deployment: Workload,
  others: readonly Workload[],
): boolean {
  const replicaSet = newReplicaSet(deployment, others);
  const { name } = replicaSet.metadata;
  if (claimName(context, { ownerResource: resource, owner: deployment, resource: replicaSets, name }))
    return false;
  context.store.create(replicaSets, replicaSet);
  return true;
}

function isRecreate(deployment: Workload): boolean {
  const strategy = deployment.spec?.["strategy"];
  return (
    typeof strategy === "object" && strategy !== null && "type" in strategy && strategy.type === "Recreate"
  );
}

/** A template that came back takes its old ReplicaSet again, as the newest revision. */
function reviseCurrent(context: ControllerContext, current: Workload, others: readonly Workload[]): void {
  const newest = Math.max(
    0,
    ...others.filter((one) => one.metadata.uid !== current.metadata.uid).map(currentRevision),
  );
  if (currentRevision(current) > newest) return;
  const annotations = { ...current.metadata.annotations, [revisionAnnotation]: String(newest + 1) };
  context.store.update(replicaSets, { ...current, metadata: { ...current.metadata, annotations } });
}

function scale(context: ControllerContext, deployment: Workload): void {
  const all = owned(context, deployment);
  const current = findCurrent(deployment, all);
  const wanted = replicasOf(deployment);
  if (current === undefined) {
    const newest = all.at(-1);
    if (newest !== undefined && !isRecreate(deployment)) setReplicas(context, newest, wanted);
    return;
  }
  const old = all.filter(
    (one) => one !== current && (replicasOf(one) > 0 || (one.status?.replicas ?? 0) > 0),
  );
  if (old.length === 0) {
    setReplicas(context, current, wanted);
    return;
  }
  if (deployment.spec?.["paused"] === true) return;
  const limits = resolveLimits(wanted, rollingUpdateOf(deployment));
  const counts = { wanted, current: countsOf(current), old: old.map(countsOf), limits };
  const next = nextNewReplicas(counts);
  setReplicas(context, current, next);
  const scaled = { ...counts.current, specReplicas: next };
  for (const [name, replicas] of nextOldReplicas({ ...counts, current: scaled })) {
    const one = old.find((candidate) => candidate.metadata.name === name);
    if (one !== undefined) setReplicas(context, one, replicas);
  }
}

function setReplicas(context: ControllerContext, replicaSet: Workload, replicas: number): void {
  const latest = context.store.get(replicaSets, replicaSet.metadata.namespace, replicaSet.metadata.name) as
    | Workload
    | undefined;
  if (latest === undefined || replicasOf(latest) === replicas) return;
  context.store.update(replicaSets, { ...latest, spec: { ...latest.spec, replicas } });
}

function countsOf(replicaSet: Workload): ReplicaSetCounts {
  const specReplicas = replicasOf(replicaSet);
  return {
    name: replicaSet.metadata.name,
    specReplicas,
    // A status that lags behind a scale-down must not let more pods go.
    availableReplicas: Math.min(specReplicas, replicaSet.status?.availableReplicas ?? 0),
  };
}

/** Old ReplicaSets beyond the history limit go, once nothing is left of them. */
function cleanUp(context: ControllerContext, deployment: Workload): void {
  const limit = deployment.spec?.["revisionHistoryLimit"];
  const all = owned(context, deployment);
  const current = findCurrent(deployment, all);
  const old = all.filter((one) => one !== current);
  for (const one of old.slice(0, Math.max(0, old.length - (typeof limit === "number" ? limit : 10)))) {
    if (replicasOf(one) === 0 && context.index.dependents(one.metadata.uid, "pods").length === 0) {
      context.store.delete(replicaSets, one.metadata.namespace, one.metadata.name);
    }
  }
}

function writeStatus(context: ControllerContext, deployment: Workload, createdCurrent: boolean): void {
  const all = owned(context, deployment);
  const current = findCurrent(deployment, all);
  const nowMs = context.clock.nowMs();
  const status = deploymentStatus({ deployment, current, all, createdCurrent, nowMs });
  const revision = current?.metadata.annotations?.[revisionAnnotation];
  const written = context.store.update(resource, {
    ...deployment,
    metadata: {
      ...deployment.metadata,
      ...(revision === undefined
        ? {}
        : { annotations: { ...deployment.metadata.annotations, [revisionAnnotation]: revision } }),
    },
    status,
  }) as Workload;
  const deadlineInMs = progressDeadlineInMs(written, nowMs);
  if (deadlineInMs !== undefined && deadlineInMs > 0)
    context.requeueAfter(resource, deployment, deadlineInMs);
}
