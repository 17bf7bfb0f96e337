// Rules about targets, and about who else writes their replicas.
import type { Fields } from "@plimsoll/core/internal/values";
import { known } from "../../src/index.ts";
import { ago, argocd, autoscaler, deployment, hpa, pod, podsOf, wla } from "../world.ts";
import { type Case, event, facts, no, rescale, scaledObject, targetOf } from "./case.ts";

const aboutTarget = { kind: "Deployment", name: "shop" };
const owned = (manager: string, operation: string, subresource = "") => ({
  manager,
  operation,
  subresource,
  time: ago(20),
  fieldsV1: { "f:spec": { "f:replicas": {} } },
});
const resets = event(aboutTarget, "ScalingReplicaSet", "Scaled down replica set shop-5d89 from 8 to 2", {
  count: 3,
  firstTimestamp: ago(25),
});
const rolloutTarget = { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "shop" };
const rollout = (scaleDown?: string, phase = "Healthy"): Fields => ({
  kind: "Rollout",
  metadata: { name: "shop", namespace: "default" },
  spec: { workloadRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop", scaleDown } },
  status: { phase },
});
const onRollout = hpa({ spec: { scaleTargetRef: rolloutTarget } });
const vpa = (updateMode: string, controlledResources?: readonly string[]): Fields => ({
  metadata: { name: "shop" },
  spec: {
    targetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
    updatePolicy: { updateMode },
    ...(controlledResources === undefined
      ? {}
      : { resourcePolicy: { containerPolicies: [{ containerName: "*", controlledResources }] } }),
  },
});
const selection = (name: string, pods: readonly string[], targetName = name) => ({
  object: autoscaler(
    hpa({ name, spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: targetName } } }),
  ),
  selector: "tier=web",
  pods,
});

