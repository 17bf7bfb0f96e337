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

interface SharedOptions extends Omit<RegistryOptions, "prometheus" | "onRelisted" | "onPublished" | "known"> {
  /** Called when every source has listed the newest rules, or has failed to. */
  readonly onSettled?: () => void;
}

/** For ever with one source: its registry, and nothing around it. */
export function createRegistries(
  options: SharedOptions & { readonly canChangeSources: boolean },
  sources: readonly ListedSource[],
): Registries {
  const [only, ...others] = sources;
  if (only !== undefined && others.length === 0 && !options.canChangeSources) {
    const registry = createRegistry({ ...options, ...only });
    const useSources = (): never => {
      throw new Error("this process's sources can't change");
    };
    return { ...registry, useSources, stateOf: () => registry.state() };
  }
  return combine(options, sources);
}

interface Listing {
  readonly source: ListedSource;
  readonly registry: Registry;
  /** Ends when the newest rules have been listed for the first time, or could not be. */
  readonly attempt: Promise<void>;
}

/** What all listings share, and what they make of it together. */
interface Combined {
  ordered: readonly CompiledRule[];
  newest: CompiledRules;
  /** Of rules that now name another source: what was known of them. It counts until that source has listed them. */
  moved: Findings;
  snapshot: RegistrySnapshot;
  isStarted: boolean;
  listings: ReadonlyMap<string, Listing>;
}

function combine(options: SharedOptions, sources: readonly ListedSource[]): Registries {
  const state: Combined = {
    ordered: rulesOf(options.rules),
    newest: options.rules,
    moved: new Map(),
    snapshot: createSnapshot([]),
    isStarted: false,
    listings: new Map(),
  };
  const registries = (): readonly Registry[] => [...state.listings.values()].map(({ registry }) => registry);
  const publish = (): void => {
    state.snapshot = merge(state, registries());
  };
  const shared = createSharedTelemetry(options.telemetry, () => state.snapshot);
  const useSources = (next: readonly ListedSource[]): void => {
    state.listings = listAll(state, next, (source, former) => {
      const rules = rulesOfSource(state.newest, source.name);
      const known = new Map([...findingsFor(rules, state.moved), ...(former ?? [])]);
      const own = { rules, known, telemetry: shared.of(source.name), onPublished: publish };
      return createRegistry({ ...options, ...source, ...own });
    });
    shared.keep(next);
    publish();
  };
  useSources(sources);
  return {
    findings: () => new Map(registries().flatMap((registry) => [...registry.findings()])),
    snapshot: () => state.snapshot,
    unlisted: () => registries().flatMap((registry) => registry.unlisted()),
    state: () => combinedState(state.listings, state.ordered),
    stateOf: (source) => state.listings.get(source)?.registry.state() ?? removed,
    useSources,
    async start() {
      state.isStarted = true;
      state.listings = withAttempts(state.listings, ({ registry }) => registry.start());
      await allAttempted(state);
    },
    use: (rules) => useRules(state, rules, { publish, onSettled: options.onSettled }),
    stop() {
      for (const registry of registries()) registry.stop();
    },
  };
}

/** A source that is as before keeps its registry; one that has changed begins with what was known of its rules. */
function listAll(
  { listings: before, isStarted }: Combined,
  sources: readonly ListedSource[],
  create: (source: ListedSource, former: Findings | undefined) => Registry,
): ReadonlyMap<string, Listing> {
  const listings = new Map<string, Listing>();
  for (const source of sources) {
    const former = before.get(source.name);
    const isSame = former !== undefined && former.source.prometheus === source.prometheus;
    if (isSame) {
      listings.set(source.name, { ...former, source });
      continue;
    }
    const registry = create(source, former?.registry.findings());
    listings.set(source.name, {
      source,
      registry,
      attempt: isStarted ? registry.start() : Promise.resolve(),
    });
  }
  for (const [name, { registry }] of before) if (listings.get(name)?.registry !== registry) registry.stop();
  return listings;
}

