// Objects that come to a large namespace, and go.
import { minuteMs } from "@plimsoll/core/internal/values";
import { crowdMember, crowdNamespace } from "../objects/crowd.ts";
import type { FaultKind } from "../run/world.ts";
import { numberOf } from "./details.ts";
import { applyAsUser, sendAsUser } from "./user-request.ts";

/** Above those of any setup. */
const firstIndex = 1000;

export const crowdFaults: Readonly<Record<string, FaultKind>> = {
  "crowd-grows": {
    draw(random, { objects }) {
      const isThere = objects.some(({ metadata }) => metadata.namespace === crowdNamespace);
      return isThere
        ? { first: firstIndex + random.between(0, 1000), count: random.between(1, 10) }
        : undefined;
    },
    weight: 3,
    maxForMs: 15 * minuteMs,
    begin(world, event) {
      const first = numberOf(event, "first");
      const members = Array.from({ length: numberOf(event, "count") }, (_, index) =>
        crowdMember(first + index),
      );
      for (const member of members) applyAsUser(world, member, "user");
      return () => {
        for (const { metadata } of members)
          sendAsUser(world.cluster, {
            user: "user",
            method: "DELETE",
            path: `/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/${crowdNamespace}/workloadautoscalers/${metadata.name}`,
          });
      };
    },
  },
};
