/** How far a rolling update may leave the wanted replica count, in pods. */
export interface RollingLimits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

export interface ReplicaSetCounts {
  readonly name: string;
  readonly specReplicas: number;
  readonly availableReplicas: number;
}

/**
 * Absolute limits from numbers or percentages: surge rounds up, unavailable down, and both zero is one unavailable.
 * @upstream pkg/controller/deployment/util/deployment_util.go#ResolveFenceposts
 */
export function resolveLimits(
  replicas: number,
  rollingUpdate:
    | { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string }
    | undefined,
): RollingLimits {
  const maxSurge = Math.ceil(portion(rollingUpdate?.maxSurge ?? "25%", replicas));
  const maxUnavailable = Math.floor(portion(rollingUpdate?.maxUnavailable ?? "25%", replicas));
  if (maxSurge === 0 && maxUnavailable === 0) return { maxSurge, maxUnavailable: 1 };
  return { maxSurge, maxUnavailable: Math.min(maxUnavailable, Math.max(replicas, 1)) };
}

/**
 * The next replica count of the ReplicaSet that carries the current template.
 * @upstream pkg/controller/deployment/util/deployment_util.go#NewRSNewReplicas
 */
export function nextNewReplicas(options: {
  wanted: number;
  current: ReplicaSetCounts;
  old: readonly ReplicaSetCounts[];
  limits: RollingLimits;
}): number {
  const { wanted, current, old, limits } = options;
  if (current.specReplicas >= wanted) return wanted;
  const total = current.specReplicas + sum(old, (one) => one.specReplicas);
  const surge = wanted + limits.maxSurge - total;
  return current.specReplicas + Math.max(0, Math.min(surge, wanted - current.specReplicas));
}

/**
 * The next replica counts of the old ReplicaSets: unavailable pods go first, then available ones while enough
 * are left. `old` is oldest first.
 * @upstream pkg/controller/deployment/rolling.go#reconcileOldReplicaSets
 */
export function nextOldReplicas(options: {
  wanted: number;
  current: ReplicaSetCounts;
  old: readonly ReplicaSetCounts[];
  limits: RollingLimits;
}): ReadonlyMap<string, number> {
  const { wanted, current, old, limits } = options;
  const next = new Map(old.map((one) => [one.name, one.specReplicas]));
  const minAvailable = wanted - limits.maxUnavailable;
  const total = current.specReplicas + sum(old, (one) => one.specReplicas);
  const newUnavailable = current.specReplicas - current.availableReplicas;
  let mayGo = Math.max(0, total - minAvailable - newUnavailable);
  for (const one of old) {
    const unhealthy = Math.min(mayGo, Math.max(0, one.specReplicas - one.availableReplicas));
    next.set(one.name, one.specReplicas - unhealthy);
    mayGo -= unhealthy;
  }
  let spare = current.availableReplicas + sum(old, (one) => one.availableReplicas) - minAvailable;
  for (const one of old) {
    const left = next.get(one.name) ?? 0;
    const goes = Math.max(0, Math.min(left, spare));
    next.set(one.name, left - goes);
    spare -= goes;
  }
  return next;
}

function portion(value: number | string, whole: number): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  return percent === undefined ? 0 : (Number(percent) * whole) / 100;
}

function sum<T>(list: readonly T[], of: (item: T) => number): number {
  return list.reduce((total, item) => total + of(item), 0);
}
