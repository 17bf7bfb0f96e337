import { type CacheMeter, createObjectIds } from "@plimsoll/component-base";
import { type Planned, planQuery, type QueryScope, type SelectorMatcher } from "@plimsoll/rules";
import { type CanBatch, createCanBatch } from "./batchable.ts";

/** A query without the objects that it is about: prepared once for all requests that differ in their objects only. */
export interface PreparedQuery {
  readonly scope: QueryScope;
  /** Identifies the metric of a rule, for limits on queries. */
  readonly metric: string;
  /** One query for every value of some labels; undefined where its filtered result could differ. */
  readonly batched: BatchedQuery | undefined;
}

export interface BatchedQuery {
  readonly planned: Planned;
  /** The labels whose values are all queried. */
  readonly labels: readonly string[];
  /** The values that are wanted of them; empty where they are the names of objects. */
  readonly matchers: readonly EqualityMatcher[];
}

/** A label that the metric selector confines to some values. */
export interface EqualityMatcher {
  readonly label: string;
  readonly values: readonly string[];
}

/** What a prepared query takes in memory, in bytes. */
export function sizeOfQuery({ scope, batched }: PreparedQuery): number {
  const promql = batched?.planned.ok === true ? batched.planned.plan.promql.length : 0;
  const selector = scope.selector.reduce((bytes, { values }) => bytes + 1_000 + 160 * values.length, 0);
  return 1_000 + selector + 2 * promql;
}

export type PrepareQuery = (scope: QueryScope) => PreparedQuery;

export function createPrepareQuery(meter?: CacheMeter): PrepareQuery {
  const canBatch = createCanBatch(meter);
  const templateIds = createObjectIds();
  return (scope) => ({
    scope,
    metric: `${templateIds(scope.template)} ${scope.series}`,
    batched:
      scope.objectLabel === undefined
        ? forAllValues(scope, canBatch)
        : forAllObjects(scope, scope.objectLabel, canBatch),
  });
}

function forAllObjects(scope: QueryScope, label: string, canBatch: CanBatch): BatchedQuery | undefined {
  if (scope.namespace === undefined || !canBatch(scope, label)) return undefined;
  return { planned: planQuery({ ...scope, names: "any" }), labels: [label], matchers: [] };
}

/** Labels that the selector confines, such as a queue's name: other requests want the same of other queues. */
function forAllValues(scope: QueryScope, canBatch: CanBatch): BatchedQuery | undefined {
  const isEquality = ({ matcher, values }: SelectorMatcher): boolean =>
    (matcher.operator === "=" || matcher.operator === "=~") &&
    // A label that is absent has the empty value, and cannot be found in a result.
    values.every((value) => value !== "") &&
    matcher.label !== scope.namespace?.label &&
    canBatch(scope, matcher.label);
  const equalities = scope.selector.filter(isEquality);
  if (equalities.length === 0) return undefined;
  const selector = scope.selector.map((part) =>
    equalities.includes(part)
      ? { matcher: { label: part.matcher.label, operator: "!=" as const, value: "" }, values: [""] }
      : part,
  );
  // What contradicts the namespace must do so here too: no equality is on its label.
  return {
    planned: planQuery({ ...scope, selector, names: undefined }),
    labels: equalities.map(({ matcher }) => matcher.label),
    matchers: equalities.map(({ matcher, values }) => ({ label: matcher.label, values })),
  };
}
