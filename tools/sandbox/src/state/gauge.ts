// Gauges as kube-state-metrics writes them.
import type { FamilyCollector } from "../load/family.ts";
import type { StoredMetadata } from "../storage/stored-object.ts";

export type StateLabels = Readonly<Record<string, string>>;

/** Adds one value; one that is absent has no series. */
export type AddGauge = (name: string, value: number | undefined, more?: StateLabels) => void;

/** Gauges of one object: `label` has its name. */
export function gaugesOf(
  { name, namespace = "" }: StoredMetadata,
  label: string,
  {
    out,
    prefix,
    own = {},
  }: { readonly out: FamilyCollector; readonly prefix: string; readonly own?: StateLabels },
): AddGauge {
  return (family, value, more = {}) => {
    if (value === undefined || Number.isNaN(value)) return;
    const full = `${prefix}${family}`;
    out.add(
      { name: full, type: "gauge", help: `As kube-state-metrics has ${full}.` },
      { namespace, [label]: name, ...own, ...more },
      value,
    );
  };
}

/** One series for each status that a condition may have. */
export function conditionGauges(add: (value: number, status: string) => void, given: string): void {
  for (const status of ["true", "false", "unknown"]) add(given.toLowerCase() === status ? 1 : 0, status);
}

/** Seconds since 1970 of an instant of the API. */
export function secondsOf(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : Date.parse(instant) / 1000;
}
