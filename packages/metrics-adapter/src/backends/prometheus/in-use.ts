// The rules and the sources in use, and the providers that they give.
import { type CompiledRules, sourceOf } from "@plimsoll/rules";
import type { MetricRules } from "../metric-rules/metric-rules.ts";
import type { Registries } from "./catalog/registries.ts";
import type { Runners } from "./query/runners.ts";
import type { SourceSet, Sources } from "./source-set.ts";

export interface InUseParts<P> {
  readonly sources: SourceSet;
  readonly runners: Runners;
  readonly registry: Registries;
  readonly metricRules: MetricRules | undefined;
  readonly providersFor: (rules: CompiledRules) => P;
}

export interface InUse<P> {
  providers(): P;
  /** The newest, which may not be listed yet. */
  rules(): CompiledRules;
  /** The providers change when their metrics have been listed. */
  useRules(rules: CompiledRules): Promise<void>;
  useSources(sources: Sources): void;
  /** Drops the sources that only former rules name. */
  dropSources(): void;
}

export function createInUse<P>(first: CompiledRules, parts: InUseParts<P>): InUse<P> {
  const { sources, runners, registry, metricRules, providersFor } = parts;
  let wanted = first;
  // Former rules are served until every source has listed the newest ones.
  let needed: ReadonlySet<string> = sourcesOf(first);
  let providers = providersFor(wanted);
  const apply = (): void => {
    runners.use(sources.current());
    registry.useSources(sources.current());
    metricRules?.sourcesChanged();
    providers = providersFor(wanted);
  };
  return {
    providers: () => providers,
    rules: () => wanted,
    async useRules(rules) {
      wanted = rules;
      needed = new Set([...needed, ...sourcesOf(rules)]);
      await registry.use(rules);
      // Newer rules may have come in the meantime; theirs are the providers then.
      if (wanted === rules) providers = providersFor(rules);
    },
    useSources(next) {
      sources.use(next, needed);
      apply();
    },
    dropSources() {
      needed = sourcesOf(wanted);
      if (sources.drop(needed)) apply();
    },
  };
}

function sourcesOf({ custom, external, resource }: CompiledRules): ReadonlySet<string> {
  return new Set([...custom, ...external, ...(resource === undefined ? [] : [resource])].map(sourceOf));
}
