// The samples of the pods of a group, in a store of their own; the stores of a namespace share its limits.
import { getOrAdd } from "@plimsoll/component-base";
import type { Plan, Selector } from "../evaluate/plan.ts";
import { createExpositionReader, type Exposition, type ExpositionReader } from "../exposition/reader.ts";
import { createStore, type Store, type StoredTarget, type Watch } from "../store/store.ts";
import type { StoreLimits } from "../store/table.ts";
import type { Window } from "./query.ts";
import type { Page } from "./rounds.ts";
import type { Target } from "./target.ts";

/** Of each namespace, over all of its groups. */
export function createWindows(total: StoreLimits): (namespace: string) => Window {
  const stores = new Map<string, Set<Store>>();
  return (namespace) => {
    const all = getOrAdd(stores, namespace, () => new Set<Store>());
    const free = (kind: keyof StoreLimits): number =>
      total[kind] - [...all].reduce((sum, one) => sum + (one === store ? 0 : one.held[kind]), 0);
    const limits: StoreLimits = {
      get series() {
        return free("series");
      },
      get samples() {
        return free("samples");
      },
    };
    const store = createStore({ limits });
    all.add(store);
    return createWindow(namespace, store, () => {
      all.delete(store);
      if (all.size === 0) stores.delete(namespace);
    });
  };
}

interface Pod {
  readonly target: Target;
  readonly stored: StoredTarget;
  /** Of the selectors of now; undefined: they have changed. */
  reader: ExpositionReader | undefined;
}

function createWindow(namespace: string, store: Store, onClosed: () => void): Window {
  const pods = new Map<string, Pod>();
  let watches: readonly Watch[] = [];
  let selectors: readonly Selector[] = [];
  const watch = (plans: readonly Plan[]): void => {
    const former = watches;
    watches = plans.map((plan) => store.watch(plan));
    for (const one of former) one.close();
  };
  return {
    want(plans) {
      watch(plans);
      selectors = plans.flatMap((plan) => plan.selectors);
      for (const pod of pods.values()) pod.reader = undefined;
    },
    keepOnly(targets, atMs) {
      const keys = new Set(targets.map(({ key }) => key));
      for (const [key, { stored }] of pods)
        if (!keys.has(key)) {
          stored.failed(atMs);
          pods.delete(key);
        }
      store.prune(atMs);
    },
    open(target, atMs) {
      const pod = getOrAdd(pods, target.key, () => ({ target, stored: store.target(), reader: undefined }));
      pod.reader ??= createExpositionReader({ selectors, targetLabels: labelsOf(namespace, target) });
      return openPage(pod.stored, pod.reader, atMs);
    },
    seriesOf: (selector) => watches[0]?.seriesOf(selector) ?? [],
    close() {
      watch([]);
      pods.clear();
      onClosed();
    },
  };
}

function labelsOf(namespace: string, { pod, container }: Target) {
  return [
    ["namespace", namespace],
    ["pod", pod],
    ["container", container],
  ] as const;
}

function openPage(stored: StoredTarget, reader: ExpositionReader, atMs: number): Page {
  let exposition: Exposition | undefined;
  return {
    start(contentType) {
      exposition = reader.start(
        contentType.startsWith("application/openmetrics-text") ? "openmetrics" : "prometheus",
      );
    },
    push: (chunk) => exposition?.push(chunk) === true,
    end() {
      const read = exposition?.end();
      if (read?.ok !== true) {
        stored.failed(atMs);
        return read?.message ?? "it has no content";
      }
      const { refused } = stored.scraped(read.samples, atMs);
      return refused === 0
        ? undefined
        : `${refused} of its series are over the limit of the namespace: select fewer, or ask for a higher --live-namespace-series`;
    },
    fail: () => stored.failed(atMs),
  };
}
