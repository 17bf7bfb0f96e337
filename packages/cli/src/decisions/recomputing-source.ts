// Decisions that are made again from live data, where no autoscaler of ours has recorded them.
import { type Clock, forEachLimit, messageOf } from "@plimsoll/component-base";
import { formatInstant } from "@plimsoll/core";
import {
  type ControllerSettings,
  createDirectReader,
  type DirectReader,
  type NotRecomputed,
  type Recomputed,
  readControllerSettings,
  readEvents,
  recompute,
  type SettingOverrides,
} from "@plimsoll/observe";
import type { Cluster } from "../cluster/cluster.ts";
import { isClusterError } from "../cluster/error-text.ts";
import { getObject } from "../objects/get.ts";
import { hpas, type ObjectIdentity, type ScalingObject, wlas } from "../objects/scaling-object.ts";
import { CliError } from "../seams.ts";
import type { DecisionSource, Explained } from "./source.ts";

export interface RecomputingSourceDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly overrides: SettingOverrides;
}

/** A decision source that also takes objects that were read already. */
export interface RecomputingSource extends DecisionSource {
  readonly kind: "recomputed";
  explain(object: ScalingObject): Promise<Explained>;
  /** Of these, in their order; of objects behind the limit only the status is read. */
  explainAll(objects: readonly ScalingObject[], limit: number): Promise<readonly Explained[]>;
  readonly settings: () => Promise<ControllerSettings>;
}

const maxAtOnce = 8;

export function createRecomputingSource(deps: RecomputingSourceDeps): RecomputingSource {
  const { cluster, clock, overrides } = deps;
  let settings: Promise<ControllerSettings> | undefined;
  const readSettings = (): Promise<ControllerSettings> => {
    settings ??= readControllerSettings(cluster.client, cluster.version.minor, overrides);
    return settings;
  };
  const one = async (object: ScalingObject, reader?: DirectReader): Promise<Explained> => {
    if (object.kind === "WorkloadAutoscaler")
      return statusOnly(object, ["only Plimsoll's autoscaler decides about a WorkloadAutoscaler"], clock);
    const { assumptions } = await readSettings();
    const shared = reader ?? (await readerOf(deps, readSettings));
    const { client } = cluster;
    return explainedOf(
      object,
      await recompute(object.object, { client, reader: shared, assumptions }),
      clock,
    );
  };
  const explainAll = async (
    objects: readonly ScalingObject[],
    limit: number,
  ): Promise<readonly Explained[]> => {
    const reader = await readerOf(deps, readSettings);
    const explained: Explained[] = [];
    await forEachLimit(maxAtOnce, [...objects.entries()], async ([index, object]) => {
      explained[index] =
        index < limit
          ? await one(object, reader)
          : statusOnly(object, [`not among the first ${limit}`], clock);
    });
    return explained;
  };
  return {
    kind: "recomputed",
    settings: readSettings,
    explain: async (object) => withEvents(await one(object), object, cluster),
    explainAll,
    newest: async (identity) => {
      const object = await read(cluster, identity);
      return withEvents(await one(object), object, cluster);
    },
    at: () => Promise.reject(new CliError(notRecorded)),
    back: () => Promise.reject(new CliError(notRecorded)),
  };
}

const notRecorded = "only Plimsoll's autoscaler records past decisions";

async function readerOf(
  { cluster, clock }: RecomputingSourceDeps,
  readSettings: () => Promise<ControllerSettings>,
): Promise<DirectReader> {
  const { client, mapper } = cluster;
  return createDirectReader({ client, mapper, clock, options: (await readSettings()).options });
}

async function read(
  { client }: Cluster,
  { resource, namespace, name }: ObjectIdentity,
): Promise<ScalingObject> {
  const found = await getObject(client, resource === hpas.resource ? hpas : wlas, { namespace, name });
  if (found !== undefined) return found;
  throw new CliError(`${resource} "${name}" in namespace "${namespace}" has been deleted`);
}

function explainedOf(object: ScalingObject, made: Recomputed | NotRecomputed, clock: Clock): Explained {
  if (!made.isReadable) return { ...statusOnly(object, [], clock), errors: made.denied };
  const { isReadable: _, ...recomputed } = made;
  const { identity, object: served } = object;
  return { source: "recomputed", at: made.record.at, object: identity, ...recomputed, served };
}

function statusOnly(object: ScalingObject, notes: readonly string[], clock: Clock): Explained {
  return {
    source: "status",
    at: formatInstant(clock.nowMs()),
    object: object.identity,
    served: object.object,
    assumptions: [],
    notes,
  };
}

/** Without a decision the events say what happened last. */
async function withEvents(
  explained: Explained,
  { kind, identity }: ScalingObject,
  { client }: Cluster,
): Promise<Explained> {
  if (explained.source !== "status") return explained;
  try {
    return { ...explained, events: await readEvents(client, { kind, ...identity }) };
  } catch (error) {
    if (!isClusterError(error)) throw error;
    return {
      ...explained,
      errors: [...(explained.errors ?? []), `events are not read: ${messageOf(error)}`],
    };
  }
}
