// The decisions that the autoscaler recorded, where its endpoint answers.
import { getOrAdd } from "@plimsoll/component-base";
import { type Decision, instantMs, type OtherWriter } from "@plimsoll/core";
import {
  type Autoscaler,
  type Installation,
  known,
  type PastDecision,
  pastDecision,
  type Reading,
  thresholds,
  unknown,
} from "@plimsoll/doctor";
import type { Explained, RecordedSource } from "../../../decisions/source.ts";
import type { ObjectIdentity } from "../../../objects/scaling-object.ts";

/** What the autoscaler recorded about the objects. */
export type Records = ReturnType<typeof createRecords>;

/** Of one object: an hour at the default period. */
const maxDecisions = 250;
/**
 * Of all objects: decisions are large, some 4 kB each. An autoscaler keeps 20 of each by default, so that those of 250 objects are read.
 */
const maxOfAll = 5_000;
const noRecords = unknown("no recorded decisions");
const tooMany = unknown(
  `only ${maxOfAll.toLocaleString("en-US")} recorded decisions are read: for more, name the object, for example plimsoll doctor hpa/NAME -n NAMESPACE`,
);

export function createRecords(source: RecordedSource | undefined) {
  if (source === undefined) {
    return {
      newest: () => Promise.resolve(noRecords),
      otherWriter: () => Promise.resolve(noRecords),
      history: () => Promise.resolve(noRecords),
      newestOfAll: () => Promise.resolve(undefined),
    };
  }
  let read = 0;
  const newest = new Map<Autoscaler, Promise<Explained | undefined>>();
  const newestOf = (object: Autoscaler) =>
    getOrAdd(newest, object, () =>
      orUndefined(async () => (await source.last(identityOf(object), 1)).at(-1)),
    );
  return {
    async newest(object: Autoscaler): Promise<Reading<Decision>> {
      const explained = await newestOf(object);
      return explained?.decision === undefined ? noRecords : known(explained.decision);
    },
    /** Known where a decision is recorded; undefined: no other client writes the object. */
    async otherWriter(object: Autoscaler): Promise<Reading<OtherWriter | undefined>> {
      const explained = await newestOf(object);
      return explained?.source === "recorded" ? known(explained.otherWriter) : noRecords;
    },
    /** Oldest first. */
    async history(object: Autoscaler): Promise<Reading<readonly PastDecision[]>> {
      if (read >= maxOfAll) return tooMany;
      const kept = await orUndefined(() => source.last(identityOf(object), maxDecisions));
      read += kept?.length ?? 0;
      const found = (kept ?? []).flatMap(({ at, decision }) => {
        const atMs = instantMs(at);
        return atMs === undefined || decision === undefined ? [] : pastDecision(atMs, decision);
      });
      return found.length === 0 ? noRecords : known(found);
    },
    /** Of all objects. */
    async newestOfAll(): Promise<Installation["newestDecision"]> {
      const rows = await orUndefined(() => source.rows(undefined));
      const newest = (rows ?? [])
        .map((row) => ({ row, atMs: instantMs(row.at) ?? 0 }))
        .toSorted((a, b) => b.atMs - a.atMs)[0];
      if (newest === undefined) return undefined;
      // The process, and each object, may have another period than the default.
      const before = await orUndefined(() => source.back(newest.row, 1));
      const beforeMs = instantMs(before?.at);
      if (beforeMs === undefined) return undefined;
      return { atMs: newest.atMs, periodMs: Math.max(thresholds.syncPeriodMs, newest.atMs - beforeMs) };
    },
  };
}

function identityOf({ kind, namespace, name, uid, target }: Autoscaler): ObjectIdentity {
  const resource = kind === "HorizontalPodAutoscaler" ? "horizontalpodautoscalers" : "workloadautoscalers";
  return { resource, namespace, name, uid, target: { kind: target.kind, name: target.name } };
}

/** What is not kept, or may not be read, is unknown. */
async function orUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
