// The compiled form of a rules file.
import type { LiveSource } from "@plimsoll/core/queries";
import type { LabelTemplate, QueryTemplate } from "@plimsoll/prometheus";
import type { MetricName, PossibleNames } from "../naming/metric-name.ts";

/** A rules file, read and checked. */
export interface CompiledRules {
  /** The file that they come from, for messages. */
  readonly source: string;
  /** custom.metrics.k8s.io is served when there are any. */
  readonly custom: readonly CompiledRule[];
  /** external.metrics.k8s.io is served when there are any. */
  readonly external: readonly CompiledRule[];
  /** metrics.k8s.io is served when present. */
  readonly resource: CompiledResourceRules | undefined;
  /** Where the file names sources, for checks against those that there are. */
  readonly sourceUses: readonly SourceUse[];
}

/** A place of the file that names a source. */
export interface SourceUse {
  readonly name: string;
  readonly kind: "custom" | "external" | "resource";
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** One rule of rules or externalRules, read and checked. */
export interface CompiledRule {
  /** The rule's position in its file: "rules[3]". */
  readonly path: string;
  readonly kind: "custom" | "external";
  /** The name of the source that it is about; undefined: the default. */
  readonly source: string | undefined;
  /** All that decides what the rule finds: rules with the same key find the same, whatever their query. */
  readonly discoveryKey: string;
  /** The selector of the series that the rule is about; a rule without one finds nothing. */
  readonly seriesQuery: string | undefined;
  /** Whether a series of that name is one of the rule's. */
  readonly accepts: (series: string) => boolean;
  readonly metricName: MetricName;
  readonly possibleNames: PossibleNames;
  readonly resources: CompiledResources;
  /** Whether requests are confined to their namespace. Always so for custom metrics. */
  readonly namespaced: boolean;
  /** Undefined when the rule has no query, so that its metrics are listed and cannot be read. */
  readonly metricsQuery: QueryTemplate | undefined;
  /** Undefined: a Prometheus is queried. */
  readonly live: RuleLive | undefined;
}

/** Pods that are scraped for a rule. */
export interface RuleLive extends LiveSource {
  /** Of the pods. */
  readonly namespace: string;
  /** Has the token that every request sends. */
  readonly tokenFile: string | undefined;
  /** Undefined: as the flag says. */
  readonly insecureSkipVerify: boolean | undefined;
}

/** Which labels name which Kubernetes resources. */
export interface CompiledResources {
  /** In the order of the file. */
  readonly overrides: readonly LabelOverride[];
  readonly template: LabelTemplate | undefined;
}

/** A label of series that names a resource, as an override of the file says. */
export interface LabelOverride {
  readonly label: string;
  /** As written: singular or plural, group possibly empty. */
  readonly group: string;
  readonly resource: string;
}

/** resourceRules of a file: how metrics.k8s.io reads usage. */
export interface CompiledResourceRules {
  /** The name of the source of all its queries; undefined: the default. */
  readonly source: string | undefined;
  readonly cpu: CompiledResourceRule;
  readonly memory: CompiledResourceRule;
  readonly windowMs: number;
}

/** The queries of one resource, cpu or memory; undefined where the file has none. */
export interface CompiledResourceRule {
  readonly path: string;
  readonly containerQuery: QueryTemplate | undefined;
  readonly nodeQuery: QueryTemplate | undefined;
  readonly resources: CompiledResources;
  readonly containerLabel: string;
}
