// Injects faults into exported series.
import type { Family, Sample } from "./family.ts";

/** What goes wrong with the series that match. */
export interface SeriesFault {
  readonly metric: string;
  /** Labels that must be equal; none means every series of the metric. */
  readonly labels?: Readonly<Record<string, string>>;
  /** NaN instead of the value, no series at all, or the value of the moment when it began. */
  readonly kind: "nan" | "drop" | "freeze";
}

export interface SeriesFaults {
  /** Begins a fault; `now` is what would be reported at this moment. Returns what ends it. */
  begin(fault: SeriesFault, now: readonly Family[]): () => void;
  apply(families: readonly Family[]): readonly Family[];
}

interface ActiveFault {
  readonly fault: SeriesFault;
  readonly frozen: Map<string, number>;
}

export function createSeriesFaults(): SeriesFaults {
  const active = new Set<ActiveFault>();
  return {
    begin(fault, now) {
      const one: ActiveFault = { fault, frozen: new Map() };
      applyOne(one, now);
      active.add(one);
      return () => active.delete(one);
    },
    apply(families) {
      let result = families;
      for (const one of active) result = applyOne(one, result);
      return result;
    },
  };
}

function applyOne({ fault, frozen }: ActiveFault, families: readonly Family[]): readonly Family[] {
  return families.map((family) =>
    family.name === fault.metric
      ? { ...family, samples: family.samples.flatMap((sample) => faulty(fault, frozen, sample)) }
      : family,
  );
}

function faulty(fault: SeriesFault, frozen: Map<string, number>, sample: Sample): readonly Sample[] {
  const matches = Object.entries(fault.labels ?? {}).every(([name, value]) => sample.labels[name] === value);
  if (!matches) return [sample];
  if (fault.kind === "drop") return [];
  if (fault.kind === "nan") return [{ labels: sample.labels, value: Number.NaN }];
  const key = JSON.stringify(sample.labels);
  const value = frozen.get(key) ?? sample.value;
  frozen.set(key, value);
  return [{ labels: sample.labels, value }];
}
