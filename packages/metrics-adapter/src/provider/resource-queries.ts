import type { ResourceInfo } from "@plimsoll/kube";
import type { QueryTemplate, VectorSample } from "@plimsoll/prometheus";
import type { CompiledResourceRule, CompiledResourceRules } from "../config/rules.ts";
import { createMemo } from "../memo.ts";
import { createResourceLabels, type ResourceMapper } from "../naming/resource-labels.ts";
import type { AskFor } from "../query/ask.ts";
import type { MakeQuestion, Question } from "../query/question.ts";
import { type Again, allAgain } from "./again.ts";
import { failed, ok } from "./outcome.ts";
import type { Outcome } from "./provider.ts";
import {
  createUsageReader,
  type ReadingLabels,
  type Readings,
  type Usage,
  type UsageReader,
} from "./usage.ts";

export interface AskedObjects {
  readonly names: readonly string[];
  /** Tells requests for different objects apart: a name or a selector. */
  readonly part: string;
  readonly signal: AbortSignal;
}

/** The queries of resourceRules. An object that lacks cpu or memory is left out: half a reading is none. */
export interface ResourceQueries {
  pods(namespace: string, asked: AskedObjects): Promise<Outcome<ReadonlyMap<string, Usage>>>;
  nodes(asked: AskedObjects): Promise<Outcome<ReadonlyMap<string, Usage>>>;
}

export interface ResourceQueriesOptions {
  readonly rules: CompiledResourceRules;
  readonly mapper: ResourceMapper;
  readonly makeQuestion: MakeQuestion;
  readonly askFor: AskFor;
}

/** Queries for all namespaces go out together; this many at a time keep Prometheus responsive. */
const MOST_AT_ONCE = 16;

interface Place {
  readonly kind: "pods" | "nodes";
  readonly namespace: string | undefined;
}

export function createResourceQueries(options: ResourceQueriesOptions): ResourceQueries {
  const limit = createLimit(MOST_AT_ONCE);
  const askers = {
    cpu: createAsker(options, options.rules.cpu),
    memory: createAsker(options, options.rules.memory),
  };
  const readers = createReaders();

  const ask = async (place: Place, asked: AskedObjects): Promise<Outcome<ReadonlyMap<string, Usage>>> => {
    const [cpu, memory] = await Promise.all([
      limit(() => askers.cpu(place, asked)),
      limit(() => askers.memory(place, asked)),
    ]);
    if (!cpu.ok) return cpu;
    if (!memory.ok) return memory;
    const usageOf = readers(cpu.value, memory.value, place);
    const usages = new Map<string, Usage>();
    for (const name of asked.names) {
      const usage = usageOf(name);
      if (usage === undefined) continue;
      if ("problem" in usage) return failed("Internal", usage.problem);
      usages.set(name, usage);
    }
    return ok(
      usages,
      allAgain([cpu.value.again, memory.value.again], () => true),
    );
  };

  return {
    pods: (namespace, asked) => ask({ kind: "pods", namespace }, asked),
    nodes: (asked) => ask({ kind: "nodes", namespace: undefined }, asked),
  };
}

interface AnsweredReadings extends Readings {
  readonly again: Again;
}

type Asker = (place: Place, asked: AskedObjects) => Promise<Outcome<AnsweredReadings>>;

function createAsker(options: ResourceQueriesOptions, rule: CompiledResourceRule): Asker {
  const labelsOf = createLabels(options.mapper, rule);
  const questions = createMemo<QueryTemplate, Question>({ most: 10_000 });
  const questionFor = (
    template: QueryTemplate,
    labels: ReadingLabels,
    { kind, namespace }: Place,
  ): Question =>
    questions.get(JSON.stringify([kind, namespace, labels]), template, () =>
      options.makeQuestion({
        template,
        series: "",
        selector: [],
        namespace:
          namespace === undefined ? undefined : { label: labels.namespace ?? "namespace", name: namespace },
        objectLabel: labels.object,
        groupBy: labels.container === undefined ? [labels.object] : [labels.object, labels.container],
      }),
    );

  return async (place, { names, part, signal }) => {
    const template = place.kind === "pods" ? rule.containerQuery : rule.nodeQuery;
    if (template === undefined) return broken(rule, `has no query for ${place.kind}`);
    const labels = await labelsOf(place.kind);
    if (labels === undefined) return broken(rule, `names no label for ${place.kind}`);
    if (place.namespace !== undefined && labels.namespace === undefined) {
      return broken(rule, "names no label for namespaces");
    }
    const answered = await options.askFor(questionFor(template, labels, place), { key: part, names, signal });
    if (!answered.ok) return broken(rule, answered.message);
    const { result, again } = answered;
    if (result.type !== "vector") return broken(rule, `gives a ${result.type}, not one value per object`);
    const isDouble = (object: string, container: string) => ({
      problem: wordsOf(rule, `gives several series for ${object} ${container}`.trimEnd()),
    });
    return ok({ samples: result.samples, labels, isDouble, again });
  };
}

/** Answers that many requests share are read once for each object. */
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

type ReadLabels = (kind: Place["kind"]) => Promise<ReadingLabels | undefined>;

/** The labels that the rule's series have for what is asked; worked out anew when discovery has been read anew. */
function createLabels(mapper: ResourceMapper, rule: CompiledResourceRule): ReadLabels {
  interface Known {
    readonly info: ResourceInfo;
    readonly namespaces: ResourceInfo | undefined;
    readonly labels: ReadingLabels | undefined;
  }
  const known = new Map<string, Known>();
  return async (kind) => {
    const [info, namespaces] = await Promise.all([mapper.byResource(kind), mapper.byResource("namespaces")]);
    if (info === undefined) return undefined;
    const last = known.get(kind);
    if (last?.info === info && last.namespaces === namespaces) return last.labels;
    const names = createResourceLabels(rule.resources, mapper);
    const object = await names.labelFor(info);
    const namespace = namespaces === undefined ? undefined : await names.labelFor(namespaces);
    const container = kind === "pods" ? rule.containerLabel : undefined;
    const labels = object === undefined ? undefined : { object, namespace, container };
    known.set(kind, { info, namespaces, labels });
    return labels;
  };
}

function broken(rule: CompiledResourceRule, cause: string): ReturnType<typeof failed> {
  return failed("Internal", wordsOf(rule, cause));
}

function wordsOf(rule: CompiledResourceRule, cause: string): string {
  return `unable to fetch metrics: ${rule.path} ${cause}`;
}

type Limit = <T>(work: () => Promise<T>) => Promise<T>;

function createLimit(most: number): Limit {
  let active = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (active >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else active += 1;
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line.
      const next = waiting.shift();
      if (next === undefined) active -= 1;
      else next();
    }
  };
}
