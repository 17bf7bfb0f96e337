import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@plimsoll/kube";
import { type StoredObject, StoreError } from "@plimsoll/sandbox";
import type { Attack, Step } from "./attack.ts";
import { expand, maxBytes, TooLarge } from "./expand.ts";
import type { Series } from "./exposition.ts";
import { podsOf } from "./live-pods.ts";
import { type Context, type Counts, openSilent, sendRequests } from "./send-requests.ts";
import type { HostileStack } from "./stack.ts";
import { tenant } from "./victim.ts";

export interface Running {
  readonly counts: Counts;
  /** Once everything has been written and requested, but for edits, which go on. */
  readonly done: Promise<void>;
  /** What the tenant read in responses that were errors. */
  readonly errors: ReadonlySet<string>;
  /** What took longer than its step lets it, each in a line. */
  readonly late: readonly string[];
  /** Ends requests and edits, and takes away all that the tenant has. */
  undo(): Promise<void>;
}

interface Kind {
  readonly resource: string;
  readonly path: string;
}

const collection = (group: string, version: string, plural: string): Kind => ({
  resource: group === "" ? plural : `${plural}.${group.replace(/^apps$/, "apps")}`,
  path:
    group === ""
      ? `/api/v1/namespaces/${tenant}/${plural}`
      : `/apis/${group}/${version}/namespaces/${tenant}/${plural}`,
});

/** What a tenant may write. */
export const kinds: Readonly<Record<string, Kind>> = {
  WorkloadAutoscaler: collection("autoscaling.plimsoll.dev", "v1alpha1", "workloadautoscalers"),
  HorizontalPodAutoscaler: collection("autoscaling", "v2", "horizontalpodautoscalers"),
  CronHorizontalPodAutoscaler: collection(
    "autoscaling.alibabacloud.com",
    "v1beta1",
    "cronhorizontalpodautoscalers",
  ),
  MetricRule: collection("autoscaling.plimsoll.dev", "v1alpha1", "metricrules"),
  Pod: collection("", "v1", "pods"),
  Deployment: collection("apps", "v1", "deployments"),
};

export function carryOut(attacks: readonly Attack[], stack: HostileStack): Running {
  const counts: Counts = { written: 0, refused: 0, edits: 0, requests: 0, answered: 0 };
  const ended = new AbortController();
  const steps = attacks.flatMap((attack) => attack.steps);
  const series = steps.flatMap(seriesOf);
  const faults = steps.flatMap(({ prometheus }) =>
    prometheus === undefined ? [] : [[prometheus.metric, prometheus.answers] as const],
  );
  const errors = new Set<string>();
  const late: string[] = [];
  const context = { stack, counts, errors, late, signal: ended.signal };
  const act = async (): Promise<void> => {
    await stack.prometheus.change({ series, faults });
    // Two scrapes and a relist, so that the tenant's metrics exist.
    if (series.length > 0) await sleep(3000);
    for (const step of steps) openSilent(step, context);
    const ports = await stack.pages();
    for (const [n, step] of steps.entries())
      for (const pod of podsOf(step.pods, String(n), ports)) stack.store.create("pods", pod);
    await Promise.all([
      ...attacks.map((attack, index) => write(attack, index, context)),
      ...attacks.map(async (attack) => {
        if (attack.steps.some(writesRules)) await sleep(rulesServedMs);
        await Promise.all(attack.steps.map((step) => sendRequests(step, context)));
      }),
    ]);
  };
  const done = act().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  return {
    counts,
    done,
    errors,
    late,
    async undo() {
      ended.abort();
      await done;
      await stack.prometheus.change({ series: [], faults: [] });
      for (const { resource } of Object.values(kinds)) removeAll(resource, stack);
      // What could still be watched from would keep all of it in memory.
      stack.store.compact();
    },
  };
}

/** Until the adapter has read them, and answers with something else than that there are none. */
const rulesServedMs = 3000;

const writesRules = ({ write: one }: Step) =>
  (one?.object as StoredObject | undefined)?.kind === "MetricRule";

/** Nothing limits what a pod exposes but the Prometheus that scrapes it. */
const maxExposedBytes = 32 << 20;

function seriesOf({ series }: Step): readonly Series[] {
  if (series === undefined) return [];
  return Array.from({ length: series.copies ?? 1 }, (_, n) => ({
    metric: String(expand(series.metric, { n })),
    labels: {
      namespace: tenant,
      ...(expand(series.labels ?? {}, { n }, maxExposedBytes) as Record<string, string>),
    },
    value: series.value ?? "1",
  }));
}

async function write(attack: Attack, attackIndex: number, context: Context): Promise<void> {
  for (const [stepIndex, { write: one }] of attack.steps.entries()) {
    if (one === undefined || context.signal.aborted) continue;
    // Names of their own, whatever the cases call them.
    const suffix = `${attackIndex}-${stepIndex}`;
    const copies = one.copies ?? 1;
    const objectOf = (n: number, e: number): StoredObject => {
      const object = expand(one.object, { n, e }) as StoredObject;
      const name = `${object.metadata.name.slice(0, 40)}-${suffix}-${n}`;
      return { ...object, metadata: { ...object.metadata, name, namespace: tenant } };
    };
    for (let n = 0; n < copies && !context.signal.aborted; n++) {
      const object = withinSize(() => objectOf(n, 0));
      if (object === undefined) {
        context.counts.refused++;
        // The cluster is served by this process as well.
        await setImmediate();
      } else await create(object, one.unchecked === true, context);
    }
    if (one.editsPerSecond !== undefined)
      void edit(one.editsPerSecond, (e) => objectOf(e % copies, e), context);
  }
}

/** Undefined for what is larger than an API server stores. */
function withinSize(object: () => StoredObject): StoredObject | undefined {
  try {
    const written = object();
    return JSON.stringify(written).length <= maxBytes ? written : undefined;
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

async function create(
  object: StoredObject,
  unchecked: boolean,
  { stack, counts, signal }: Context,
): Promise<void> {
  const kind = kinds[object.kind ?? ""];
  if (kind === undefined) throw new Error(`a tenant writes no ${object.kind}`);
  try {
    if (unchecked) {
      stack.store.create(kind.resource, object);
      // Its watchers get their turn, as they would between two writes to a real server.
      await sleep(1);
    } else await stack.client.request({ method: "POST", path: kind.path, body: object, signal });
    counts.written++;
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof ApiError) || error.code >= 500) throw error;
    counts.refused++;
  }
}

async function edit(
  perSecond: number,
  objectOf: (e: number) => StoredObject,
  { stack, counts, signal }: Context,
): Promise<void> {
  for (let e = 1; !signal.aborted; e++) {
    await sleep(1000 / perSecond);
    if (signal.aborted) return;
    const edited = withinSize(() => objectOf(e));
    if (edited === undefined) {
      counts.refused++;
      continue;
    }
    const { metadata, spec, kind = "" } = edited;
    const resource = kinds[kind]?.resource ?? "";
    const stored = stack.store.get(resource, tenant, metadata.name);
    if (stored === undefined) continue;
    try {
      stack.store.update(resource, { ...stored, spec });
      counts.edits++;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
}

function removeAll(resource: string, { store }: HostileStack): void {
  for (const { metadata } of store.list(resource, tenant)) {
    // The tenant's own workload stays for the next attack.
    if (metadata.name.startsWith("target")) continue;
    store.delete(resource, tenant, metadata.name);
  }
}
