// A recorder of events, and the server that keeps them.
import { manualClock } from "@plimsoll/component-base/testing";
import { createEventRecorder, type KubeRequest } from "@plimsoll/kube";
import { fakeClient } from "@plimsoll/testbed/world/cluster";

export const hpa = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  namespace: "shop",
  name: "web",
  uid: "u1",
};

export const rescale = { type: "Normal", reason: "SuccessfulRescale", message: "New size: 3" } as const;

const startMs = Date.parse("2026-01-02T03:04:05.678Z");

export function recorder(answer: (request: KubeRequest) => unknown = () => ({})) {
  const clock = manualClock(startMs);
  const client = fakeClient(answer);
  const errors: unknown[] = [];
  const counted: Record<string, number> = {};
  const count = (what: string, events = 1) => {
    counted[what] = (counted[what] ?? 0) + events;
  };
  const events = createEventRecorder({
    client,
    component: "plimsoll",
    clock,
    random: () => 1,
    onError: (error) => errors.push(error),
    observer: {
      recorded: () => count("recorded"),
      combined: () => count("combined"),
      lost: count,
    },
  });
  return { clock, client, counted, errors, events };
}
