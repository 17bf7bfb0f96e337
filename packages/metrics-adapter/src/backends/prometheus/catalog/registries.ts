// One registry for each source, so that a source which is slow or away delays no metric of another.
import type { PrometheusClient } from "@plimsoll/prometheus";
import {
  type CompiledRule,
  type CompiledRules,
  createSnapshot,
  type RegistrySnapshot,
  sourceOf,
} from "@plimsoll/rules";
import type { EngineTelemetry } from "../../../telemetry/prometheus.ts";
import {
  createRegistry,
  type Findings,
  type Registry,
  type RegistryOptions,
  type RegistryState,
} from "./registry.ts";

/** A source that series are listed from. */
export interface ListedSource {
  readonly name: string;
  readonly prometheus: PrometheusClient;
  readonly onRelisted?: (signal: AbortSignal) => Promise<void>;
}

/** All registries as one, and how each of them is. */
export interface Registries extends Registry {
  stateOf(source: string): RegistryState;
  /** Other sources from now on. What was known of the rules of one that has changed stays until they are listed. */
  useSources(sources: readonly ListedSource[]): void;
}

type SharedOptions = Omit<RegistryOptions, "prometheus" | "onRelisted" | "onPublished" | "known">;

/** For ever with one source: its registry, and nothing around it. */
export function createRegistries(
  options: SharedOptions & { readonly canChangeSources: boolean },
  sources: readonly ListedSource[],
): Registries {
  const [only, ...others] = sources;
  if (only !== undefined && others.length === 0 && !options.canChangeSources) {
    const registry = createRegistry({ ...options, ...only });
    const useSources = (): never => {
      throw new Error("the sources of this process are fixed");
    };
    return { ...registry, useSources, stateOf: () => registry.state() };
  }
  return combine(options, sources);
}

interface Listing {
  readonly source: ListedSource;
  readonly registry: Registry;
}

function combine(options: SharedOptions, sources: readonly ListedSource[]): Registries {
  let ordered = rulesOf(options.rules);
  let newest = options.rules;
  let snapshot = createSnapshot([]);
  let isStarted = false;
  let listings: ReadonlyMap<string, Listing> = new Map();
  const registries = (): readonly Registry[] => [...listings.values()].map(({ registry }) => registry);
  const publish = (): void => {
    snapshot = merge(ordered, registries());
  };
  const shared = createSharedTelemetry(options.telemetry, () => snapshot);
  const open = (source: ListedSource, known: Findings | undefined): Listing => {
    const rules = rulesOfSource(newest, source.name);
    const own = { rules, known, telemetry: shared.of(source.name), onPublished: publish };
    const registry = createRegistry({ ...options, ...source, ...own });
    if (isStarted) registry.start();
    return { source, registry };
  };
  const useSources = (next: readonly ListedSource[]): void => {
    const before = listings;
    const opened = new Map<string, Listing>();
    for (const source of next) {
      const former = before.get(source.name);
      const isSame = former?.source.prometheus === source.prometheus;
      if (former !== undefined && !isSame) former.registry.stop();
      opened.set(
        source.name,
        former !== undefined && isSame ? former : open(source, former?.registry.findings()),
      );
    }
    for (const [name, { registry }] of before) {
      if (opened.has(name)) continue;
      registry.stop();
      shared.forget(name);
    }
    listings = opened;
    publish();
  };
  useSources(sources);
  return {
    findings: () => new Map(registries().flatMap((registry) => [...registry.findings()])),
    snapshot: () => snapshot,
    state: () => combinedState(listings, ordered),
    stateOf: (source) =>
      listings.get(source)?.registry.state() ?? { hasResults: false, isComplete: false, problem: undefined },
    useSources,
    start() {
      isStarted = true;
      for (const registry of registries()) registry.start();
    },
    async use(rules) {
      // Rules of a source that has not listed them yet keep the place that they had.
      newest = rules;
      ordered = [...ordered, ...rulesOf(rules)];
      const used = [...listings].map(async ([name, { registry }]) => {
        const own = rulesOfSource(rules, name);
        await registry.use(own);
        publish();
        if (own.custom.length + own.external.length === 0) throw new NoRules();
      });
      // The first source that has listed its rules puts the new rules into force; the others follow.
      await Promise.any(used).catch(() => undefined);
      void Promise.allSettled(used).then(() => {
        if (newest !== rules) return undefined;
        ordered = rulesOf(rules);
        return publish();
      });
    },
    stop() {
      for (const registry of registries()) registry.stop();
    },
  };
}

/** A source without rules says nothing about whether the new ones are in force. */
class NoRules extends Error {}

/** In the order of the file: later rules win over earlier ones, of whichever source. */
function merge(ordered: readonly CompiledRule[], registries: readonly Registry[]): RegistrySnapshot {
  const findings = new Map(registries.flatMap((registry) => [...registry.findings()]));
  return createSnapshot(ordered.flatMap((rule) => findings.get(rule) ?? []));
}

const removed: RegistryState = {
  hasResults: false,
  isComplete: false,
  problem: "it is not in the configuration any more",
};

function combinedState(
  listings: ReadonlyMap<string, Listing>,
  rules: readonly CompiledRule[],
): RegistryState {
  // One that is gone is there as long as the rules in force need it: what is not listed may exist then.
  const states = [...new Set(rules.map(sourceOf))].map((name) => ({
    name,
    ...(listings.get(name)?.registry.state() ?? removed),
  }));
  const problems = states.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`source ${name}: ${problem}`],
  );
  return {
    hasResults: states.length === 0 || states.some(({ hasResults }) => hasResults),
    isComplete: states.every(({ isComplete }) => isComplete),
    problem: problems.length === 0 ? undefined : problems.join("; "),
  };
}

/** Each source relists for itself: the metrics of relists are sums. */
function createSharedTelemetry(
  telemetry: EngineTelemetry,
  snapshot: () => RegistrySnapshot,
): { of(source: string): EngineTelemetry; forget(source: string): void } {
  const failed = new Map<string, number>();
  return {
    forget: (source) => void failed.delete(source),
    of: (source) => ({
      ...telemetry,
      relisted({ failedRules, atMs }) {
        failed.set(source, failedRules);
        const { infos, externalNames } = snapshot();
        const sum = [...failed.values()].reduce((all, one) => all + one, 0);
        telemetry.relisted({ failedRules: sum, series: infos.length + externalNames.length, atMs });
      },
    }),
  };
}

function rulesOf(rules: CompiledRules): readonly CompiledRule[] {
  return [...rules.custom, ...rules.external];
}

function rulesOfSource(rules: CompiledRules, source: string): CompiledRules {
  const isOwn = (rule: CompiledRule): boolean => sourceOf(rule) === source;
  return { ...rules, custom: rules.custom.filter(isOwn), external: rules.external.filter(isOwn) };
}
