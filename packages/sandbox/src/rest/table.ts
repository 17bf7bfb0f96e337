import type { CustomResource, ResourceDefinition } from "../resources/definition.ts";
import { isRecord, type JsonRecord, valueAt } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";

export interface Table {
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

export interface TableRow {
  readonly cells: readonly unknown[];
}

/** Columns for a built-in kind; undefined where there are none beyond name and age. */
export type TableFor = (
  storage: string,
  objects: readonly StoredObject[],
  nowMs: number,
) => Table | undefined;

export interface TableOptions {
  readonly definition: ResourceDefinition;
  readonly tableFor: TableFor;
  readonly nowMs: number;
  readonly version: string;
  /** `includeObject` of the request: Metadata (default), Object or None. */
  readonly include: string | null;
  readonly listMetadata: unknown;
}

/** meta.k8s.io Table of some objects, rows in their order. */
export function renderTable(objects: readonly StoredObject[], o: TableOptions): JsonRecord {
  const { custom, storage } = o.definition;
  const table =
    (custom === undefined ? o.tableFor(storage, objects, o.nowMs) : customTable(objects, custom, o.nowMs)) ??
    plainTable(objects, o.nowMs);
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${o.version}`,
    metadata: o.listMetadata ?? {},
    columnDefinitions: table.columnDefinitions,
    rows: table.rows.map((row, index) => {
      const object = objects[index];
      const shown = object === undefined ? undefined : rowObject(object, o);
      return { cells: row.cells, ...(shown === undefined ? {} : { object: shown }) };
    }),
  };
}

export function partialMetadata(object: StoredObject, version: string): JsonRecord {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object.metadata,
  };
}

function rowObject(object: StoredObject, o: TableOptions): JsonRecord | undefined {
  if (o.include === "None") return undefined;
  return o.include === "Object" ? (object as JsonRecord) : partialMetadata(object, o.version);
}

function plainTable(objects: readonly StoredObject[], nowMs: number): Table {
  return {
    columnDefinitions: [nameColumn, ageColumn],
    rows: objects.map((object) => ({ cells: [object.metadata.name, ageOf(object, nowMs)] })),
  };
}

function customTable(objects: readonly StoredObject[], custom: CustomResource, nowMs: number): Table {
  const columns = custom.columns;
  if (columns.length === 0) return plainTable(objects, nowMs);
  return {
    columnDefinitions: [
      nameColumn,
      ...columns.map((column) => ({
        name: column.name,
        type: column.type,
        format: column.format ?? "",
        description: column.description ?? "",
        priority: column.priority ?? 0,
      })),
    ],
    rows: objects.map((object) => ({
      cells: [
        object.metadata.name,
        ...columns.map((column) => {
          const value = simpleJsonPath(object, column.jsonPath);
          return column.type === "date" && typeof value === "string" ? age(value, nowMs) : (value ?? null);
        }),
      ],
    })),
  };
}

const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "",
  priority: 0,
};
const ageColumn: TableColumn = { name: "Age", type: "string", format: "", description: "", priority: 0 };

// Printer columns use plain paths, `[?(@.type=="X")]` filters and `[n]`; nothing else is in use.
function simpleJsonPath(object: StoredObject, path: string): unknown {
  let current: unknown = object;
  for (const match of path.matchAll(
    /\.([^.[\]]+)|\[\?\(@\.(\w+)\s*==\s*["']([^"']*)["']\)\]|\[(\d+|\*)\]|\['([^']+)'\]/g,
  )) {
    const [, field, filterKey, filterValue, index, quoted] = match;
    const key = field ?? quoted;
    if (key !== undefined) current = valueAt(current, key);
    else if (!Array.isArray(current)) return undefined;
    else if (filterKey !== undefined) {
      current = current.find((item) => isRecord(item) && item[filterKey] === filterValue);
    } else current = index === "*" ? current[0] : current[Number(index)];
  }
  return isRecord(current) || Array.isArray(current) ? JSON.stringify(current) : current;
}

function ageOf(object: StoredObject, nowMs: number): string {
  return object.metadata.creationTimestamp === undefined
    ? "<unknown>"
    : age(object.metadata.creationTimestamp, nowMs);
}

/** @upstream apimachinery/pkg/util/duration/duration.go#HumanDuration */
export function age(since: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1000));
  if (Number.isNaN(seconds)) return "<unknown>";
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (hours < 3) return `${minutes}m`;
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  if (days < 8) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`;
  return `${days}d`;
}
