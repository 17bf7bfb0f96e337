// The newest row of each object, with versions, so that a reader gets what changed since it looked last.
import type { KeyedEntries } from "@plimsoll/component-base";
import type { DeletedRow, RowMetric, SummaryRow } from "@plimsoll/decisions";

/** Changes since a version. */
export interface RowChanges {
  readonly rows: readonly SummaryRow[];
  readonly deleted: readonly DeletedRow[];
}

export interface Rows {
  /** Grows with each change of a row that says something new. */
  readonly version: number;
  get(key: string): SummaryRow | undefined;
  all(): readonly SummaryRow[];
  readonly entries: KeyedEntries;
  put(key: string, row: SummaryRow): void;
  drop(key: string): void;
  /** Undefined when what was deleted since is unknown any more. */
  since(version: number): RowChanges | undefined;
}

/** As many as there are objects in a large cluster: a namespace that is deleted resets no reader. */
const maxDeleted = 10_000;

export function createRows(isSame: (one: SummaryRow, other: SummaryRow) => boolean): Rows {
  const entries = new Map<string, { readonly row: SummaryRow; readonly version: number }>();
  const deleted: { readonly version: number; readonly row: DeletedRow }[] = [];
  let version = 0;
  /** Deletions up to this version are forgotten. */
  let forgotten = 0;
  return {
    get version() {
      return version;
    },
    get: (key) => entries.get(key)?.row,
    all: () => Array.from(entries.values(), ({ row }) => row),
    entries,
    put(key, row) {
      const before = entries.get(key);
      const isChanged = before === undefined || !isSame(before.row, row);
      entries.set(key, { row, version: isChanged ? ++version : before.version });
    },
    drop(key) {
      const entry = entries.get(key);
      if (entry === undefined) return;
      entries.delete(key);
      const { resource, namespace, name, uid } = entry.row;
      deleted.push({ version: ++version, row: { resource, namespace, name, uid } });
      if (deleted.length > 2 * maxDeleted)
        forgotten = deleted.splice(0, maxDeleted).at(-1)?.version ?? forgotten;
    },
    since(from) {
      if (from < forgotten || from > version) return undefined;
      if (from === version) return { rows: [], deleted: [] };
      return {
        rows: [...entries.values()].filter((entry) => entry.version > from).map(({ row }) => row),
        deleted: deleted.filter((entry) => entry.version > from).map(({ row }) => row),
      };
    },
  };
}

/** Whether two rows say the same, whenever they were decided. */
export function isSameRow(one: SummaryRow, other: SummaryRow): boolean {
  const { metrics, target, otherWriter, at: _, ...fields } = one;
  if (target.kind !== other.target.kind || target.name !== other.target.name) return false;
  // Each of its writes moves this time.
  if (otherWriter?.retryAt !== other.otherWriter?.retryAt) return false;
  if (metrics.length !== other.metrics.length || one.note !== other.note || one.verdict !== other.verdict)
    return false;
  for (const name in fields)
    if (fields[name as keyof typeof fields] !== other[name as keyof typeof fields]) return false;
  return metrics.every((metric, index) => isSameMetric(metric, other.metrics[index]));
}

function isSameMetric(one: RowMetric, other: RowMetric | undefined): boolean {
  return (
    one.name === other?.name &&
    one.value === other.value &&
    one.target === other.target &&
    Object.is(one.ratio, other.ratio) &&
    one.replicas === other.replicas &&
    one.error === other.error
  );
}
