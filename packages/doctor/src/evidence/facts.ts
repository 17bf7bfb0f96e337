// What rules look at. Every fact may be missing, with the reason why.
import type { Decision, MetricSamples, OtherWriter } from "@plimsoll/core";
import type { Fields } from "@plimsoll/core/internal/values";
import type { Autoscaler } from "./autoscaler.ts";
import type { PastDecision } from "./past-decision.ts";
import type { Reading } from "./reading.ts";

/** The lists of API objects are those of the object's namespace, unless it says otherwise. */
export interface Facts {
  readonly hpas: readonly Autoscaler[];
  readonly wlas: readonly Autoscaler[];
  /** Of KEDA. */
  readonly scaledObjects: readonly Fields[];
  readonly datadogAutoscalers: readonly Fields[];
  readonly deployments: readonly Fields[];
  readonly cronHpas: readonly Fields[];
  /** Of Argo. */
  readonly rollouts: readonly Fields[];
  readonly vpas: readonly Fields[];
  readonly pdbs: readonly Fields[];
  readonly quotas: readonly Fields[];
  /** core/v1 or events.k8s.io/v1. */
  readonly events: readonly Fields[];
  /** Of the cluster. */
  readonly nodes: readonly Fields[];
  /** MetricRules of all that is examined. */
  readonly metricRules: readonly Fields[];
  /** What the recipe book says of them. */
  readonly metricRuleNotes: readonly MetricRuleNote[];
  /** Services of our metrics adapter, such as "plimsoll/metrics-adapter". */
  readonly adapterServices: readonly string[];
  /** What our metrics adapter says in its readiness beside "ok". */
  readonly adapterNotes: readonly AdapterNote[];
  /** Those of the cluster that serve metrics. */
  readonly apiServices: readonly Fields[];
  readonly target: TargetFact;
  readonly scale: ScaleFact;
  /** spec.…subresources.scale.labelSelectorPath of the target's CustomResourceDefinition; undefined: it has none. */
  readonly selectorPath: string | undefined;
  /** Pods that the scale's selector matches. */
  readonly pods: readonly Fields[];
  readonly namespacePods: readonly Fields[];
  /** What the autoscalers of the namespace select, this one included. */
  readonly selections: readonly Selection[];
  /** One for each metric. */
  readonly samples: readonly MetricReading[];
  /** Names that custom.metrics.k8s.io serves, such as "pods/http_requests". */
  readonly customMetrics: readonly string[];
  readonly externalMetrics: readonly string[];
  /** The newest one: of the autoscaler, or computed from what was read. */
  readonly decision: Decision;
  /** Another client that writes the object's status or its target's replicas, as the autoscaler sees it; undefined: none. */
  readonly otherWriter: OtherWriter | undefined;
  /** Decisions of the autoscaler, oldest first. */
  readonly history: readonly PastDecision[];
  /** The adapter's rules, and what they find in Prometheus. */
  readonly adapterRules: readonly AdapterRule[];
  /** What the metrics describe and a gateway serves. */
  readonly fronts: readonly FrontFact[];
  /** The installation of Plimsoll; undefined: there is none. */
  readonly installation: Installation | undefined;
}

export type FactName = keyof Facts;

/** The facts of one object, or of the cluster. */
export type FactReadings = { readonly [K in FactName]: Reading<Facts[K]> };

/** The object that scaleTargetRef names. */
export type TargetFact =
  | { readonly found: true; readonly object: Fields }
  | {
      readonly found: false;
      /** In the words of the API server. */
      readonly message: string;
      /** The server knows no such kind, or not in this group. */
      readonly isUnknownKind: boolean;
      /** What may have been meant: names of the kind, or groups that have it. */
      readonly candidates: readonly string[];
    };

/** The scale subresource of the target. */
export type ScaleFact =
  | {
      readonly found: true;
      readonly specReplicas: number;
      readonly statusReplicas: number;
      /** As text; "" when there is none. */
      readonly selector: string;
    }
  | { readonly found: false; readonly message: string };

