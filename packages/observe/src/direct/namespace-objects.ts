// The other HPAs of a namespace and what they select: two that select the same pods both stop.
import { forEachLimit, getOrAdd } from "@plimsoll/component-base";
import type { HorizontalPodAutoscaler } from "@plimsoll/core";
import type { Selector } from "@plimsoll/core/selector";
import { type KubeClient, type KubeObject, objectKey, readList } from "@plimsoll/kube";

/** An HPA or a WorkloadAutoscaler of the API, with what decisions read of it. */
export type ServedObject = KubeObject & Pick<HorizontalPodAutoscaler, "spec" | "status">;

/** What the others select; `unknown` are those whose scale could not be read. */
export interface OtherSelectors {
  readonly selectors: ReadonlyMap<string, Selector>;
  readonly unknown: readonly string[];
}

export type NamespaceObjects = ReturnType<typeof createNamespaceObjects>;

export interface NamespaceObjectsDeps {
  readonly client: KubeClient;
  /** Undefined: it has no replicas, or no selector that can be used. Rejects when it cannot be read. */
  readonly selectorOf: (hpa: ServedObject) => Promise<Selector | undefined>;
}

/** Each of the others takes a request, so that not all of a large namespace are looked at. */
const maxOthers = 50;
const maxAtOnce = 8;

/** Lists and scales are read once, for all objects of the namespace. */
export function createNamespaceObjects({ client, selectorOf }: NamespaceObjectsDeps) {
  const lists = new Map<string, Promise<readonly ServedObject[]>>();
  const known = new Map<string, Promise<Selector | undefined>>();

  const listOf = (namespace: string): Promise<readonly ServedObject[]> =>
    getOrAdd(lists, namespace, () =>
      readList<ServedObject>(
        client,
        `/apis/autoscaling/v2/namespaces/${encodeURIComponent(namespace)}/horizontalpodautoscalers`,
      ),
    );

  return {
    /** Throws ApiError or ConnectionError when the HPAs may not be listed. */
    async others(hpa: ServedObject): Promise<OtherSelectors> {
      const { namespace = "", name } = hpa.metadata;
      const all = (await listOf(namespace)).filter(({ metadata }) => metadata.name !== name);
      const looked = all.slice(0, maxOthers);
      const selectors = new Map<string, Selector>();
      const unknown = all.slice(maxOthers).map(keyOf);
      await forEachLimit(maxAtOnce, looked, async (other) => {
        try {
          const selector = await getOrAdd(known, targetKey(other), () => selectorOf(other));
          if (selector !== undefined) selectors.set(keyOf(other), selector);
        } catch {
          unknown.push(keyOf(other));
        }
      });
      return { selectors, unknown };
    },
  };
}

function keyOf({ metadata }: ServedObject): string {
  return objectKey(metadata.namespace, metadata.name);
}

function targetKey({ metadata, spec }: ServedObject): string {
  const { apiVersion = "", kind, name } = spec.scaleTargetRef;
  return JSON.stringify([metadata.namespace, apiVersion, kind, name]);
}
