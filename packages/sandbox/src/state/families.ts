// What kube-state-metrics exports of autoscalers, their targets and pods: those families that a backtest reads.
import { createFamilyCollector, type Family } from "../load/family.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { autoscalerFamilies } from "./autoscalers.ts";
import { podFamilies } from "./pods.ts";
import { targetFamilies } from "./targets.ts";

/** Every series at this moment, under the names and labels of kube-state-metrics v2.18. */
export function stateFamilies(store: Pick<ObjectStore, "list">): readonly Family[] {
  const out = createFamilyCollector();
  autoscalerFamilies(store.list("horizontalpodautoscalers.autoscaling"), out);
  targetFamilies(store, out);
  podFamilies(store.list("pods"), out);
  return out.families();
}