/** What one autoscaler of the namespace selects. */
export interface Selection {
  readonly object: Pick<Autoscaler, "kind" | "namespace" | "name" | "target">;
  readonly selector: string;
  /** Names of pods. */
  readonly pods: readonly string[];
}

/** What a metrics API returned for one metric. */
export interface MetricReading {
  readonly samples: MetricSamples;
  /** HTTP status of a failed query. */
  readonly status?: number;
  /** Values that are no usable number, such as "NaN". */
  readonly unusable?: readonly string[];
}

/** What the recipe book says of a MetricRule whose series it knows. */
export interface MetricRuleNote {
  readonly namespace: string;
  readonly name: string;
  /** Each with what to do. */
  readonly mistakes: readonly string[];
  /** Why the query may find no series. */
  readonly whyEmpty: string | undefined;
}

/** A check of the readiness of our metrics adapter that has more to say than "ok". */
export interface AdapterNote {
  /** Such as "plimsoll/metrics-adapter". */
  readonly service: string;
  /** Such as "backends". */
  readonly check: string;
  readonly text: string;
}

/** A rule of the adapter, and what it finds. */
export interface AdapterRule {
  /** Such as "rules[3]". */
  readonly path: string;
  readonly seriesQuery: string;
  /** Names of the metrics that it gives. */
  readonly metrics: readonly string[];
  /** The same as discovery lists them, such as "pods/http_requests"; external metrics by their names. */
  readonly listed: readonly string[];
  /** Metrics that a later rule gives too, and the path of that rule. */
  readonly shadowed: readonly { readonly metric: string; readonly by: string }[];
  /** Why the rule could not be evaluated. */
  readonly problem: string | undefined;
  /** Range vectors of the query, such as "[1m]", in milliseconds. */
  readonly rangesMs: readonly number[];
  /** Of the series that it finds; undefined when it is unknown. */
  readonly scrapeIntervalMs: number | undefined;
  /** How long the series of a rule that finds none have been without samples; undefined when it is unknown. */
  readonly silentMs: number | undefined;
  /** Labels of the series that it finds. */
  readonly labels: readonly string[];
  /** What it does and probably should not, each with what to do. */
  readonly warnings: readonly string[];
  /** Its query passes no matchers on: a selector of the metric has no effect. */
  readonly ignoresSelector: boolean;
  /** It reads series of the request's own namespace only. */
  readonly isNamespaced: boolean;
  /** The query gives values without the label of the object. */
  readonly lacksLabel: boolean;
}

/** An Ingress, an HTTPRoute, a Gateway, or a Service behind one that a metric describes, and where its metric comes from. */
export interface FrontFact {
  /** Position in spec.metrics. */
  readonly index: number;
  /** Such as "Ingress". */
  readonly kind: string;
  readonly name: string;
  /** Its classes with their controllers, such as "traefik (traefik.io/ingress-controller)". */
  readonly classes: readonly string[];
  /** Sources that serve it, such as "Traefik"; none: they are not known. */
  readonly servedBy: readonly string[];
  /** The rule that the metric comes from, such as "rules[3]" or "MetricRule pay/requests". */
  readonly rule: string;
  /** Sources that may have the rule's series; none: they are not known. */
  readonly sources: readonly string[];
}

/** What runs of Plimsoll in the cluster. */
export interface Installation {
  /** Leases of the autoscaler. */
  readonly leases: readonly Fields[];
  /** Fields of the specification that the installed CustomResourceDefinition does not have and this program does. */
  readonly missingFields: readonly string[];
  /** Time of the newest decision, and how often decisions are made; undefined when there is no endpoint. */
  readonly newestDecision: { readonly atMs: number; readonly periodMs: number } | undefined;
}

/** One object with what is known about it. */
export interface ObjectEvidence {
  readonly object: Autoscaler;
  readonly facts: FactReadings;
}

/** Everything that is examined at once. */
export interface Evidence {
  readonly nowMs: number;
  readonly objects: readonly ObjectEvidence[];
  /** For the rules that are about the cluster. */
  readonly cluster: FactReadings;
}
