// Counts how many of a limited number of slots each namespace uses.

/** A limited number of slots, counted by the namespace that uses them. */
export function createNamespaceSlots(limit: number) {
  const takenBy = new Map<string, number>();
  let taken = 0;
  return {
    get taken() {
      return taken;
    },
    /** False when there is none left. */
    take(namespace: string): boolean {
      if (taken >= limit) return false;
      taken++;
      takenBy.set(namespace, (takenBy.get(namespace) ?? 0) + 1);
      return true;
    },
    release(namespace: string): void {
      taken--;
      const left = (takenBy.get(namespace) ?? 1) - 1;
      if (left > 0) takenBy.set(namespace, left);
      else takenBy.delete(namespace);
    },
    /** Whether the namespace holds no more than are left, so that there are always some for the others. */
    isWithinShare: (namespace: string): boolean => (takenBy.get(namespace) ?? 0) <= limit - taken,
  };
}
