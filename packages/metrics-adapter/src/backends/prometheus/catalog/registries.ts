// One registry for each source, so that a source which is slow or away delays no metric of another.
import type { PrometheusClient } from "@plimsoll/prometheus";
import {
  type CompiledRule,
  type CompiledRules,
  createSnapshot,
  defaultSource,
  type RegistrySnapshot,
  sourceOf,
} from "@plimsoll/rules";
import type { EngineTelemetry } from "../../../telemetry/prometheus.ts";
import { createRegistry, type Registry, type RegistryOptions, type RegistryState } from "./registry.ts";

/** A source that series are listed from. */
export interface ListedSource {
  readonly name: string;
  readonly prometheus: PrometheusClient;
  readonly onRelisted?: (signal: AbortSignal) => Promise<void>;
}

/** All registries as one, and how each of them is. */
export interface Registries extends Registry {
  stateOf(source: string): RegistryState;
}

type SharedOptions = Omit<RegistryOptions, "prometheus" | "onRelisted" | "onPublished">;

/** With one source: its registry, and nothing around it. */
export function createRegistries(options: SharedOptions, sources: readonly ListedSource[]): Registries {
  const [only, ...others] = sources;
  if (only !== undefined && others.length === 0 && only.name === defaultSource) {
    const registry = createRegistry({ ...options, ...only });
    return { ...registry, stateOf: () => registry.state() };
  }
  return combine(options, sources);
}

function combine(options: SharedOptions, sources: readonly ListedSource[]): Registries {
  let ordered = rulesOf(options.rules);
  let newest = options.rules;
  let snapshot = createSnapshot([]);
  const publish = (): void => {
    snapshot = merge(ordered, [...registries.values()]);
  };
  const telemetryFor = createSharedTelemetry(options.telemetry, () => snapshot);
  const registries = new Map(
    sources.map((source) => {
      const rules = rulesOfSource(options.rules, source.name);
      const telemetry = telemetryFor();
      const registry = createRegistry({ ...options, ...source, rules, telemetry, onPublished: publish });
      return [source.name, registry] as const;
    }),
  );
  const all = [...registries];
  return {
    findings: () => new Map(all.flatMap(([, registry]) => [...registry.findings()])),
    snapshot: () => snapshot,
    state: () => combinedState(all, ordered),
    stateOf: (source) =>
      registries.get(source)?.state() ?? { hasResults: false, isComplete: false, problem: undefined },
    start() {
      for (const [, registry] of all) registry.start();
    },
    async use(rules) {
      // Rules of a source that has not listed them yet keep the place that they had.
      newest = rules;
      ordered = [...ordered, ...rulesOf(rules)];
      const used = all.map(async ([name, registry]) => {
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
      for (const [, registry] of all) registry.stop();
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

function combinedState(
  all: readonly (readonly [string, Registry])[],
  rules: readonly CompiledRule[],
): RegistryState {
  const used = new Set(rules.map(sourceOf));
  const states = all
    .filter(([name]) => used.has(name))
    .map(([name, registry]) => ({ name, ...registry.state() }));
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
): () => EngineTelemetry {
  const failed: number[] = [];
  return () => {
    const index = failed.push(0) - 1;
    return {
      ...telemetry,
      relisted({ failedRules, atMs }) {
        failed[index] = failedRules;
        const { infos, externalNames } = snapshot();
        const sum = failed.reduce((all, one) => all + one, 0);
        telemetry.relisted({ failedRules: sum, series: infos.length + externalNames.length, atMs });
      },
    };
  };
}

function rulesOf(rules: CompiledRules): readonly CompiledRule[] {
  return [...rules.custom, ...rules.external];
}

function rulesOfSource(rules: CompiledRules, source: string): CompiledRules {
  const isOwn = (rule: CompiledRule): boolean => sourceOf(rule) === source;
  return { ...rules, custom: rules.custom.filter(isOwn), external: rules.external.filter(isOwn) };
}
