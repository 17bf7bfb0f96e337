// The first line of an explanation: which object, and where its decision comes from.
import { ageOf } from "../output/age.ts";
import type { Facts } from "./facts.ts";

/** "HorizontalPodAutoscaler default/shop -> Deployment/shop", and "recorded 4s ago, in shadow". */
export function titleOf({ explained, nowMs }: Pick<Facts, "explained" | "nowMs">): {
  readonly object: string;
  readonly source: string;
} {
  const { object, source, at, mode } = explained;
  const kind = object.resource === "workloadautoscalers" ? "WorkloadAutoscaler" : "HorizontalPodAutoscaler";
  const sources = {
    recorded: `recorded ${ageOf(at, nowMs) ?? ""} ago${modeText(mode)}`,
    recomputed: "recomputed now",
    status: "status only",
  };
  return {
    object: `${kind} ${object.namespace}/${object.name} -> ${object.target.kind}/${object.target.name}`,
    source: sources[source],
  };
}

function modeText(mode: string | undefined): string {
  const known = mode?.toLowerCase();
  if (known === "shadow") return ", in shadow";
  return known === "paused" ? ", paused" : "";
}
