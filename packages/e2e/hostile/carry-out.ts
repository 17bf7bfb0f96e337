import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@plimsoll/kube";
import { type StoredObject, StoreError } from "@plimsoll/sandbox";
import { Agent } from "undici";
import type { Attack, Step } from "./attack.ts";
import { expand, maxBytes, TooLarge } from "./expand.ts";
import type { Series } from "./exposition.ts";
import type { HostileStack } from "./stack.ts";
import { tenant } from "./victim.ts";

/** What became of what the tenant tried. */
export interface Counts {
  written: number;
  refused: number;
  edits: number;
  requests: number;
  /** Requests that got 200. */
  answered: number;
}

export interface Running {
  readonly counts: Counts;
  /** Once everything has been written and requested, but for edits, which go on. */
  readonly done: Promise<void>;
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
  const context = { stack, counts, signal: ended.signal };
  const act = async (): Promise<void> => {
    await stack.prometheus({ series, faults });
    // Two scrapes and a relist, so that the tenant's metrics exist.
    if (series.length > 0) await sleep(2500);
    await Promise.all([
      ...attacks.map((attack, index) => write(attack, index, context)),
      ...steps.map((step) => request(step, context)),
    ]);
  };
  const done = act().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  return {
    counts,
    done,
    async undo() {
      ended.abort();
      await done;
      await stack.prometheus({ series: [], faults: [] });
      for (const { resource } of Object.values(kinds)) removeAll(resource, stack);
    },
  };
}

function seriesOf({ series }: Step): readonly Series[] {
  if (series === undefined) return [];
  return Array.from({ length: series.copies ?? 1 }, (_, n) => ({
    metric: String(expand(series.metric, { n })),
    labels: { namespace: tenant, ...(expand(series.labels ?? {}, { n }) as Record<string, string>) },
    value: series.value ?? "1",
  }));
}

interface Context {
  readonly stack: HostileStack;
  readonly counts: Counts;
  readonly signal: AbortSignal;
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
    const { metadata, spec, kind = "" } = objectOf(e);
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

async function request({ request: one }: Step, { stack, counts, signal }: Context): Promise<void> {
  if (one === undefined) return;
  const { path, times, atOnce = 4, unknownUser = false, to = "adapter" } = one;
  const origin =
    to === "adapter"
      ? `https://127.0.0.1:${stack.adapter.port}`
      : `http://127.0.0.1:${stack.autoscalers[0]?.port}`;
  const agent = new Agent({ connections: atOnce, connect: { rejectUnauthorized: false } });
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < times && !signal.aborted) {
      const n = next++;
      const token = unknownUser ? `made.up.${n}` : stack.tenantToken;
      try {
        const { statusCode, body } = await agent.request({
          origin,
          path: String(expand(path, { n })),
          method: "GET",
          headers: { authorization: `Bearer ${token}` },
          signal,
        });
        await body.dump({ limit: 256 << 20 });
        if (statusCode === 200) counts.answered++;
      } catch {
        // Cut off, refused or too late: the tenant's own loss. What matters is what the victim sees.
      }
      counts.requests++;
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, loop));
  } finally {
    await agent.destroy();
  }
}

function removeAll(resource: string, { store }: HostileStack): void {
  for (const { metadata } of store.list(resource, tenant)) {
    // The tenant's own workload stays for the next attack.
    if (metadata.name.startsWith("target")) continue;
    store.delete(resource, tenant, metadata.name);
  }
}
