import type { ResourceInfo } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { warmTargets } from "../../src/informers/warm-targets.ts";
import type { ScalingObject } from "../../src/objects/scaling-object.ts";

test("kinds that do not exist do not keep the kind of another namespace's target from being watched", async () => {
  const object = (kind: string): ScalingObject => ({
    kind: "HorizontalPodAutoscaler",
    metadata: { name: kind.toLowerCase(), namespace: "default" },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind, name: "shop" }, maxReplicas: 9 },
  });
  const looked: string[] = [];
  const warmed: string[] = [];
  warmTargets({
    objects: {
      list: () => [...Array.from({ length: 100 }, (_, n) => object(`Kind${n}`)), object("Deployment")],
      subscribe: () => undefined,
    },
    mapper: {
      byKind(group, kind) {
        looked.push(kind);
        return Promise.resolve([{ group, kind, resource: "deployments" } as ResourceInfo]);
      },
    },
    targets: { warm: ({ kind }) => void warmed.push(kind) },
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(looked).toEqual(["Deployment"]);
  expect(warmed).toEqual(["Deployment"]);
});
