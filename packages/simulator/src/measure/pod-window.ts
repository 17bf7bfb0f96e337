// The samples of one pod in a window, out of the scrapes of its group.
import type { ContainerLife } from "../plant/pod.ts";
import type { MetricMeaning, PodModel } from "../scenario.ts";
import type { ScrapeGroup } from "./scrapes.ts";

/** Which scrapes a query looks at. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  /** The first instant counts: version 2 of Prometheus. */
  readonly isClosed: boolean;
  readonly size: number;
}

/** The scrapes of a group in a span: the first, and the one behind the last. */
export function scrapesIn(
  { atMs, scrapes }: ScrapeGroup,
  span: Span,
): { readonly first: number; readonly end: number } {
  const { fromMs, toMs, isClosed, size } = span;
  let end = scrapes;
  const oldest = Math.max(0, scrapes - size);
  while (end > oldest && (atMs[(end - 1) % size] ?? 0) > toMs) end--;
  let first = end;
  while (first > oldest) {
    const at = atMs[(first - 1) % size] ?? 0;
    if (at < fromMs || (at === fromMs && !isClosed)) break;
    first--;
  }
  return { first, end };
}

/** What a container had served at a scrape. */
export function servedAt(life: ContainerLife, atMs: number, perPod: number): number {
  if (atMs <= life.servesFromMs) return 0;
  return (atMs > life.servesUntilMs ? life.closed : perPod) - life.opened;
}

/** The value of a pod at a scrape: a counter since the start of its container, or what is there now. */
export function podValue(
  of: MetricMeaning["of"],
  scrape: { readonly group: ScrapeGroup; readonly slot: number },
  life: ContainerLife,
  model: PodModel,
): number {
  const { group, slot } = scrape;
  const atMs = group.atMs[slot] ?? 0;
  const serving = group.serving[slot] ?? 0;
  const share = atMs > life.servesFromMs && atMs <= life.servesUntilMs && serving > 0 ? 1 / serving : 0;
  switch (of) {
    case "backlog":
      return valueAt(group.backlog, slot) * share;
    case "in-flight":
      return valueAt(group.inFlight, slot) * share;
    case "memory":
      return model.memory.base + valueAt(group.inFlight, slot) * share * model.memory.perInFlight;
    case "cpu":
      return coreSeconds(life, atMs, { served: servedAt(life, atMs, valueAt(group.perPod, slot)), model });
    case "requests":
    case "offered":
      return servedAt(life, atMs, valueAt(group.perPod, slot));
  }
}

function valueAt(column: Float64Array, slot: number): number {
  return column[slot] ?? 0;
}

/** What a container has used since its start, in core seconds. */
export function coreSeconds(
  life: ContainerLife,
  atMs: number,
  { served, model }: { readonly served: number; readonly model: PodModel },
): number {
  const ageMs = atMs - life.startMs;
  const { burn } = model.start;
  const burned = burn === undefined ? 0 : burn.cores * Math.min(ageMs, burn.forMs);
  return (model.idleCpu * ageMs + burned) / 1000 + served * model.cpuPerRequest;
}

/** The container that ran at an instant. */
export function lifeAt(lives: readonly ContainerLife[], atMs: number): ContainerLife | undefined {
  for (let at = lives.length - 1; at >= 0; at--) {
    const life = lives[at];
    if (life !== undefined && life.startMs <= atMs) return atMs < life.endMs ? life : undefined;
  }
  return undefined;
}
