// Leases that exist although lists do not show them: another client created them without the label, or removed it.
import { forEachLimit } from "@plimsoll/component-base";
import { type Lease, type LeaseAt, readLease } from "./lease.ts";

const maxPerRead = 32;
const maxConcurrent = 8;

/** Leases that lists do not show, and that are read by their names for that reason. */
export type UnlistedLeases = ReturnType<typeof createUnlistedLeases>;

export function createUnlistedLeases(at: Omit<LeaseAt, "name">, onError: (error: unknown) => void) {
  const wanted = new Set<string>();
  const reported = new Set<string>();

  function forget(name: string): void {
    wanted.delete(name);
    reported.delete(name);
  }

  function reportOnce(lease: Lease): void {
    const { name } = lease.metadata;
    const text = missingLabel(at, lease);
    if (text === undefined || reported.has(name)) return;
    reported.add(name);
    onError(new Error(text));
  }

  async function read(name: string): Promise<Lease | undefined> {
    try {
      const lease = await readLease({ ...at, name });
      if (lease === undefined) forget(name);
      else reportOnce(lease);
      return lease;
    } catch (error) {
      // Other leases can be divided without this one.
      onError(error);
      return undefined;
    }
  }

  return {
    /** The lease may exist: creating it conflicted, or its member owns shards. */
    add: (name: string) => void wanted.add(name),
    /** Those that exist still, and that this list does not show. */
    async read(listed: readonly Lease[]): Promise<readonly Lease[]> {
      for (const { metadata } of listed) forget(metadata.name);
      const found: Lease[] = [];
      await forEachLimit(maxConcurrent, [...wanted].slice(0, maxPerRead), async (name) => {
        const lease = await read(name);
        if (lease !== undefined) found.push(lease);
      });
      return found;
    },
  };
}

/** Undefined when the lease has the labels that lists select. */
export function missingLabel({ labels = {} }: Pick<LeaseAt, "labels">, lease: Lease): string | undefined {
  const { name, labels: own = {} } = lease.metadata;
  const missing = Object.entries(labels).filter(([key, value]) => own[key] !== value);
  if (missing.length === 0) return undefined;
  const terms = missing.map(([key, value]) => `${key}=${value}`).join(",");
  return `the lease ${name} has no label ${terms}, so lists do not show it; the next write of a member adds the label`;
}
