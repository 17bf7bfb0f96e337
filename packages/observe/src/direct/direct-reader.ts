// Reads what a decision needs straight from the API server, without watches: for one look at one object, or at some.
import { type Clock } from "@plimsoll/component-base";
import type { ControllerOptions, DecideInput } from "@plimsoll/core";
import { preparePods } from "@plimsoll/core";
import type { Selector } from "@plimsoll/core/selector";
import {
  ApiError,
  apiErrorText,
  type KubeClient,
  type KubeObject,
  objectKey,
  type RestMapper,
  readList,
} from "@plimsoll/kube";
import { type GatherDeps, type Gathered, gather, podsFor } from "../gather.ts";
import { createMetricsClient } from "../metrics/client.ts";
import { type Share, shareForPass } from "../metrics/share.ts";
import { createPodIndex, type PodIndex } from "../pods/pod-index.ts";
import type { PodView } from "../pods/pod-view.ts";
import { createSelectorReader } from "../targets/read-selector.ts";
import { readTarget } from "../targets/target.ts";
import { createTargetCache } from "../targets/target-cache.ts";
import { createNamespaceObjects, type NamespaceObjects, type ServedObject } from "./namespace-objects.ts";
import type { Assumption } from "./recomputed.ts";

export interface DirectReaderDeps {
  readonly client: KubeClient;
  readonly mapper: RestMapper;
  readonly clock: Clock;
  readonly options: ControllerOptions;
}

/** What was read of one object. */
export interface DirectReading {
  readonly input: DecideInput;
  readonly assumptions: readonly Assumption[];
  /** What the user may not read, in the API server's words: then the input is not what the controller sees. */
  readonly denied: readonly string[];
}

/** Shares what objects have in common: make one for each look. */
export interface DirectReader {
  read(hpa: ServedObject): Promise<DirectReading>;
}

export function createDirectReader(deps: DirectReaderDeps): DirectReader {
  const share = shareForPass();
  const selectorOf = createSelectorReader(deps.clock);
  const objects = createNamespaceObjects({
    client: deps.client,
    selectorOf: (hpa) => selectorOfTarget(hpa, { ...deps, selectorOf }),
  });
  return { read: (hpa) => readOne(hpa, { ...deps, share, selectorOf, objects }) };
}

interface Shared extends DirectReaderDeps {
  readonly share: Share;
  readonly selectorOf: GatherDeps["selectorOf"];
  readonly objects: NamespaceObjects;
}

async function readOne(hpa: ServedObject, shared: Shared): Promise<DirectReading> {
  const { clock, options, share } = shared;
  const { client, denied } = notingDenied(shared.client);
  const { namespace = "", name } = hpa.metadata;
  const observed = {
    spec: hpa.spec,
    ...(hpa.status === undefined ? {} : { status: hpa.status }),
    key: objectKey(namespace, name),
    namespace,
    syncPeriodMs: undefined,
    isWithoutMetrics: false,
  };
  const pods = createDirectPods(hpa, { client, objects: shared.objects });
  const gathered = await gather(
    observed,
    { share, conflictingObjects: [], conflicts: () => true },
    gatherDepsOf(pods, { ...shared, client }),
  );
  const { error, index, assumptions } = pods;
  const podsReading: DecideInput["pods"] =
    error() === undefined ? podsFor(observed, gathered, index) : { ok: false, message: error() ?? "" };
  const input = inputOf(hpa, gathered, { podsReading, nowMs: clock.nowMs(), options });
  return { input, assumptions, denied: [...denied] };
}

function gatherDepsOf({ index, read }: DirectPods, shared: Shared): GatherDeps {
  const { client, mapper, clock, options, share, selectorOf } = shared;
  const nothing = () => undefined;
  return {
    client,
    mapper,
    clock,
    options,
    selectorOf,
    targets: createTargetCache({ clock, watchOf: undefined, maxAgeMs: 0 }),
    metrics: createMetricsClient({
      client,
      mapper,
      clock,
      random: () => 0,
      batches: share,
      onCall: nothing,
      onResume: nothing,
      onBackoff: nothing,
    }),
    pods: index,
    isThere: () => true,
    beforeSelect: read,
  };
}

