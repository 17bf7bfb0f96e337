// Invariant: nothing is decided by metrics where several objects select the same pods.
import type { CreateInvariant, World } from "../run/world.ts";
import { createCalm } from "./calm.ts";
import { type Decided, isActive } from "./decisions.ts";
import { hpaResource } from "./names.ts";

/** Every process has seen every selector by then, where nothing disturbs it: also after etcd was restored. */
const limitMs = 240_000;
const lookEveryMs = 30_000;

/** An HPA whose pods another HPA selects for a while is known to be ambiguous, whichever process evaluates the other one. */
export const ambiguousNotScaled: CreateInvariant = (world) => {
  const { time } = world;
  const calm = createCalm(world);
  /** By HPA, since when it shares pods. */
  let sharing = new Map<string, { readonly sinceMs: number; readonly other: string }>();
  let lookedMs = Number.NEGATIVE_INFINITY;
  return {
    name: "ambiguous-not-scaled",
    observe(observation) {
      calm.observe(observation);
      if (observation.kind !== "decided") return undefined;
      if (time.nowMs - lookedMs >= lookEveryMs) {
        lookedMs = time.nowMs;
        const found = sharingNow(world);
        sharing = new Map(
          [...found].map(([key, other]) => [
            key,
            { other, sinceMs: sharing.get(key)?.sinceMs ?? time.nowMs },
          ]),
        );
      }
      const { kind, metadata: { namespace = "", name = "" } = {} } = observation.input.hpa;
      if (kind !== "HorizontalPodAutoscaler" || calm.forMs() < limitMs) return undefined;
      const shared = sharing.get(`${namespace}/${name}`);
      if (shared === undefined || time.nowMs - shared.sinceMs < limitMs) return undefined;
      if (isKnown(observation)) return true;
      // A workload may have been scaled to zero since the last look.
      if (!sharingNow(world).has(`${namespace}/${name}`)) return undefined;
      return `${observation.process} decides on ${namespace}/${name} by metrics, and ${shared.other} selects its pods too`;
    },
  };
};

/** Only where metrics decide, selectors matter. */
function isKnown(decided: Decided): boolean {
  const { input, result } = decided;
  const isByMetrics = result.decision.trace.some(({ kind }) => kind === "combine");
  return !isByMetrics || !isActive(decided) || (input.ambiguousWith?.length ?? 0) > 1;
}

interface Selecting {
  readonly key: string;
  readonly pods: ReadonlySet<string>;
}

/** HPAs that share a pod with another one, by key, with the key of one of those. */
function sharingNow({ cluster: { store } }: World): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const all: Selecting[] = [];
  for (const { metadata, spec } of store.list(hpaResource)) {
    const { namespace = "", name } = metadata;
    const { scaleTargetRef } = spec as {
      readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    };
    const workload = store.get(`${scaleTargetRef.kind.toLowerCase()}s.apps`, namespace, scaleTargetRef.name);
    const { replicas = 1, selector } = (workload?.spec ?? {}) as {
      readonly replicas?: number;
      readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    };
    if (replicas === 0 || selector?.matchLabels === undefined) continue;
    const wanted = Object.entries(selector.matchLabels);
    const matching = store
      .list("pods", namespace)
      .filter(({ metadata: { labels } }) => wanted.every(([label, value]) => labels?.[label] === value));
    all.push({ key: `${namespace}/${name}`, pods: new Set(matching.map((pod) => pod.metadata.uid ?? "")) });
  }
  for (const one of all) {
    const other = all.find(({ key, pods }) => key !== one.key && [...pods].some((pod) => one.pods.has(pod)));
    if (other !== undefined) found.set(one.key, other.key);
  }
  return found;
}
