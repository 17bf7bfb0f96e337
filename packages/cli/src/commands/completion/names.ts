// Names of objects for completion, as far as the cluster says them soon.
import { systemClock, withDeadline } from "@plimsoll/component-base";
import { openConnection } from "@plimsoll/kube";
import { withSettings } from "../../cluster/request-log.ts";
import { listOf } from "../../objects/list.ts";
import { hpas, type ScalingObject, wlas } from "../../objects/scaling-object.ts";
import type { CliSeams } from "../../seams.ts";

/** A person waits for the shell meanwhile. */
const timeoutMs = 300;

const targetKinds: Readonly<Record<string, string>> = {
  deploy: "Deployment",
  sts: "StatefulSet",
  rs: "ReplicaSet",
  rollout: "Rollout",
};

/** Names as they can be typed, behind the kind where one is typed; none when the cluster does not say them within 300 ms. */
export async function objectNames(
  current: string,
  flags: Readonly<Record<string, string>>,
  seams: CliSeams,
): Promise<readonly string[]> {
  const { clock = systemClock } = seams;
  try {
    const objects = await withDeadline(clock, timeoutMs, (signal) => listed(flags, seams, signal));
    return namesOf(objects, current);
  } catch {
    // Whatever it is, the command itself will say it.
    return [];
  }
}

async function listed(
  flags: Readonly<Record<string, string>>,
  seams: CliSeams,
  signal: AbortSignal,
): Promise<readonly ScalingObject[]> {
  const { clock = systemClock, connect = openConnection, nowMs, version } = seams;
  const { kubeconfig, context, cluster, user, namespace, as } = flags;
  const { client: base, access } = await connect({
    kubeconfig,
    context,
    cluster,
    user,
    impersonate: as === undefined ? undefined : { user: as, groups: [] },
    userAgent: `plimsoll/${version}`,
    clock,
  });
  const client = withSettings(base, { timeoutMs, signal, nowMs, log: undefined });
  try {
    const query = { namespace: namespace ?? access.context.namespace ?? "default" };
    // What may not be listed hides nothing of the other kind.
    const lists = await Promise.allSettled([hpas, wlas].map((resource) => listOf(client, resource, query)));
    return lists.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
  } finally {
    await client.close();
  }
}

function namesOf(objects: readonly ScalingObject[], current: string): readonly string[] {
  const kind = current.includes("/") ? (current.split("/")[0] ?? "") : undefined;
  const names = objects.flatMap(({ identity: { resource, name, target } }) => {
    if (kind === undefined) return name;
    if (kind === "hpa") return resource === "horizontalpodautoscalers" ? name : [];
    if (kind === "wla") return resource === "workloadautoscalers" ? name : [];
    return Object.hasOwn(targetKinds, kind) && target.kind === targetKinds[kind] ? target.name : [];
  });
  return [...new Set(names)].toSorted().map((name) => (kind === undefined ? name : `${kind}/${name}`));
}
