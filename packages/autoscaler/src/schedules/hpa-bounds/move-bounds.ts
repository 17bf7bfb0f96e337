// Writes minReplicas and maxReplicas of an HPA.
import type { Clock } from "@plimsoll/component-base";
import type { KubeClient } from "@plimsoll/kube";
import { isSibling } from "../../objects/field-managers.ts";
import { type ScalingObject, splitKey } from "../../objects/scaling-object.ts";
import { type Applied, applyBounds, giveBack } from "./apply.ts";
import type { Dispute, Disputes } from "./disputes.ts";
import { boundsOf, type LiveHpa, ownersOf, readLiveHpa } from "./live-hpa.ts";
import { boundsFailureText } from "./permissions.ts";
import { type BoundsPlan, type BoundsRequest, planBounds } from "./plan.ts";

/** What became of an HPA's bounds. */
export interface BoundsOutcome {
  /** Whether there is such an HPA. */
  readonly isThere: boolean;
  /** As the server returned it last; undefined when it was not read. */
  readonly hpa?: LiveHpa;
  readonly plan: BoundsPlan | undefined;
  readonly did: "nothing" | "moved" | "restored";
  readonly dispute?: Dispute;
  readonly failure?: string;
}

export const missing: BoundsOutcome = { isThere: false, plan: undefined, did: "nothing" };

/** What one attempt needs. */
export interface MoveDeps {
  readonly key: string;
  readonly client: KubeClient;
  readonly disputes: Disputes;
  readonly clock: Clock;
  /** What a dispute is about. */
  readonly about: string;
  readonly requestOf: (hpa: ScalingObject | LiveHpa) => BoundsRequest | undefined;
  /** Called before every write. */
  readonly mayWrite: () => boolean;
  /** Before bounds are moved: why they could not be restored later, where they could not. */
  readonly secure: () => Promise<string | undefined>;
}

const maxAttempts = 3;

/** Brings the bounds of an HPA to what is requested. Decides on what the server has now, unless nothing is to be done. */
export async function moveBounds(watched: ScalingObject, deps: MoveDeps): Promise<BoundsOutcome> {
  const plan = planBounds({ ...boundsOf(watched), request: deps.requestOf(watched) });
  const known: BoundsOutcome = { isThere: true, plan, did: "nothing" };
  if (plan.action.kind === "none") {
    // As long as bounds are moved, they must be restored before the object may go.
    const failure = boundsOf(watched).hasAnnotation ? await deps.secure() : undefined;
    return failure === undefined ? known : { ...known, failure };
  }
  const dispute = deps.disputes.open(deps.key, { nowMs: deps.clock.nowMs(), about: deps.about });
  if (plan.action.kind === "move" && dispute !== undefined) return { ...known, dispute };
  let last: BoundsOutcome = { ...known, plan: undefined };
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const { outcome, isOver } = await attemptOnce(last, deps);
    if (isOver) return outcome;
    last = outcome;
  }
  return { ...last, failure: "the HPA keeps changing" };
}

/** One attempt; it is not over when the HPA changed in between. */
async function attemptOnce(
  last: BoundsOutcome,
  deps: MoveDeps,
): Promise<{ readonly outcome: BoundsOutcome; readonly isOver: boolean }> {
  let hpa: LiveHpa | undefined;
  try {
    hpa = await readLiveHpa(deps.client, splitKey(deps.key));
  } catch (error) {
    return over({ ...last, failure: boundsFailureText(error) });
  }
  if (hpa === undefined) return over(missing);
  const plan = planBounds({ ...boundsOf(hpa), request: deps.requestOf(hpa) });
  const { action } = plan;
  const unchanged: BoundsOutcome = { isThere: true, hpa, plan, did: "nothing" };
  if (action.kind === "none") return over(unchanged);
  if (action.kind === "move") {
    const dispute = disputeOver(hpa, plan, deps);
    if (dispute !== undefined) return over({ ...unchanged, dispute });
    const failure = await deps.secure();
    if (failure !== undefined) return over({ ...unchanged, failure });
  }
  if (!deps.mayWrite()) return over(unchanged);
  const applied =
    action.kind === "move" ? await applyBounds(deps.client, hpa, action) : await restore(deps, hpa, action);
  const outcome = outcomeOf(applied, unchanged, deps);
  return outcome === undefined ? { outcome: unchanged, isOver: false } : over(outcome);
}

function over(outcome: BoundsOutcome): { readonly outcome: BoundsOutcome; readonly isOver: boolean } {
  return { outcome, isOver: true };
}

/** Undefined when the HPA changed since it was read. */
function outcomeOf(
  applied: Applied,
  unchanged: BoundsOutcome,
  { about, clock, disputes, key }: MoveDeps,
): BoundsOutcome | undefined {
  switch (applied.result) {
    case "applied": {
      const isMove = unchanged.plan?.action.kind === "move";
      if (isMove) disputes.tried(key);
      return { ...unchanged, hpa: applied.hpa, did: isMove ? "moved" : "restored" };
    }
    case "gone":
      return missing;
    case "failed":
      return { ...unchanged, failure: applied.message };
    case "conflict": {
      const { managers, fields } = applied;
      const dispute = disputes.add(key, { managers, fields, kind: "claimed", nowMs: clock.nowMs(), about });
      return { ...unchanged, dispute };
    }
    case "moved":
      return undefined;
  }
}

/** Whether another client keeps writing the fields, without applying them. */
function disputeOver(
  hpa: LiveHpa,
  { edited, isUndone }: BoundsPlan,
  { about, clock, disputes, key }: MoveDeps,
): Dispute | undefined {
  const nowMs = clock.nowMs();
  const open = disputes.open(key, { nowMs, about });
  if (open !== undefined || edited.length === 0) return open;
  if (disputes.isDue(key, { nowMs, about })) return undefined;
  const owners = edited.flatMap((field) => ownersOf(hpa, field));
  const managers = [...new Set(owners.map(({ manager }) => manager))];
  // A job of a CronHorizontalPodAutoscaler moves bounds at its own times, and undoes nothing.
  if (managers.length > 0 && managers.every(isSibling)) return undefined;
  if (!isUndone && !disputes.edited(key, nowMs)) return undefined;
  return disputes.add(key, { managers, fields: edited, kind: "undone", nowMs, about });
}

/** Fields that other managers own by now keep their values. */
async function restore(
  { client, mayWrite }: MoveDeps,
  hpa: LiveHpa,
  action: Extract<BoundsPlan["action"], { kind: "restore" }>,
): Promise<Applied> {
  let applied = await applyBounds(client, hpa, action);
  if (applied.result === "conflict") {
    const { fields } = applied;
    const spec = Object.fromEntries(
      Object.entries(action.spec).filter(([field]) => !fields.some((disputed) => disputed === field)),
    );
    applied = await applyBounds(client, hpa, { kind: "restore", spec });
  }
  if (applied.result !== "applied") return applied;
  return { result: "applied", hpa: await giveBack(client, applied.hpa, mayWrite) };
}
