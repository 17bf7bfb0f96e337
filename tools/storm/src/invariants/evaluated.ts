// Invariant: every object is evaluated again, period by period, once the faults are over.
import { wlaDefinition } from "@plimsoll/core/internal/objects";
import { defaultSilenceLimitMs, defaultTimeoutMs, maxRelistMs } from "@plimsoll/kube/testing";
import type { StoredObject } from "@plimsoll/sandbox";
import { autoscalerConfig } from "../autoscaler/flags.ts";
import { maxRetryAfterSeconds } from "../faults/requests.ts";
import { unlistableKinds } from "../faults/unlistable.ts";
import { hostileNamespace } from "../objects/hostile.ts";
import type { CreateInvariant, Observed, Outcome } from "../run/world.ts";
import type { Setup } from "../scenario/scenario.ts";
import { createCalm } from "./calm.ts";
import { keyOfDecided, storedOfDecided, uidOfDecided } from "./decisions.ts";
import { hpaResource, keyOfObject } from "./names.ts";
import { periodMsOf } from "./periods.ts";

interface Wla {
  readonly scaleTargetRef?: { readonly kind?: string };
}

/** A request may take so long, and what waits for it. */
const slackMs = 15_000;

/**
 * How long it may take after the last fault until a process evaluates. Each of these may have to end first, one after the
 * other: a watch on which nothing comes, a request without a response, the wait before the next list, a wait that a
 * refusal asked for, and twice a lease, which is for how long it is to be seen that one was removed.
 */
export function settleMs(setup: Pick<Setup, "coordination" | "flags">): number {
  const { coordination } = autoscalerConfig(setup);
  const leasesMs =
    coordination.mode === "alone" ? 0 : 2 * Math.max(coordination.leaseDurationMs, foreignLeaseMs);
  return defaultSilenceLimitMs + defaultTimeoutMs + maxRelistMs + maxRetryAfterSeconds * 1000 + leasesMs;
}

/** How long a lease lasts at most that another client took. */
const foreignLeaseMs = 30_000;

/**
 * From when everything must have settled until the next fault, no object is without an evaluation for longer than two
 * periods: neither one that is paused, in shadow or wrong.
 */
export const evaluated: CreateInvariant = (world) => {
  const { store } = world.cluster;
  const { setup } = world.scenario;
  const { syncPeriodMs } = autoscalerConfig(setup);
  const untilSettledMs = settleMs(setup);
  const calm = createCalm(world, { sudden: /./, ignored: unlistableKinds });
  /** Objects that cannot be listed, until when: they stop none of the others. */
  const unlistableMs = new Map<string, number>();
  /** By key and uid. */
  const lastMs = new Map<string, number>();
  return {
    name: "evaluated",
    observe(observation) {
      calm.observe(observation);
      if (observation.kind === "fault") noteUnlistable(observation);
      return observation.kind === "decided" ? ofDecision(observation) : undefined;
    },
    end() {
      for (const object of [...store.list(hpaResource), ...store.list(wlaDefinition)]) {
        const outcome = ofObject(object);
        if (typeof outcome === "string") return outcome;
      }
      return calm.forMs() > untilSettledMs ? true : undefined;
    },
  };

  function noteUnlistable({ event, change }: Observed<"fault">): void {
    if (event.kind !== "object-unlistable") return;
    const { object = "", namespace = "", name = "" } = event.details as Readonly<Record<string, string>>;
    const untilMs = change === "begins" ? Number.POSITIVE_INFINITY : world.time.nowMs + untilSettledMs;
    unlistableMs.set(keyOfObject(object, namespace, name), untilMs);
  }

  function ofDecision(decided: Observed<"decided">): Outcome {
    const stored = storedOfDecided(world, decided);
    const outcome = stored === undefined ? undefined : ofObject(stored);
    lastMs.set(`${keyOfDecided(decided)} ${uidOfDecided(decided)}`, world.time.nowMs);
    return outcome;
  }

  function ofObject({ kind = "", metadata, spec }: StoredObject): Outcome {
    const { namespace = "", name, uid = "" } = metadata;
    const { scaleTargetRef } = spec as Wla;
    // One that moves bounds is not evaluated, and hostile ones may use up what their namespace has.
    if (scaleTargetRef?.kind === "HorizontalPodAutoscaler" || namespace === hostileNamespace)
      return undefined;
    const periodMs = periodMsOf({ kind, spec }, syncPeriodMs);
    const key = keyOfObject(kind, namespace, name);
    const at = lastMs.get(`${key} ${uid}`);
    if (world.time.nowMs < (unlistableMs.get(key) ?? 0)) return undefined;
    const settledForMs = calm.forMs() - untilSettledMs;
    if (settledForMs <= 0) return undefined;
    const withoutMs = Math.min(settledForMs, world.time.nowMs - (at ?? Number.NEGATIVE_INFINITY));
    if (withoutMs <= 2 * periodMs + slackMs) return true;
    return `${key} was evaluated ${at === undefined ? "never" : `${String(world.time.nowMs - at)} ms ago`}, and its period is ${String(periodMs)} ms`;
  }
};
