import type { KubeClient } from "@plimsoll/kube";
import { type Applied, applyBounds, releaseFields } from "./apply.ts";
import type { Dispute, Disputes } from "./disputes.ts";
import { boundsOf, type LiveHpa, ownersOf, readLiveHpa } from "./live-hpa.ts";
import { type BoundsPlan, type Demand, planBounds } from "./plan.ts";
import { boundsFailureText } from "./rights.ts";

/** How an HPA's bounds stand after all that could be done. */
export interface Settled {
  /** Whether there is such an HPA. */
  readonly isThere: boolean;
  /** As the server gave it last; undefined when it did not have to be asked. */
  readonly hpa?: LiveHpa;
  readonly plan: BoundsPlan | undefined;
  readonly did: "nothing" | "held" | "restored";
  readonly dispute?: Dispute;
  readonly failure?: string;
}

export const missing: Settled = { isThere: false, plan: undefined, did: "nothing" };

const tries = 3;

/** Brings one HPA's bounds to what is asked, on what the server says now. */
export async function settleBounds(
  ref: { readonly key: string; readonly namespace: string; readonly name: string },
  demandOf: (hpa: LiveHpa) => Demand | undefined,
  o: {
    readonly client: KubeClient;
    readonly disputes: Disputes;
    readonly nowMs: () => number;
    /** What a dispute is about. */
    readonly about: string;
    /** Asked before every write. */
    readonly mayWrite: () => boolean;
    /** Before bounds are moved: why the way back is not secured, where it is not. */
    readonly secure: () => Promise<string | undefined>;
  },
): Promise<Settled> {
  let last: Settled = {
    isThere: true,
    plan: undefined,
    did: "nothing",
    failure: "the HPA changes all the time",
  };
  for (let attempt = 1; attempt <= tries; attempt++) {
    let hpa: LiveHpa | undefined;
    try {
      hpa = await readLiveHpa(o.client, ref);
    } catch (error) {
      return { ...last, failure: boundsFailureText(error) };
    }
    if (hpa === undefined) return missing;
    const plan = planBounds({ ...boundsOf(hpa), demand: demandOf(hpa) });
    const { action } = plan;
    last = { ...last, hpa, plan };
    const still: Settled = { isThere: true, hpa, plan, did: "nothing" };
    if (action.kind === "none") return still;
    if (action.kind === "hold") {
      const dispute = disputeOver(hpa, plan, { ...o, key: ref.key });
      if (dispute !== undefined) return { ...still, dispute };
      const failure = await o.secure();
      if (failure !== undefined) return { ...still, failure };
    }
    if (!o.mayWrite()) return still;
    const applied =
      action.kind === "hold"
        ? await applyBounds(o.client, hpa, action)
        : await restore(o.client, hpa, action);
    switch (applied.result) {
      case "applied":
        if (action.kind === "hold") o.disputes.tried(ref.key);
        return { ...still, hpa: applied.hpa, did: action.kind === "hold" ? "held" : "restored" };
      case "gone":
        return missing;
      case "failed":
        return { ...still, failure: applied.message };
      case "conflict": {
        const { managers, fields } = applied;
        const at = { nowMs: o.nowMs(), about: o.about };
        return { ...still, dispute: o.disputes.add(ref.key, { managers, fields, kind: "claimed", ...at }) };
      }
      case "moved":
        break;
    }
  }
  return last;
}

/** Whether somebody is to be given way to who does not claim the fields by applying them. */
function disputeOver(
  hpa: LiveHpa,
  { edited, isUndone }: BoundsPlan,
  o: {
    readonly key: string;
    readonly disputes: Disputes;
    readonly nowMs: () => number;
    readonly about: string;
  },
): Dispute | undefined {
  const { key, disputes, about } = o;
  const nowMs = o.nowMs();
  const open = disputes.open(key, { nowMs, about });
  if (open !== undefined || edited.length === 0) return open;
  if (disputes.isDue(key, { nowMs, about })) return undefined;
  if (!isUndone && !disputes.edited(key, nowMs)) return undefined;
  const managers = [
    ...new Set(edited.flatMap((field) => ownersOf(hpa, field)).map(({ manager }) => manager)),
  ];
  return disputes.add(key, { managers, fields: edited, kind: "undone", nowMs, about });
}

/** What others hold on to by now stays theirs. */
async function restore(
  client: KubeClient,
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
  const released = await releaseFields(client, applied.hpa);
  // The bounds are back; that we still own them is a blemish only.
  return released.result === "applied" ? released : applied;
}
