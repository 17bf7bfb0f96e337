// The table of built-in resources.
import { builtinSchema } from "../patch/merge-schema.ts";
import type { ApiObject } from "../storage/api-object.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import {
  apiServiceStrategy,
  bindingStrategy,
  budgetStrategy,
  eventStrategy,
  ingressStrategy,
  namespaceStrategy,
  nodeStrategy,
  secretStrategy,
  serviceStrategy,
} from "./core-strategies.ts";
import { crdStrategy } from "./crd-strategy.ts";
import {
  type Conversion,
  identityConversion,
  plainStrategy,
  type ResourceDefinition,
  standardVerbs,
} from "./definition.ts";
import { hpaStrategy, hpaV1Conversion } from "./hpa-strategy.ts";
import { builtinScale } from "./scale-object.ts";
import {
  deploymentStrategy,
  podStrategy,
  replicaSetStrategy,
  replicationControllerStrategy,
  statefulSetStrategy,
} from "./workload-strategies.ts";

// Events are stored as core/v1; events.k8s.io/v1 has the same fields under other names.
const coreToNew: Readonly<Record<string, string>> = {
  involvedObject: "regarding",
  message: "note",
  reportingComponent: "reportingController",
  source: "deprecatedSource",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  count: "deprecatedCount",
};
const newToCore: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(coreToNew).map(([core, renamed]) => [renamed, core]),
);

const eventConversion: Conversion = {
  toStored: (object) => ({ ...renamed(object, newToCore), apiVersion: "v1" }) as ApiObject,
  fromStored: (object) => ({ ...renamed(object, coreToNew), apiVersion: "events.k8s.io/v1" }),
};

function renamed(object: StoredObject, names: Readonly<Record<string, string>>): StoredObject {
  const entries = Object.entries(object).map(([key, value]) => [names[key] ?? key, value] as const);
  return Object.fromEntries(entries) as unknown as StoredObject;
}

type Extra = Partial<Omit<ResourceDefinition, "group" | "version" | "resource" | "kind">>;

function define(groupVersion: string, kind: string, resource: string, extra: Extra = {}): ResourceDefinition {
  const [first = "", second] = groupVersion.split("/");
  const group = second === undefined ? "" : first;
  return {
    group,
    version: second ?? first,
    resource,
    kind,
    singular: kind.toLowerCase(),
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: standardVerbs,
    storage: group === "" ? resource : `${resource}.${group}`,
    hasStatus: false,
    scale: undefined,
    extras: [],
    schema: builtinSchema,
    strategicMerge: true,
    strategy: plainStrategy,
    conversion: identityConversion,
    custom: undefined,
    ...extra,
  };
}

const all = ["all"];
const cluster = { namespaced: false };
const rbac = "rbac.authorization.k8s.io/v1";
const replicationScale = {
  ...builtinScale,
  selector: { kind: "map", path: ["spec", "selector"] },
} as const;

/** Every stored built-in kind in every served version; the first version of a group is its preferred one. */
export const builtinResources: readonly ResourceDefinition[] = [
  define("v1", "Namespace", "namespaces", {
    ...cluster,
    shortNames: ["ns"],
    verbs: standardVerbs.filter((verb) => verb !== "deletecollection"),
    hasStatus: true,
    strategy: namespaceStrategy,
  }),
  define("v1", "Pod", "pods", {
    shortNames: ["po"],
    categories: all,
    hasStatus: true,
    strategy: podStrategy,
    extras: [{ name: "log", group: "", version: "v1", kind: "Pod", verbs: ["get"] }],
  }),
  define("v1", "Service", "services", {
    shortNames: ["svc"],
    categories: all,
    hasStatus: true,
    strategy: serviceStrategy,
  }),
  define("v1", "Endpoints", "endpoints", { shortNames: ["ep"] }),
  define("v1", "Node", "nodes", { ...cluster, shortNames: ["no"], hasStatus: true, strategy: nodeStrategy }),
  define("v1", "Secret", "secrets", { strategy: secretStrategy }),
  define("v1", "ServiceAccount", "serviceaccounts", {
    shortNames: ["sa"],
    extras: [
      {
        name: "token",
        group: "authentication.k8s.io",
        version: "v1",
        kind: "TokenRequest",
        verbs: ["create"],
      },
    ],
  }),
  define("v1", "ConfigMap", "configmaps", { shortNames: ["cm"] }),
  define("v1", "Event", "events", { shortNames: ["ev"], strategy: eventStrategy }),
  define("v1", "ReplicationController", "replicationcontrollers", {
    shortNames: ["rc"],
    categories: all,
    hasStatus: true,
    scale: replicationScale,
    strategy: replicationControllerStrategy,
  }),
  define("apps/v1", "Deployment", "deployments", {
    shortNames: ["deploy"],
    categories: all,
    hasStatus: true,
    scale: builtinScale,
    strategy: deploymentStrategy,
  }),
  define("apps/v1", "ReplicaSet", "replicasets", {
    shortNames: ["rs"],
    categories: all,
    hasStatus: true,
    scale: builtinScale,
    strategy: replicaSetStrategy,
  }),
  define("apps/v1", "StatefulSet", "statefulsets", {
    shortNames: ["sts"],
    categories: all,
    hasStatus: true,
    scale: builtinScale,
    strategy: statefulSetStrategy,
  }),
  define("apps/v1", "ControllerRevision", "controllerrevisions"),
  define("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    shortNames: ["hpa"],
    categories: all,
    hasStatus: true,
    strategy: hpaStrategy,
  }),
  define("autoscaling/v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    shortNames: ["hpa"],
    categories: all,
    hasStatus: true,
    strategy: hpaStrategy,
    conversion: hpaV1Conversion,
  }),
  define("networking.k8s.io/v1", "Ingress", "ingresses", {
    shortNames: ["ing"],
    hasStatus: true,
    strategy: ingressStrategy,
  }),
  define("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", {
    shortNames: ["pdb"],
    hasStatus: true,
    strategy: budgetStrategy,
  }),
  define("discovery.k8s.io/v1", "EndpointSlice", "endpointslices"),
  define("events.k8s.io/v1", "Event", "events", {
    shortNames: ["ev"],
    storage: "events",
    strategy: eventStrategy,
    conversion: eventConversion,
  }),
  define("coordination.k8s.io/v1", "Lease", "leases"),
  define(rbac, "Role", "roles"),
  define(rbac, "RoleBinding", "rolebindings", { strategy: bindingStrategy }),
  define(rbac, "ClusterRole", "clusterroles", cluster),
  define(rbac, "ClusterRoleBinding", "clusterrolebindings", { ...cluster, strategy: bindingStrategy }),
  define("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", {
    ...cluster,
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    hasStatus: true,
    strategy: crdStrategy,
  }),
  define("apiregistration.k8s.io/v1", "APIService", "apiservices", {
    ...cluster,
    categories: ["api-extensions"],
    hasStatus: true,
    strategy: apiServiceStrategy,
  }),
];
