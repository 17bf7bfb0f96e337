import type { StoredObject } from "../storage/stored-object.ts";
import { ageSince } from "./human-duration.ts";
import { parseJsonPath } from "./json-path.ts";
import { columns, type Printer } from "./table.ts";

/** One of a CustomResourceDefinition's additionalPrinterColumns. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** Name and age, for a kind without columns of its own. */
export const plainPrinter: Printer = {
  columns: columns("Name", "Age"),
  cells: (object, { nowMs }) => [object.metadata.name, ageSince(object.metadata.creationTimestamp, nowMs)],
};

/** @upstream apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go */
export function customPrinter(printerColumns: readonly PrinterColumn[]): Printer {
  if (printerColumns.length === 0) return plainPrinter;
  const readers = printerColumns.map((column) => ({
    type: column.type,
    read: parseJsonPath(column.jsonPath),
  }));
  return {
    columns: [
      ...columns("Name"),
      ...printerColumns.map((column) => ({
        name: column.name,
        type: column.type,
        format: column.format ?? "",
        description: column.description ?? "",
        priority: column.priority ?? 0,
      })),
    ],
    cells: (object, { nowMs }) => [
      object.metadata.name,
      ...readers.map(({ type, read }) => cellOf(type, firstOf(object, read), nowMs)),
    ],
  };
}

function firstOf(object: StoredObject, read: ReturnType<typeof parseJsonPath>): unknown {
  return read?.(object)[0];
}

/** An empty cell is null, as is a value of another type than the column's. */
function cellOf(type: string, value: unknown, nowMs: number): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageSince(value, nowMs) : null;
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value);
    default:
      return null;
  }
}
