// Common lists of scaling policies by name.
import type { ScalingPolicy } from "@plimsoll/core";
import type { ParameterValue } from "./candidate.ts";

type Named = Readonly<Record<string, readonly ScalingPolicy[]>>;

/** "default" is what the API gives where none are written. */
export const upPolicies: Named = {
  "double-a-minute": [{ type: "Percent", value: 100, periodSeconds: 60 }],
  default: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
  "triple-at-once": [{ type: "Percent", value: 200, periodSeconds: 15 }],
};

export const downPolicies: Named = {
  "tenth-a-minute": [{ type: "Percent", value: 10, periodSeconds: 60 }],
  "half-in-5-minutes": [{ type: "Percent", value: 50, periodSeconds: 300 }],
  default: [{ type: "Percent", value: 100, periodSeconds: 15 }],
};

/** What a list is called; one of its own is "as-today". */
export function policyName(named: Named, policies: readonly ScalingPolicy[] | undefined): ParameterValue {
  if (policies === undefined) return "default";
  const found = Object.entries(named).find(([, own]) => isSame(own, policies));
  return found?.[0] ?? "as-today";
}

function isSame(a: readonly ScalingPolicy[], b: readonly ScalingPolicy[]): boolean {
  return (
    a.length === b.length &&
    a.every(
      ({ type, value, periodSeconds }, at) =>
        type === b[at]?.type && value === b[at]?.value && periodSeconds === b[at]?.periodSeconds,
    )
  );
}
