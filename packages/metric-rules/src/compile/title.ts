// How a rule is named in messages.
import { queryOwner } from "@plimsoll/core/queries";
import type { CompiledRule } from "./compiled.ts";

/** `MetricRule shop/packets`, or `WorkloadAutoscaler shop/web` for a query that an object brings along. */
export function titleOf({ namespace, name }: Pick<CompiledRule, "namespace" | "name">): string {
  const owner = queryOwner(name);
  return owner === undefined ? `MetricRule ${namespace}/${name}` : `WorkloadAutoscaler ${namespace}/${owner}`;
}
