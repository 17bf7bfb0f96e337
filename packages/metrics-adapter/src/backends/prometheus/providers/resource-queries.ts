// The queries of resourceRules.
import {
  type Awaitable,
  allOf,
  type CacheMeter,
  chain,
  createComputedCache,
  detached,
} from "@plimsoll/component-base";
import type { Freshness } from "@plimsoll/metric-rules";
import type { QueryTemplate, VectorSample } from "@plimsoll/prometheus";
import {
  type CompiledResourceRule,
  type CompiledResourceRules,
  labelProblem,
  type ResourceMapper,
} from "@plimsoll/rules";
import type { Caller } from "../query/execute.ts";
import { allFresh } from "../query/freshness.ts";
import { type PreparedQuery, sizeOfQuery } from "../query/prepared-query.ts";
import type { QueryOutcome, QueryRunner } from "../query/runner.ts";
import { partialFailure } from "./failure.ts";
import { type Failed, failed, type Outcome, ok } from "./outcome.ts";
import { createReadLabels } from "./resource-labels.ts";
import {
  createUsageReader,
  type ObjectUsage,
  type ReadingLabels,
  type Readings,
  type UsageReader,
} from "./usage.ts";

export interface WantedObjects {
  readonly names: readonly string[];
  /** Identifies the objects among requests for the same place: a name or a selector. */
  readonly part: string;
  readonly caller: Caller;
}

/** The queries of resourceRules. */
export type ResourceQueries = ReturnType<typeof createResourceQueries>;

export interface ResourceQueriesOptions {
  readonly rules: CompiledResourceRules;
  readonly mapper: ResourceMapper;
  readonly runner: QueryRunner;
  readonly meter?: CacheMeter | undefined;
}

interface Place {
  readonly kind: "pods" | "nodes";
  readonly namespace: string | undefined;
}

export function createResourceQueries(options: ResourceQueriesOptions) {
  const readCpu = createRead(options, options.rules.cpu);
  const readMemory = createRead(options, options.rules.memory);
  const readerOf = createReaders();

  const usagesOf = (
    place: Place,
    { names }: WantedObjects,
    { cpu, memory }: { readonly cpu: FreshReadings; readonly memory: FreshReadings },
  ): Outcome<ReadonlyMap<string, ObjectUsage>> => {
    const usageOf = readerOf(cpu, memory, place);
    const usages = new Map(names.map((name) => [name, usageOf(name)]));
    const all = [...usages.values()];
    const doubled = all.find((usage) => "problem" in usage);
    if (doubled !== undefined && !all.some((usage) => "containers" in usage && usage.containers.length > 0))
      return failed("Internal", doubled.problem);
    return ok(
      usages,
      allFresh([cpu.freshness, memory.freshness], () => true),
    );
  };

  const usagesIn = (
    place: Place,
    wanted: WantedObjects,
  ): Awaitable<Outcome<ReadonlyMap<string, ObjectUsage>>> =>
    chain(allOf([readCpu(place, wanted), readMemory(place, wanted)]), ([cpu, memory]) => {
      if (!cpu.ok) return cpu;
      if (!memory.ok) return memory;
      return usagesOf(place, wanted, { cpu: cpu.value, memory: memory.value });
    });

  return {
    pods: (namespace: string, wanted: WantedObjects): Awaitable<Outcome<ReadonlyMap<string, ObjectUsage>>> =>
      usagesIn({ kind: "pods", namespace }, wanted),
    nodes: (wanted: WantedObjects): Awaitable<Outcome<ReadonlyMap<string, ObjectUsage>>> =>
      usagesIn({ kind: "nodes", namespace: undefined }, wanted),
  };
}

interface FreshReadings extends Readings {
  readonly freshness: Freshness;
}

type Read = (place: Place, wanted: WantedObjects) => Awaitable<Outcome<FreshReadings>>;

