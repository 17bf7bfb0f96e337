// The queries of resourceRules.
import {
  type Awaitable,
  allOf,
  type CacheMeter,
  chain,
  createComputedCache,
  detached,
} from "@plimsoll/component-base";
import type { QueryTemplate, VectorSample } from "@plimsoll/prometheus";
import type { CompiledResourceRule, CompiledResourceRules, ResourceMapper } from "@plimsoll/rules";
import type { Caller } from "../query/execute.ts";
import { allFresh, type Freshness } from "../query/freshness.ts";
import { type PreparedQuery, sizeOfQuery } from "../query/prepared-query.ts";
import type { QueryOutcome, QueryRunner } from "../query/runner.ts";
import type { WarnLeftOut } from "./left-out.ts";
import { type Failed, failed, type Outcome, ok } from "./outcome.ts";
import { createReadLabels } from "./resource-labels.ts";
import {
  createUsageReader,
  type ReadingLabels,
  type Readings,
  type Usage,
  type UsageReader,
} from "./usage.ts";

export interface WantedObjects {
  readonly names: readonly string[];
  /** Identifies the objects among requests for the same place: a name or a selector. */
  readonly part: string;
  readonly caller: Caller;
}

/** The queries of resourceRules. An object that lacks cpu or memory is left out: half a reading is none. */
export interface ResourceQueries {
  pods(namespace: string, wanted: WantedObjects): Awaitable<Outcome<ReadonlyMap<string, Usage>>>;
  nodes(wanted: WantedObjects): Awaitable<Outcome<ReadonlyMap<string, Usage>>>;
}

export interface ResourceQueriesOptions {
  readonly rules: CompiledResourceRules;
  readonly mapper: ResourceMapper;
  readonly runner: QueryRunner;
  readonly warnLeftOut: WarnLeftOut;
  readonly meter?: CacheMeter | undefined;
}

interface Place {
  readonly kind: "pods" | "nodes";
  readonly namespace: string | undefined;
}

export function createResourceQueries(options: ResourceQueriesOptions): ResourceQueries {
  const readCpu = createRead(options, options.rules.cpu);
  const readMemory = createRead(options, options.rules.memory);
  const readerOf = createReaders();

  const usagesOf = (
    place: Place,
    { names }: WantedObjects,
    { cpu, memory }: { readonly cpu: FreshReadings; readonly memory: FreshReadings },
  ): Outcome<ReadonlyMap<string, Usage>> => {
    const usageOf = readerOf(cpu, memory, place);
    const usages = new Map<string, Usage>();
    const problems: string[] = [];
    for (const name of names) {
      const usage = usageOf(name);
      if (usage === undefined) continue;
      if ("problem" in usage) problems.push(usage.problem);
      else usages.set(name, usage);
    }
    const [problem] = problems;
    if (problem !== undefined) {
      if (usages.size === 0) return failed("Internal", problem);
      const { kind, namespace } = place;
      options.warnLeftOut(`resourceRules ${kind}`, { namespace, objects: problems.length, cause: problem });
    }
    return ok(
      usages,
      allFresh([cpu.freshness, memory.freshness], () => true),
    );
  };

  const usagesIn = (place: Place, wanted: WantedObjects): Awaitable<Outcome<ReadonlyMap<string, Usage>>> =>
    chain(allOf([readCpu(place, wanted), readMemory(place, wanted)]), ([cpu, memory]) => {
      if (!cpu.ok) return cpu;
      if (!memory.ok) return memory;
      return usagesOf(place, wanted, { cpu: cpu.value, memory: memory.value });
    });

  return {
    pods: (namespace, wanted) => usagesIn({ kind: "pods", namespace }, wanted),
    nodes: (wanted) => usagesIn({ kind: "nodes", namespace: undefined }, wanted),
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
    problem: problemOf(rule, `gives several series for ${object} ${container}`.trimEnd()),
  });
  const readings = (ran: QueryOutcome, labels: ReadingLabels): Outcome<FreshReadings> => {
    if (!ran.ok) return broken(rule, ran.message);
    const { result, freshness } = ran;
    if (result.type !== "vector") return broken(rule, `gives a ${result.type}, not one value per object`);
    return ok({ samples: result.samples, labels, isDouble, freshness });
  };
  return (place, { names, part, caller }) => {
    const { kind, namespace } = place;
    const template = kind === "pods" ? rule.containerQuery : rule.nodeQuery;
    if (template === undefined) return broken(rule, `has no query for ${kind}`);
    return chain(labelsOf(kind), (labels) => {
      if (labels === undefined) return broken(rule, `names no label for ${kind}`);
      if (namespace !== undefined && labels.namespace === undefined) {
        return broken(rule, "names no label for namespaces");
      }
      const query = queryFor(template, labels, place);
      const ran = runner.run(query, { key: part, names, namespace, caller });
      return chain(ran, (outcome) => readings(outcome, labels));
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
