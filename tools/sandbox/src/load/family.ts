// Metric families in the exposition format.

/** One value of a metric. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with all its series, as one scrape reports it. */
export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Collects samples into families, in the order in which the names came up. */
export interface FamilyCollector {
  add(family: Omit<Family, "samples">, labels: Readonly<Record<string, string>>, value: number): void;
  families(): readonly Family[];
}

export function createFamilyCollector(): FamilyCollector {
  const byName = new Map<string, Family & { readonly samples: Sample[] }>();
  return {
    add(family, labels, value) {
      let found = byName.get(family.name);
      if (found === undefined) byName.set(family.name, (found = { ...family, samples: [] }));
      found.samples.push({ labels, value });
    },
    families: () => [...byName.values()],
  };
}
