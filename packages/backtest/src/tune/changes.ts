// What a candidate changes, in words.
import { type ParameterChange, type ParameterName, type Parameters, parameterNames } from "./candidate.ts";

const words: Readonly<Record<ParameterName, { readonly name: string; readonly unit?: string }>> = {
  target: { name: "target" },
  minReplicas: { name: "minReplicas" },
  maxReplicas: { name: "maxReplicas" },
  scaleDownWindow: { name: "scale-down window", unit: " s" },
  scaleUpWindow: { name: "scale-up window", unit: " s" },
  scaleDownPolicies: { name: "scale-down policies" },
  scaleUpPolicies: { name: "scale-up policies" },
  toleranceDown: { name: "tolerance down" },
  toleranceUp: { name: "tolerance up" },
  floor: { name: "seasonal floor" },
};

/** In the order of the parameters. */
export function changesOf(point: Parameters, today: Parameters): readonly ParameterChange[] {
  return parameterNames.flatMap((parameter) => {
    const [from, to] = [today[parameter], point[parameter]];
    return from === undefined || to === undefined || from === to ? [] : [{ parameter, from, to }];
  });
}

/** Such as "target 60 → 70, scale-down window 300 → 180 s". */
export function changesText(changes: readonly ParameterChange[]): string {
  if (changes.length === 0) return "as it is today";
  return changes.map(changeText).join(", ");
}

/** Such as "target 60 → 70". */
export function changeText({ parameter, from, to }: ParameterChange): string {
  const { name, unit = "" } = words[parameter];
  return `${name} ${from} → ${to}${unit}`;
}