export const targets: Readonly<Record<string, Case>> = {
  "PL-001": {
    positive: facts({ hpas: known([autoscaler(hpa()), autoscaler(hpa({ name: "shop-2" }))]) }),
    says: ["default/shop scales Deployment/shop", "default/shop-2 scales Deployment/shop"],
    negative: facts({
      hpas: known([
        autoscaler(hpa()),
        autoscaler(hpa({ name: "cart", spec: { scaleTargetRef: { kind: "Deployment", name: "cart" } } })),
      ]),
    }),
    unreadable: facts({ hpas: no }),
  },
  "PL-002": {
    positive: facts({
      selections: known([selection("shop", ["shop-5d89-0"]), selection("web", ["shop-5d89-0", "web-1"])]),
    }),
    says: ["default/web selects tier=web", "1 pod of both: shop-5d89-0"],
    negative: facts({ selections: known([selection("shop", ["shop-5d89-0"]), selection("web", ["web-1"])]) }),
    unreadable: facts({ selections: no }),
  },
  "PL-003": {
    positive: facts({ scaledObjects: known([{ ...scaledObject(), status: {} }]) }),
    says: ["a ScaledObject scales the same target", "ScaledObject shop scales Deployment/shop"],
    negative: facts({
      scaledObjects: known([scaledObject()]),
      wlas: known([autoscaler(wla({ spec: { mode: "Shadow" } }))]),
    }),
    unreadable: facts({ scaledObjects: no }),
  },
  "PL-004": {
    positive: facts({
      cronHpas: known([
        {
          metadata: { name: "night" },
          spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" } },
        },
      ]),
    }),
    says: ["CronHorizontalPodAutoscaler night scales Deployment/shop"],
    negative: facts({
      cronHpas: known([
        {
          metadata: { name: "night" },
          spec: { scaleTargetRef: { kind: "HorizontalPodAutoscaler", name: "shop" } },
        },
      ]),
    }),
    unreadable: facts({ cronHpas: no }),
  },
  "PL-005": {
    positive: facts({ otherWriter: known(argocd) }),
    says: [
      "another client sets the replicas back",
      "argocd-controller has changed the replicas back 14 times since",
      "The autoscaler writes them again at",
    ],
    negative: facts({ otherWriter: known({ ...argocd, count: 1 }) }),
    unreadable: facts({ otherWriter: no, events: no }),
  },
  "PL-006": {
    positive: facts({
      target: targetOf(
        deployment({
          metadata: {
            annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"spec":{"replicas":0}}' },
          },
        }),
      ),
    }),
    says: ["the manifest has replicas: 0, which stops the autoscaler at each apply"],
    negative: facts({
      target: targetOf(
        deployment({
          metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"spec":{}}' } },
        }),
      ),
    }),
    unreadable: facts({ target: no }),
  },
  "PL-007": {
    positive: facts({
      target: targetOf(deployment({ metadata: { managedFields: [owned("argocd-controller", "Apply")] } })),
      events: known([rescale(8, 20, "cpu above target"), resets]),
    }),
    says: ["argocd-controller (Apply) owns .spec.replicas", "it changed 8 -> 2 at 09:35, …, 09:50 (3 times)"],
    negative: facts({
      target: targetOf(
        deployment({
          metadata: {
            managedFields: [
              owned("kube-controller-manager", "Update", "scale"),
              owned("kubectl-create", "Update"),
            ],
          },
        }),
      ),
      events: known([rescale(2, 20), { ...resets, count: 1 }]),
    }),
    unreadable: facts({ target: no }),
  },
  "PL-008": {
    positive: facts({ rollouts: known([rollout()]), target: targetOf(rollout()) }, onRollout),
    says: ["Deployment shop has replicas: 3", "Rollout shop has scaleDown: never"],
    negative: facts(
      { rollouts: known([rollout("progressively", "Progressing")]), target: targetOf(rollout()) },
      onRollout,
    ),
    unreadable: facts({ rollouts: no }),
  },
  "PL-009": {
    positive: facts({ vpas: known([vpa("Recreate")]) }),
    says: [
      "VerticalPodAutoscaler shop (Recreate) sets requests of cpu",
      "default/shop scales by the utilization of cpu",
    ],
    negative: facts({ vpas: known([vpa("Off"), vpa("Recreate", ["memory"])]) }),
    unreadable: facts({ vpas: no }),
  },
  "PL-010": {
    positive: facts({
      target: known({
        found: false,
        message: 'deployments.apps "shop" not found',
        isUnknownKind: false,
        candidates: ["Deployment/shop2"],
      }),
      scale: no,
    }),
    says: [
      "the target does not exist",
      'Deployment/shop deployments.apps "shop" not found',
      "there is Deployment/shop2",
    ],
    negative: facts({}),
    unreadable: facts({ target: no }),
  },
  "PL-011": {
    positive: facts({
      scale: known({ found: true, specReplicas: 3, statusReplicas: 3, selector: "" }),
      selectorPath: known(""),
    }),
    says: ["the target's scale has no selector", "labelSelectorPath is not set"],
    negative: facts({
      scale: known({ found: true, specReplicas: 3, statusReplicas: 3, selector: "a in (b,c)" }),
    }),
    unreadable: facts({ scale: no }),
  },
  "PL-012": {
    positive: facts({
      pods: known([...podsOf(3), pod(9, { owner: { kind: "Job", name: "backup", controller: true } })]),
    }),
    says: ["Job/backup owns 1 pod: shop-5d89-9"],
    negative: facts({
      pods: known([
        ...podsOf(3),
        pod(9, {
          labels: { "pod-template-hash": "77aa" },
          owner: { kind: "ReplicaSet", name: "shop-77aa", controller: true },
        }),
      ]),
    }),
    unreadable: facts({ pods: no }),
  },
  "PL-013": {
    positive: facts({
      scale: known({ found: true, specReplicas: 0, statusReplicas: 0, selector: "app=shop" }),
      target: targetOf(deployment({ metadata: { managedFields: [owned("kubectl", "Update", "scale")] } })),
    }),
    says: ["spec.replicas 0", "kubectl (Update) set it at 09:40"],
    negative: facts(
      { scale: known({ found: true, specReplicas: 0, statusReplicas: 0, selector: "app=shop" }) },
      hpa({ spec: { minReplicas: 0 } }),
    ),
    unreadable: facts({ scale: no }),
  },
};
