// Renders objects as tables, which kubectl get prints.
import type { ResourceDefinition } from "../resources/definition.ts";
import type { JsonRecord } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { tableFor } from "../tables/index.ts";

export interface TableOptions {
  readonly definition: ResourceDefinition;
  readonly nowMs: number;
  readonly version: string;
  /** `includeObject` of the request: Metadata (default), Object or None. */
  readonly include: string | null;
  readonly listMetadata: unknown;
}

/** meta.k8s.io Table of some objects, rows in their order. */
export function renderTable(objects: readonly StoredObject[], options: TableOptions): JsonRecord {
  const { custom, storage } = options.definition;
  // A kind without columns of its own shows name and age, as a custom resource without columns does.
  const table =
    (custom === undefined ? tableFor(storage, objects, { nowMs: options.nowMs }) : undefined) ??
    tableFor(storage, objects, { nowMs: options.nowMs, printerColumns: custom?.columns ?? [] });
  const rows = table?.rows ?? [];
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata: options.listMetadata ?? {},
    columnDefinitions: table?.columnDefinitions ?? [],
    rows: objects.map((object, index) => {
      const shown = rowObject(object, options);
      return { cells: rows[index]?.cells ?? [], ...(shown === undefined ? {} : { object: shown }) };
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

function rowObject(object: StoredObject, options: TableOptions): JsonRecord | undefined {
  if (options.include === "None") return undefined;
  return options.include === "Object" ? object : partialMetadata(object, options.version);
}