/** Reads one resource, by its rule. */
function createRead({ mapper, runner, meter }: ResourceQueriesOptions, rule: CompiledResourceRule): Read {
  const labelsOf = createReadLabels(mapper, rule);
  const queryFor = createQueries(runner, meter);
  const isDouble = (object: string, container: string) => ({
    problem: problemOf(rule, `returned several series for ${object} ${container}`.trimEnd()),
  });
  const readings = (
    ran: QueryOutcome,
    labels: ReadingLabels,
    template: QueryTemplate,
  ): Outcome<FreshReadings> => {
    if (!ran.ok) return broken(rule, ran.message);
    const { result, freshness } = ran;
    // Containers of a pod are added up: without one of them the sum would be too small. A node has one series.
    const isSum = result.leftOut !== undefined && labels.container !== undefined;
    const partial = isSum ? partialFailure(result) : undefined;
    if (partial !== undefined) return partial;
    if (result.type !== "vector")
      return broken(rule, `returned a ${result.type} instead of one value per object`);
    const unlabeled = labelProblem(result.samples, labels.object, template);
    if (unlabeled !== undefined) return broken(rule, `cannot be read: ${unlabeled}`);
    return ok({ samples: result.samples, labels, isDouble, freshness });
  };
  return (place, { names, part, caller }) => {
    const { kind, namespace } = place;
    const template = kind === "pods" ? rule.containerQuery : rule.nodeQuery;
    if (template === undefined) return broken(rule, `has no query for ${kind}`);
    return chain(labelsOf(kind), (labels) => {
      if (labels === undefined) return broken(rule, `has no label for ${kind}`);
      if (namespace !== undefined && labels.namespace === undefined)
        return broken(rule, "has no label for namespaces");
      const query = queryFor(template, labels, place);
      const ran = runner.run(query, { key: part, names, namespace, caller });
      return chain(ran, (outcome) => readings(outcome, labels, template));
    });
  };
}

type QueryFor = (template: QueryTemplate, labels: ReadingLabels, place: Place) => PreparedQuery;

function createQueries(runner: QueryRunner, meter: CacheMeter | undefined): QueryFor {
  const queries = createComputedCache<QueryTemplate, PreparedQuery>({
    name: "resource_queries",
    meter,
    maxBytes: 4 * 1024 * 1024,
    sizeOf: sizeOfQuery,
  });
  return (template, labels, { kind, namespace }) =>
    queries.get(JSON.stringify([kind, namespace, labels]), template, () =>
      runner.prepare({
        template,
        series: "",
        selector: [],
        namespace:
          namespace === undefined
            ? undefined
            : { label: labels.namespace ?? "namespace", name: detached(namespace) },
        objectLabel: labels.object,
        groupBy: labels.container === undefined ? [labels.object] : [labels.object, labels.container],
      }),
    );
}

/** Results that many requests share are read once for each object. */
function createReaders(): (cpu: Readings, memory: Readings, place: Place) => UsageReader {
  const known = new WeakMap<
    readonly VectorSample[],
    WeakMap<readonly VectorSample[], Map<string, UsageReader>>
  >();
  return (cpu, memory, { kind, namespace }) => {
    const ofCpu = known.get(cpu.samples) ?? new WeakMap<readonly VectorSample[], Map<string, UsageReader>>();
    known.set(cpu.samples, ofCpu);
    const ofBoth = ofCpu.get(memory.samples) ?? new Map<string, UsageReader>();
    ofCpu.set(memory.samples, ofBoth);
    const key = `${kind} ${namespace ?? ""}`;
    const reader = ofBoth.get(key) ?? createUsageReader(cpu, memory, namespace);
    ofBoth.set(key, reader);
    return reader;
  };
}

function broken(rule: CompiledResourceRule, cause: string): Failed {
  return failed("Internal", problemOf(rule, cause));
}

function problemOf(rule: CompiledResourceRule, cause: string): string {
  return `unable to fetch metrics: ${rule.path} ${cause}`;
}