/** The pods of one object, read once its selector is known, in an index with those that the other HPAs select. */
interface DirectPods {
  readonly index: PodIndex;
  readonly read: (selector: Selector) => Promise<void>;
  readonly error: () => string | undefined;
  readonly assumptions: readonly Assumption[];
}

function createDirectPods(
  hpa: ServedObject,
  { client, objects }: { readonly client: KubeClient; readonly objects: NamespaceObjects },
): DirectPods {
  const assumptions: Assumption[] = [];
  let pods: readonly PodView[] = [];
  let error: string | undefined;
  const index = createPodIndex(() => pods);
  return {
    index,
    assumptions,
    error: () => error,
    async read(selector) {
      try {
        pods = await listPods(client, hpa.metadata.namespace ?? "", selector);
      } catch (failure) {
        error = apiErrorText(failure);
      }
      assumptions.push(...(await fileOthers(hpa, index, objects)));
    },
  };
}

function inputOf(
  hpa: ServedObject,
  { scale, samples, ambiguousWith }: Gathered,
  read: {
    readonly podsReading: DecideInput["pods"];
    readonly nowMs: number;
    readonly options: ControllerOptions;
  },
): DecideInput {
  return {
    nowMs: read.nowMs,
    hpa,
    scale,
    pods: read.podsReading,
    samples,
    ...(ambiguousWith.length > 1 ? { ambiguousWith } : {}),
    options: read.options,
    // Another controller scales the target.
    mode: "Shadow",
  };
}

async function listPods(
  client: KubeClient,
  namespace: string,
  selector: Selector,
): Promise<readonly PodView[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const items = await readList<KubeObject>(client, path, { labelSelector: selector.toString() });
  return preparePods(items) as readonly PodView[];
}

/** Files what the other HPAs of the namespace select. */
async function fileOthers(
  hpa: ServedObject,
  index: PodIndex,
  objects: NamespaceObjects,
): Promise<readonly Assumption[]> {
  const about = "no other HPA selects the same pods";
  try {
    const { selectors, unknown } = await objects.others(hpa);
    for (const [key, selector] of selectors) index.select(hpa.metadata.namespace ?? "", key, selector);
    if (unknown.length === 0) return [];
    return [{ about, value: "true", why: `could not check ${unknown.length} of them` }];
  } catch (error) {
    return [{ about, value: "true", why: apiErrorText(error) }];
  }
}

/** @throws Error when the scale cannot be read. */
async function selectorOfTarget(
  hpa: ServedObject,
  { client, mapper, clock, selectorOf }: DirectReaderDeps & Pick<Shared, "selectorOf">,
): Promise<Selector | undefined> {
  const targets = createTargetCache({ clock, watchOf: undefined, maxAgeMs: 0 });
  const reading = await readTarget(hpa.spec.scaleTargetRef, hpa.metadata.namespace ?? "", {
    client,
    mapper,
    targets,
  });
  if (!reading.ok) throw new Error(reading.message);
  const { scale } = reading.target;
  return scale.spec.replicas > 0 ? selectorOf(scale.status.selector) : undefined;
}

/** A client that notes what is forbidden: the controller may read what this user may not. */
interface NotingClient {
  readonly client: KubeClient;
  /** In the API server's words. */
  readonly denied: ReadonlySet<string>;
}

function notingDenied(client: KubeClient): NotingClient {
  const denied = new Set<string>();
  const noted = async <R>(run: Promise<R>): Promise<R> => {
    try {
      return await run;
    } catch (error) {
      if (error instanceof ApiError && (error.code === 403 || error.code === 401)) denied.add(error.message);
      throw error;
    }
  };
  return {
    denied,
    client: {
      server: client.server,
      request: <T>(request: Parameters<KubeClient["request"]>[0]) => noted(client.request<T>(request)),
      stream: (request) => noted(client.stream(request)),
      close: () => client.close(),
    },
  };
}
