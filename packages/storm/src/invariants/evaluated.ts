// Invariant: every object is evaluated again once the faults are over.

import { autoscalerConfig } from "../autoscaler/flags.ts";
import { hostileNamespace } from "../objects/hostile.ts";
import type { CreateInvariant } from "../run/world.ts";
import { keyOfDecided } from "./decisions.ts";
import { hpaResource, keyOfObject, wlaResource } from "./names.ts";

interface Wla {
  readonly scaleTargetRef?: { readonly kind?: string };
  readonly tuning?: { readonly syncPeriodSeconds?: number };
}

/** A request may take so long, and what waits for it. */
const slackMs = 15_000;

/**
 * At the end of the quiet time leases have been taken, watches resumed and backoffs ended: each object, also one that is paused,
 * in shadow or wrong, was evaluated within its last two periods.
 */
export const evaluated: CreateInvariant = ({ cluster: { store }, scenario, time }) => {
  const { syncPeriodMs } = autoscalerConfig(scenario.setup);
  const lastMs = new Map<string, number>();
  return {
    name: "evaluated",
    observe(observation) {
      if (observation.kind === "decided")
        lastMs.set(`${keyOfDecided(observation)} ${observation.input.hpa.metadata?.uid ?? ""}`, time.nowMs);
      return undefined;
    },
    end() {
      for (const { kind = "", metadata, spec } of [...store.list(hpaResource), ...store.list(wlaResource)]) {
        const { namespace = "", name, uid = "" } = metadata;
        const { scaleTargetRef, tuning } = spec as Wla;
        // One that moves bounds is not evaluated, and hostile ones may use up what their namespace has.
        if (scaleTargetRef?.kind === "HorizontalPodAutoscaler" || namespace === hostileNamespace) continue;
        const seconds = kind === "WorkloadAutoscaler" ? tuning?.syncPeriodSeconds : undefined;
        const periodMs = seconds === undefined ? syncPeriodMs : seconds * 1000;
        const key = keyOfObject(kind, namespace, name);
        const at = lastMs.get(`${key} ${uid}`);
        if (at === undefined || time.nowMs - at > 2 * periodMs + slackMs)
          return `${key} was evaluated ${at === undefined ? "never" : `${String(time.nowMs - at)} ms ago`}, and its period is ${String(periodMs)} ms`;
      }
      return true;
    },
  };
};
