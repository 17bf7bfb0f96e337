// The samples of the pods of a group, in a store of their own; the stores of a namespace share its limits.
import { getOrAdd } from "@plimsoll/component-base";
import type { Plan, Selector } from "../evaluate/plan.ts";
import {
  createExpositionReader,
  type Exposition,
  type ExpositionReader,
  type TargetLabel,
  tooMuchWork,
} from "../exposition/reader.ts";
import { createStore, type Store, type StoredTarget, type Watch } from "../store/store.ts";
import { type Held, nothingHeld, type StoreLimits } from "../store/table.ts";
import type { LiveMetricsOptions, Window } from "./query.ts";
import type { Page } from "./rounds.ts";
import type { Target } from "./target.ts";

/** Of all namespaces: with what holds it, half a gigabyte. Above it, none may have more than its share. */
const maxBytesOfAll = 256 * 1024 * 1024;

const bytesOf = ({ samples, labelBytes }: Pick<Held, "samples" | "labelBytes">): number =>
  17 * samples + labelBytes;

/** @param limits of each namespace, over all of its groups */
export function createWindows(
  ofNamespace: StoreLimits,
  { namespaceLabel = "namespace", maxBytes = Math.max(maxBytesOfAll, bytesOf(ofNamespace)) } = {},
): LiveMetricsOptions["openWindow"] {
  const namespaces = new Map<string, { readonly held: Held; windows: number }>();
  const isFull = (own: Held): boolean => {
    const total = [...namespaces.values()].reduce((sum, { held }) => sum + bytesOf(held), 0);
    return total >= maxBytes && bytesOf(own) >= maxBytes / namespaces.size;
  };
  const limits = { ...ofNamespace, isFull };
  return ({ namespace, honorsLabels = false }) => {
    const own = getOrAdd(namespaces, namespace, () => ({ held: nothingHeld(), windows: 0 }));
    own.windows += 1;
    const store = createStore({ limits, held: own.held });
    const labels = { ofNamespace: [namespaceLabel, namespace], honorsLabels } as const;
    const maxSeries = honorsLabels ? limits.series : maxSeriesOfPod;
    return createWindow({ ...labels, store, maxSeries }, () => {
      own.windows -= 1;
      if (own.windows === 0) namespaces.delete(namespace);
    });
  };
}

interface WindowParts {
  readonly ofNamespace: TargetLabel;
  readonly honorsLabels: boolean;
  readonly store: Store;
  /** Of a pod. */
  readonly maxSeries: number;
}

/** Of the metrics that queries name: what a pod is known by is kept in memory. */
const [maxSeriesOfPod, maxLabels] = [1_000, 32];

interface Pod {
  readonly target: Target;
  readonly stored: StoredTarget;
  /** Of the selectors of now; undefined: they have changed. */
  reader: ExpositionReader | undefined;
  /** When all of its series were last new at no charge. */
  freeAtMs: number;
}

/** A query that begins or ends makes all series new. What does so more often is charged. */
const freeEveryMs = 60_000;

function labelsOf({ pod, container }: Target, parts: Pick<WindowParts, "ofNamespace" | "honorsLabels">) {
  // The pod's own label tells series of two pods apart.
  const own: readonly TargetLabel[] = [["pod", pod]];
  const others: readonly TargetLabel[] = [parts.ofNamespace, ["container", container]];
  return parts.honorsLabels
    ? { targetLabels: own, defaultLabels: others }
    : { targetLabels: [...own, ...others], defaultLabels: [] };
}

function createWindow(
  { ofNamespace, honorsLabels, store, maxSeries }: WindowParts,
  onClosed: () => void,
): Window {
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
      const pod = getOrAdd(pods, target.key, () => ({
        target,
        stored: store.target(),
        reader: undefined,
        freeAtMs: -Infinity,
      }));
      if (pod.reader === undefined) {
        const isFirstFree = atMs - pod.freeAtMs >= freeEveryMs;
        if (isFirstFree) pod.freeAtMs = atMs;
        pod.reader = createExpositionReader({
          selectors,
          ...labelsOf(target, { ofNamespace, honorsLabels }),
          limits: { series: maxSeries, labels: maxLabels },
          isFirstFree,
        });
      }
      return openPage(pod, pod.reader, atMs);
    },
    seriesOf: (selector) => watches[0]?.seriesOf(selector) ?? [],
    close() {
      watch([]);
      pods.clear();
      onClosed();
    },
  };
}

/** A pod could let each page begin with one. */
const handshakeCost = 8;

function openPage(pod: Pod, reader: ExpositionReader, atMs: number): Page {
  const { stored } = pod;
  let exposition: Exposition | undefined;
  let handshakes = 0;
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
      // The times that a pod writes are of another clock.
      const samples = read.samples.map(({ labels, value }) => ({ labels, value, atMs: undefined }));
      const refused = stored.scraped(samples, atMs, exposition?.work);
      if (refused === 0) return undefined;
      if ((exposition?.work.left ?? 0) < 0) return tooMuchWork;
      // It would keep the labels of all of them.
      pod.reader = undefined;
      return `${refused} of its series are over the limit of the namespace, or of all: select fewer, or ask for a higher --live-namespace-series`;
    },
    fail: () => stored.failed(atMs),
    connected: () => void (handshakes += 1),
    cost: () => Math.max(1, exposition?.cost ?? 0) + handshakeCost * handshakes,
  };
}
