// Error messages for missing RBAC permissions on HPA bounds.
import { ApiError, publicErrorText } from "@plimsoll/kube";

/** A failure to move bounds; where a right is missing, with the place to get it. The server names the right. */
export function boundsFailureText(error: unknown): string {
  const text = publicErrorText(error);
  if (!(error instanceof ApiError) || error.code !== 403) return text;
  return `${text}: schedules that move the bounds of HorizontalPodAutoscalers need get and patch of them and of WorkloadAutoscalers, which the component hpa-schedules, or autoscaler.rbac.hpaBounds of the chart, grants (docs/cronhpa.md#permissions)`;
}
