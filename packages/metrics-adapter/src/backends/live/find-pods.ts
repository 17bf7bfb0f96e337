// Finds the pods that a live query reads.
import {
  type Clock,
  cacheTiming,
  createBoundedCache,
  messageOf,
  steadyNowMs,
} from "@plimsoll/component-base";
import { labelSelector, parseSelector, type Selector } from "@plimsoll/core/selector";
import { isNotFound, type KubeClient, type RestMapper, readScale } from "@plimsoll/kube";
import {
  type AddressRules,
  type Endpoint,
  type Found,
  type PodFailure,
  type Target,
  targetOf,
} from "@plimsoll/live";
import type { CompiledRule, LivePods } from "@plimsoll/metric-rules";
import { type ResourceMapper, type RuleLive, readBearer } from "@plimsoll/rules";
import type { ConfinedObjects } from "../../objects/confined-objects.ts";
import type { ObservedObject } from "../../objects/observed-object.ts";

export interface FindPodsParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly mapper: ResourceMapper;
  readonly byKind?: RestMapper["byKind"] | undefined;
  readonly objects: Pick<ConfinedObjects, "select">;
  readonly addresses: AddressRules;
  readonly readText: (file: string) => Promise<string>;
}

export type LiveRule = CompiledRule & { readonly live: NonNullable<CompiledRule["live"]> };

/** Which pods of a namespace are scraped, and how. */
export interface WantedPods {
  readonly namespace: string;
  readonly live: Omit<Endpoint, "access"> & { readonly pods: LivePods };
  /** Of a rule of the administrator's file. */
  readonly access?: Pick<RuleLive, "tokenFile" | "insecureSkipVerify"> | undefined;
}

/** How old a selector is that is read again, and one that is not used any more: the API server may be away. */
const [rereadMs, maxAgeMs] = [30_000, 600_000];

/** What it returns never rejects. */
export function createFindPods(parts: FindPodsParts): (rule: WantedPods) => () => Promise<Found> {
  const selectorOf = createSelectorOf(parts);
  const signal = new AbortController().signal;
  return (rule) => {
    const { namespace, live, access: { tokenFile, insecureSkipVerify } = {} } = rule;
    const { port, path, scheme, pods } = live;
    // The same object each time: what it selects is cached by it.
    const fixed = pods.type === "selector" ? labelSelector(pods.selector) : undefined;
    return async () => {
      try {
        const selector = fixed ?? (await selectorOf(namespace, pods));
        const info = await parts.mapper.byResource("pods");
        if (info === undefined) return { ok: false, message: "the cluster's resources aren't known yet" };
        const selected = await parts.objects.select({
          info,
          namespace,
          selector,
          caller: { signal: () => signal },
        });
        if (!selected.ok) return { ok: false, message: selected.failure.message };
        // Read for each round: a token changes.
        const authorization =
          tokenFile === undefined
            ? undefined
            : await readBearer(tokenFile, parts.readText).catch(tokenProblem);
        if (authorization instanceof Error) return { ok: false, message: authorization.message };
        const access = { authorization, insecureSkipVerify };
        return targetsOf(selected.value.objects, { port, path, scheme, access }, parts.addresses);
      } catch (error) {
        return { ok: false, message: `cannot find the pods: ${messageOf(error)}` };
      }
    };
  };
}

/** Without the path, which is of the administrator. */
function tokenProblem(error: NodeJS.ErrnoException): Error {
  return new Error(`cannot read live.tokenFile: ${error.code ?? "it is empty, or cannot be a header"}`);
}

function targetsOf(pods: readonly ObservedObject[], endpoint: Endpoint, rules: AddressRules): Found {
  const targets: Target[] = [];
  const refused: PodFailure[] = [];
  for (const { metadata, phase, endpoint: own } of pods) {
    if (phase !== "Running" || own === undefined || own.isEnding) continue;
    const { name, uid = name } = metadata;
    const target = targetOf({ name, uid, ...own }, endpoint, rules);
    if (typeof target === "string") refused.push({ pod: name, isReady: own.isReady, reason: target });
    else targets.push(target);
  }
  return { ok: true, targets, refused };
}

type OfTarget = Extract<LivePods, { readonly type: "target" }>;

interface Known {
  readonly text: string;
  readonly selector: Selector;
  readAtMs: number;
}

function createSelectorOf({
  client,
  clock,
  byKind,
}: FindPodsParts): (namespace: string, pods: LivePods) => Promise<Selector> {
  const ofTargets = createBoundedCache<Known>({
    name: "live_targets",
    maxBytes: 4 * 1024 * 1024,
    sizeOf: () => 1_000,
    ttlMs: maxAgeMs,
    ...cacheTiming(clock),
  });
  const read = async (
    key: string,
    namespace: string,
    { group, kind, name }: OfTarget["target"],
  ): Promise<Selector> => {
    const [info] = (await byKind?.(group, kind)) ?? [];
    if (info === undefined)
      throw new Error(`the cluster has no kind ${kind} in the group ${JSON.stringify(group)}`);
    const { status } = await readScale(client, info, namespace, name);
    if (status.selector === "")
      throw new Error(`the scale of the ${kind} ${name} has no selector: set live.podSelector`);
    const known = ofTargets.get(key);
    // The same object each time: what it selects is cached by it.
    const selector = known?.text === status.selector ? known.selector : parseSelector(status.selector);
    ofTargets.set(key, { text: status.selector, selector, readAtMs: steadyNowMs(clock) });
    return selector;
  };
  return async (namespace, pods) => {
    if (pods.type === "selector") return labelSelector(pods.selector);
    const { target } = pods;
    const key = `${namespace}/${target.group}/${target.kind}/${target.name}`;
    const known = ofTargets.get(key);
    if (known === undefined) return await read(key, namespace, target);
    if (steadyNowMs(clock) - known.readAtMs >= rereadMs) {
      known.readAtMs = steadyNowMs(clock);
      // No round waits for it.
      void read(key, namespace, target).catch((error: unknown) => {
        if (isNotFound(error)) ofTargets.delete(key);
      });
    }
    return known.selector;
  };
}
