// PL-005 by the autoscaler's own state, and by what is left of it where that cannot be read.
import type { Fields } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import { known, unknown } from "../src/index.ts";
import { ago, argocd, condition, examine, hpa, said, type World, wla } from "./world.ts";

const found = (world: World) => examine("PL-005", world).findings;
const unread = { otherWriter: unknown("no recorded decisions") };

const event = (minutes: number): Fields => ({
  involvedObject: { kind: "HorizontalPodAutoscaler", name: "shop" },
  reason: "ForeignWriter",
  message: "kube-controller-manager has written the status once since 2026-11-22T09:57:00Z",
  lastTimestamp: ago(minutes),
});

test("who sets the replicas back, how often, since when, and when the autoscaler writes them again", () => {
  const [finding] = found({ facts: { otherWriter: known(argocd) } });
  expect(finding).toMatchObject({
    severity: "error",
    title: "another client sets the replicas back",
    evidence: [
      {
        what: "argocd-controller",
        value:
          "has changed the replicas back 14 times since 2026-11-22T09:00:00Z, most recently at 2026-11-22T09:58:00Z. The autoscaler writes them again at 2026-11-22T10:02:00Z, or at once if they are outside minReplicas and maxReplicas.",
        from: "the autoscaler's decisions about default/shop",
      },
    ],
  });
});

test.each([
  ["argocd-controller", /ignoreDifferences.*RespectIgnoreDifferences=true/],
  ["helm", /that upgrade sets 1 replica once/],
  ["kubectl-client-side-apply", /kubectl apply edit-last-applied/],
  ["another plimsoll-autoscaler", /^remove spec\.replicas from that client/],
])("the fix of replicas that %s sets", (by, fix) => {
  expect(found({ facts: { otherWriter: known({ ...argocd, by }) } })[0]?.fix).toMatch(fix);
});

test("another controller's status: nothing has to be reclaimed, the annotation is the quick way", () => {
  const builtIn = { ...argocd, by: "kube-controller-manager", writes: "status", count: 1 } as const;
  const [finding] = found({ facts: { otherWriter: known(builtIn) } });
  expect(finding?.title).toBe("another controller writes the status");
  expect(finding?.fix).toMatch(
    /^stop that controller for this object; the autoscaler takes over after three quiet periods, or at once with kubectl annotate hpa shop -n default autoscaling\.plimsoll\.dev\/reclaim=/,
  );
});

test("the autoscaler's state counts, and neither an event nor a condition of before", () => {
  const conditions = [condition("Active", "False", "ForeignWriter")];
  const facts = { events: known([event(1)]), otherWriter: known(undefined) };
  expect(found({ facts })).toEqual([]);
  expect(found({ object: wla({ conditions }), facts })).toEqual([]);
});

test("without it, the conditions say so", () => {
  const active = wla({ conditions: [condition("Active", "False", "ForeignWriter", { message: "by helm" })] });
  expect(found({ object: active, facts: unread }).map(said)).toEqual([
    "another controller writes the status; Active by helm",
  ]);
  const texts = [
    "the HPA controller was unable to update the target scale: argocd-controller changed the replicas back 3 times since 2026-11-22T09:00:00Z; next attempt at 2026-11-22T10:02:00Z",
    "recommended size matches current size. Another client: argocd-controller changed the replicas back 3 times since 2026-11-22T09:00:00Z",
  ];
  for (const message of texts) {
    const conditions = [condition("AbleToScale", "True", "ReadyForNewScale", { message })];
    const [finding] = found({ object: hpa({ conditions }), facts: unread });
    expect(finding?.evidence[0]?.value).toBe(message);
    expect(finding?.fix).toContain("Argo CD");
  }
});

test("without both, an event of the last five minutes says so, and an older one nothing", () => {
  const at = (minutes: number) => found({ facts: { ...unread, events: known([event(minutes)]) } });
  expect(at(4).map(said)).toEqual([
    "another controller writes the status; ForeignWriter at 09:56 kube-controller-manager has written the status once since 2026-11-22T09:57:00Z",
  ]);
  expect(at(6)).toEqual([]);
  const unreadable = { ...unread, events: unknown("may not list events") };
  expect(examine("PL-005", { facts: unreadable }).skipped).toMatchObject([{ reason: "may not list events" }]);
});

test("an event counts no more once the autoscaler has written the status", () => {
  const at = (manager: string, message = String(event(4)["message"])) => {
    const managedFields = [
      {
        manager: "kube-controller-manager",
        subresource: "status",
        time: ago(4),
        fieldsV1: { "f:status": {} },
      },
      { manager, subresource: "status", time: ago(1), fieldsV1: { "f:status": {} } },
    ];
    const facts = { ...unread, events: known([{ ...event(4), message }]) };
    return found({ object: hpa({ metadata: { managedFields } }), facts }).length;
  };
  expect([at("plimsoll-autoscaler"), at("kube-controller-manager")]).toEqual([0, 1]);
  expect(at("plimsoll-autoscaler", "another plimsoll-autoscaler has written the status once")).toBe(1);
});