async function useRules(
  state: Combined,
  rules: CompiledRules,
  { publish, onSettled }: { readonly publish: () => void; readonly onSettled: (() => void) | undefined },
): Promise<void> {
  state.moved = movedFindings(state, rules);
  // Rules of a source that has not listed them yet keep the place that they had.
  state.newest = rules;
  state.ordered = [...state.ordered, ...rulesOf(rules)];
  const used: Promise<void>[] = [];
  state.listings = withAttempts(state.listings, ({ source, registry }) => {
    const own = rulesOfSource(rules, source.name);
    const attempt = registry.use(own, findingsFor(own, state.moved)).then(publish);
    if (own.custom.length + own.external.length > 0) used.push(attempt);
    return attempt;
  });
  void allAttempted(state).then(() => {
    if (state.newest !== rules) return undefined;
    state.ordered = rulesOf(rules);
    state.moved = new Map();
    publish();
    return onSettled?.();
  });
  // The first source that has listed its rules puts the new rules into force; the others follow.
  await Promise.any(used.length > 0 ? used : attemptsOf(state)).catch(() => undefined);
}

/** A source that changes ends its listing: the one that follows counts. */
async function allAttempted(state: Combined): Promise<void> {
  const { listings } = state;
  await Promise.allSettled(attemptsOf(state));
  if (state.listings !== listings) await allAttempted(state);
}

function attemptsOf({ listings }: Combined): readonly Promise<void>[] {
  return [...listings.values()].map(({ attempt }) => attempt);
}

function withAttempts(
  listings: ReadonlyMap<string, Listing>,
  begin: (listing: Listing) => Promise<void>,
): ReadonlyMap<string, Listing> {
  return new Map([...listings].map(([name, one]) => [name, { ...one, attempt: begin(one) }]));
}

function movedFindings({ listings, moved }: Combined, rules: CompiledRules): Findings {
  const sources = new Map(rulesOf(rules).map((rule) => [rule.discoveryKey, sourceOf(rule)]));
  const known = [...listings.values()].flatMap(({ registry }) => [...registry.findings()]);
  return new Map(
    [...moved, ...known].filter(([rule]) => {
      const source = sources.get(rule.discoveryKey);
      return source !== undefined && source !== sourceOf(rule);
    }),
  );
}

/** Of what is known, that of rules which find the same as these. */
function findingsFor(rules: CompiledRules, known: Findings): Findings {
  const keys = new Set(rulesOf(rules).map(({ discoveryKey }) => discoveryKey));
  return new Map([...known].filter(([{ discoveryKey }]) => keys.has(discoveryKey)));
}

/** In the order of the file: later rules win over earlier ones, of whichever source. */
function merge({ ordered, moved }: Combined, registries: readonly Registry[]): RegistrySnapshot {
  const findings = new Map([...moved, ...registries.flatMap((registry) => [...registry.findings()])]);
  return createSnapshot(ordered.flatMap((rule) => findings.get(rule) ?? []));
}

const removed: RegistryState = {
  hasResults: false,
  isComplete: false,
  problem: "it is no longer in the configuration",
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
): { of(source: string): EngineTelemetry; keep(sources: readonly ListedSource[]): void } {
  const failed = new Map<string, number>();
  return {
    keep(sources) {
      for (const name of failed.keys())
        if (!sources.some((source) => source.name === name)) failed.delete(name);
    },
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

/** A rule that was not listed yet owns what it may name, or its metrics would be another adapter's until then. */
export function fileOwns(
  registry: Pick<Registry, "snapshot" | "unlisted">,
  { resource, metric }: { readonly resource: string | undefined; readonly metric: string },
): boolean | "unless-matched" {
  const kind = resource === undefined ? "external" : "custom";
  const snapshot = registry.snapshot();
  const known = resource === undefined ? snapshot.external(metric) : snapshot.custom(resource, metric);
  if (known !== undefined) return true;
  const may = registry.unlisted().filter((rule) => rule.kind === kind && rule.possibleNames.has(metric));
  if (may.length === 0) return false;
  return may.every(({ possibleNames }) => possibleNames.isAny) ? "unless-matched" : true;
}
