// A namespace with so many objects that the next ones change when the others are evaluated.
import type { Random } from "../random/random.ts";
import type { SetupObject } from "../scenario/scenario.ts";

export const crowdNamespace = "crowd";

/** Each names a target that is not there, so that its evaluation costs next to nothing. */
export function crowdMember(index: number): SetupObject {
  const name = `member-${String(index)}`;
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name, namespace: crowdNamespace },
    spec: {
      scaleTargetRef: { apiVersion: "no.such.group/v1", kind: "Nothing", name },
      minReplicas: 1,
      maxReplicas: 2,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
        },
      ],
      tuning: { syncPeriodSeconds: 60 },
    },
  };
}

/** Near a size at which objects of a namespace are spread further. */
export function drawCrowd(random: Random): readonly SetupObject[] {
  if (!random.chance(0.15)) return [];
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: crowdNamespace } };
  const count = random.between(46, 50);
  return [namespace, ...Array.from({ length: count }, (_, index) => crowdMember(index))];
}
