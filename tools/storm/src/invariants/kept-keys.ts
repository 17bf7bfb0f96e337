// Whether the keys of what a process keeps by object are of objects that are there.
import { wlaDefinition } from "@plimsoll/core/internal/objects";
import type { ObjectStore } from "@plimsoll/sandbox";
import { cronHpaResource, hpaResource } from "./names.ts";

/** How the object of a key is found. */
interface Rule {
  /** The names of the maps, as the process reports them; the group is a part that counts. */
  readonly names: RegExp;
  readonly isThere: (store: ObjectStore, key: SplitKey, part: string) => boolean;
}

interface SplitKey {
  readonly namespace: string;
  /** What is behind the first slash. */
  readonly rest: string;
}

interface Spec {
  readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string };
}

const wlaPrefix = "wla:";

/** The first one counts whose names match. */
const rules: readonly Rule[] = [
  { names: /^objects\/(.+)$/, isThere: isStored },
  { names: /^selections\/(.+)$/, isThere: hasObjectsIn },
  { names: /^(?:evaluations|selectors|objects)_/, isThere: isEvaluated },
  { names: /^(?:bounds_written|schedules_evaluated|schedules_timers)$/, isThere: isEvaluated },
  { names: /^schedules_/, isThere: (store, key) => isEvaluated(store, key) || isUid(store, key) },
  { names: /^bounds_/, isThere: hasBounds },
  { names: /^cron_hpa_(?:targets$|runs_)/, isThere: isCronTarget },
  { names: /^cron_hpa_/, isThere: (store, key) => isStored(store, key, cronHpaResource) },
];

/** Whether what a map keeps under a key is of something that is there. Throws an Error for a map that has no rule. */
export function isKeyOfStored(store: ObjectStore, map: string, key: string): boolean {
  for (const { names, isThere } of rules) {
    const found = names.exec(map);
    if (found === null) continue;
    const slash = key.indexOf("/");
    const split = { namespace: key.slice(0, Math.max(0, slash)), rest: key.slice(slash + 1) };
    return isThere(store, split, found[1] ?? "");
  }
  throw new Error(`no rule says what the keys of "${map}" are`);
}

function isStored(store: ObjectStore, { namespace, rest }: SplitKey, resource: string): boolean {
  return store.get(resource, namespace === "" ? undefined : namespace, rest) !== undefined;
}

/** Its keys are namespaces; "" is all of them. */
function hasObjectsIn(store: ObjectStore, { rest }: SplitKey, resource: string): boolean {
  return rest === "" || store.list(resource).some(({ metadata }) => metadata.namespace === rest);
}

function isEvaluated(store: ObjectStore, { namespace, rest }: SplitKey): boolean {
  const isWla = rest.startsWith(wlaPrefix);
  const name = isWla ? rest.slice(wlaPrefix.length) : rest;
  return isStored(store, { namespace, rest: name }, isWla ? wlaDefinition : hpaResource);
}

function isUid(store: ObjectStore, { namespace, rest }: SplitKey): boolean {
  return store
    .list(wlaDefinition)
    .some(({ metadata }) => metadata.namespace === namespace && metadata.uid === rest);
}

/** An HPA, or one that a WorkloadAutoscaler waits for. */
function hasBounds(store: ObjectStore, key: SplitKey): boolean {
  if (isStored(store, key, hpaResource)) return true;
  return store
    .list(wlaDefinition)
    .some(
      ({ metadata, spec }) =>
        metadata.namespace === key.namespace && (spec as Spec | undefined)?.scaleTargetRef?.name === key.rest,
    );
}

/** Its keys are targets: "cronhpa:GROUP|KIND|NAME". */
function isCronTarget(store: ObjectStore, { namespace, rest }: SplitKey): boolean {
  return store.list(cronHpaResource).some(({ metadata, spec }) => {
    const { kind = "", name = "" } = (spec as Spec | undefined)?.scaleTargetRef ?? {};
    return metadata.namespace === namespace && rest.endsWith(`|${kind}|${name}`);
  });
}
