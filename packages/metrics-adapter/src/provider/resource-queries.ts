import { labelOf, type QueryTemplate, type VectorSample } from "@plimsoll/prometheus";
import type { CompiledResourceRule, CompiledResourceRules } from "../config/rules.ts";
import { createResourceLabels, type ResourceMapper } from "../naming/resource-labels.ts";
import type { AskFor } from "../query/ask.ts";
import { byLabel } from "../query/by-label.ts";
import type { QueryRequest } from "../query/plan.ts";
import { failed, ok } from "./outcome.ts";
import type { ContainerUsage, Outcome } from "./provider.ts";
import { type Reading, usageOf } from "./usage.ts";

/** What an object uses, container by container; a node counts as one container. */
export interface Usage {
  readonly atMs: number;
  readonly containers: readonly ContainerUsage[];
}

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
  readonly askFor: AskFor;
}

/** Queries for all namespaces go out together; this many at a time keep Prometheus responsive. */
const MOST_AT_ONCE = 16;

interface Labels {
  readonly object: string;
  readonly namespace: string | undefined;
  readonly container: string | undefined;
}

interface Question extends AskedObjects {
  readonly kind: "pods" | "nodes";
  readonly namespace: string | undefined;
}

export function createResourceQueries(options: ResourceQueriesOptions): ResourceQueries {
  const limit = createLimit(MOST_AT_ONCE);

  const ask = async (question: Question): Promise<Outcome<ReadonlyMap<string, Usage>>> => {
    const [cpu, memory] = await Promise.all([
      read(options, options.rules.cpu, { ...question, limit }),
      read(options, options.rules.memory, { ...question, limit }),
    ]);
    if (!cpu.ok) return cpu;
    if (!memory.ok) return memory;
    return ok(usageOf(cpu.value, memory.value));
  };

  return {
    pods: (namespace, asked) => ask({ kind: "pods", namespace, ...asked }),
    nodes: (asked) => ask({ kind: "nodes", namespace: undefined, ...asked }),
  };
}

type Limit = <T>(work: () => Promise<T>) => Promise<T>;

async function read(
  options: ResourceQueriesOptions,
  rule: CompiledResourceRule,
  question: Question & { readonly limit: Limit },
): Promise<Outcome<readonly Reading[]>> {
  const template = question.kind === "pods" ? rule.containerQuery : rule.nodeQuery;
  if (template === undefined) return broken(rule, `has no query for ${question.kind}`);
  const labels = await labelsOf(options.mapper, rule, question.kind);
  if (labels === undefined) return broken(rule, `names no label for ${question.kind}`);
  if (question.namespace !== undefined && labels.namespace === undefined) {
    return broken(rule, "names no label for namespaces");
  }
  const answered = await question.limit(() =>
    options.askFor(queryFor(template, labels, question), question.part, question.signal),
  );
  if (!answered.ok) return broken(rule, answered.message);
  const { result } = answered;
  if (result.type !== "vector") return broken(rule, `gives a ${result.type}, not one value per object`);
  const samplesOf = byLabel(result.samples, labels.object);
  const samples = question.names.flatMap((name) => samplesOf.get(name) ?? []);
  return readings(
    rule,
    samples.filter((sample) => belongs(sample, labels, question)),
    labels,
  );
}

function queryFor(template: QueryTemplate, labels: Labels, question: Question): QueryRequest {
  const { namespace } = question;
  return {
    template,
    series: "",
    selector: [],
    namespace:
      namespace === undefined ? undefined : { label: labels.namespace ?? "namespace", name: namespace },
    objects: { label: labels.object, names: question.names },
    groupBy: labels.container === undefined ? [labels.object] : [labels.object, labels.container],
  };
}

function belongs(sample: VectorSample, labels: Labels, { namespace }: Question): boolean {
  if (namespace === undefined || labels.namespace === undefined) return true;
  return (labelOf(sample.labels, labels.namespace) ?? namespace) === namespace;
}

function readings(
  rule: CompiledResourceRule,
  samples: readonly VectorSample[],
  labels: Labels,
): Outcome<readonly Reading[]> {
  const found = new Map<string, Reading>();
  for (const sample of samples) {
    const object = labelOf(sample.labels, labels.object);
    if (object === undefined) continue;
    const container = labels.container === undefined ? "" : (labelOf(sample.labels, labels.container) ?? "");
    const key = JSON.stringify([object, container]);
    if (found.has(key)) return broken(rule, `gives several series for ${object} ${container}`.trimEnd());
    found.set(key, { object, container, value: sample.value, atMs: sample.atMs });
  }
  return ok([...found.values()]);
}

async function labelsOf(
  mapper: ResourceMapper,
  rule: CompiledResourceRule,
  kind: "pods" | "nodes",
): Promise<Labels | undefined> {
  const labels = createResourceLabels(rule.resources, mapper);
  const [info, namespaces] = await Promise.all([mapper.byResource(kind), mapper.byResource("namespaces")]);
  const object = info === undefined ? undefined : await labels.labelFor(info);
  if (object === undefined) return undefined;
  const namespace = namespaces === undefined ? undefined : await labels.labelFor(namespaces);
  return { object, namespace, container: kind === "pods" ? rule.containerLabel : undefined };
}

function broken(rule: CompiledResourceRule, cause: string): ReturnType<typeof failed> {
  return failed("Internal", `unable to fetch metrics: ${rule.path} ${cause}`);
}

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
