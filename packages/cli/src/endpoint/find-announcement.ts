// Finds the process that decides, by the leases of the namespaces in which an autoscaler is trusted to run.
import { ApiError, leases, readList, resourcePath } from "@plimsoll/kube";
import type { Cluster } from "../cluster/cluster.ts";
import { type Announcement, announcementOf, isServing, type ServingLease } from "./announcement.ts";

/**
 * Only these, because a lease decides who gets a credential: in other namespaces, whoever may write leases there could
 * announce a pod of their own.
 */
export const trustedNamespaces = ["plimsoll", "kube-system"] as const;

export type Found =
  | { readonly ok: true; readonly announcement: Announcement }
  | { readonly ok: false; readonly reason: string };

/** The one renewed last. Throws ApiError or ConnectionError. */
export async function findAnnouncement(
  { client }: Pick<Cluster, "client">,
  namespaces: readonly string[],
): Promise<Found> {
  const lists = await Promise.all(
    namespaces.map(async (namespace) => {
      try {
        const items = await readList<ServingLease>(client, resourcePath(leases, namespace));
        return items.filter(isServing).map((lease) => withNamespace(lease, namespace));
      } catch (error) {
        if (error instanceof ApiError && (error.code === 403 || error.code === 404)) return undefined;
        throw error;
      }
    }),
  );
  const serving = lists.flatMap((list) => list ?? []).sort(newestFirst);
  const held = serving.filter(({ spec }) => (spec?.holderIdentity ?? "") !== "");
  const [first] = serving;
  const announcement = held.map(announcementOf).find((one) => one !== undefined);
  if (announcement !== undefined) return { ok: true, announcement };
  if (first !== undefined) {
    const name = `${first.metadata.namespace ?? ""}/${first.metadata.name}`;
    const reason =
      held.length === 0 ? `the lease ${name} has no holder` : `the address in lease ${name} is unusable`;
    return { ok: false, reason };
  }
  const denied = namespaces.filter((_, index) => lists[index] === undefined);
  const read = namespaces.filter((_, index) => lists[index] !== undefined);
  return {
    ok: false,
    reason: [
      ...(read.length === 0 ? [] : [`no lease in ${inNamespaces(read)} has an address`]),
      ...(denied.length === 0 ? [] : [`you can't list leases in ${inNamespaces(denied)}`]),
    ].join(", and "),
  };
}

function inNamespaces(names: readonly string[]): string {
  return `namespace${names.length === 1 ? "" : "s"} ${names.join(" and ")}`;
}

/** As it was asked for: what a list says of itself is not what a path is built from. */
function withNamespace(lease: ServingLease, namespace: string): ServingLease {
  return { ...lease, metadata: { ...lease.metadata, namespace } };
}

function newestFirst(a: ServingLease, b: ServingLease): number {
  const [one, other] = [a.spec?.renewTime ?? "", b.spec?.renewTime ?? ""];
  return one < other ? 1 : one > other ? -1 : 0;
}
