import type { V1Pod, V2HorizontalPodAutoscaler } from "@kubernetes/client-node";
import { decide } from "@plimsoll/core";
import { defaultHpa } from "@plimsoll/core/api";
import { proposeReplicas } from "@plimsoll/core/steps";

declare const hpa: V2HorizontalPodAutoscaler;
declare const pods: V1Pod[];

export const { decision } = decide({
  nowMs: 0,
  hpa,
  scale: { ok: true, specReplicas: 1, statusReplicas: 1, selector: "" },
  pods: { ok: true, pods },
  samples: [],
});
export const defaulted = defaultHpa(hpa);
export const proposals = (hpa.spec?.metrics ?? []).map((metric) =>
  proposeReplicas({ nowMs: 0, metric, specReplicas: 1, statusReplicas: 1, pods, samples: { values: [] } }),
);
