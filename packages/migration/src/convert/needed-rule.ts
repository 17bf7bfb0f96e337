// An external metric that a converted object reads, and the rule that it needs.

/** A rule of metrics-adapter's file: one PromQL query, the same for all namespaces. */
export interface NeededRule {
  /** Of the external metric; unique among all objects. */
  readonly metric: string;
  readonly promql: string;
  /** Undefined: the server that the adapter has anyway. */
  readonly server: NeededServer | undefined;
}

/** The server that a query is for. */
export type NeededServer =
  | {
      readonly kind: "address";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly timeout: string | undefined;
      readonly isUnverified: boolean;
      /** Of AWS, whose signatures the source makes. */
      readonly awsRegion?: string | undefined;
      /** What distinguishes the credentials and parameters that are left out; never written. */
      readonly credentials?: string;
    }
  /** Known by its name only. */
  | { readonly kind: "name"; readonly name: string };

/** Names of metrics are this long at most. */
export const maxMetricName = 253;

/** Longer queries are refused. */
export const maxPromql = 16_384;

/**
 * The name of the metric of one query. A namespace has no dot in it, so that names of different objects differ; without a
 * namespace they are those of objects that are applied to one.
 */
export function metricNameOf(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  query: string,
): string {
  return [namespace, name, query].filter((part) => part !== "").join(".");
}
