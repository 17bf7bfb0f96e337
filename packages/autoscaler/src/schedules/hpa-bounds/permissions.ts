// Error messages for missing RBAC permissions on HPA bounds.
import { ApiError, publicErrorText } from "@plimsoll/kube";

/** A failure to move bounds; where a right is missing, with the place to get it. The server names the right. */
export function boundsFailureText(error: unknown): string {
  const text = publicErrorText(error);
  if (!(error instanceof ApiError) || error.code !== 403) return text;
  return `${text}: schedules for HorizontalPodAutoscalers need get and patch on them and on WorkloadAutoscalers; use the kustomize component hpa-schedules or the chart value autoscaler.rbac.hpaBounds (docs/cronhpa.md#permissions)`;
}
