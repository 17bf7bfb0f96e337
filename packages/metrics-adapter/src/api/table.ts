/** metav1.Table, in the order in which Go writes it. */
export interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: Readonly<Record<string, never>>;
  readonly columnDefinitions: readonly ColumnDefinition[];
  readonly rows: readonly TableRow[];
}

export interface ColumnDefinition {
  readonly name: string;
  readonly type: "string" | "date";
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

export interface TableRow {
  readonly cells: readonly (string | null)[];
  readonly object: object | null;
}

/** The columns and rows of a table. */
export interface TableSource {
  readonly columns: readonly ColumnDefinition[];
  readonly rows: readonly RowSource[];
}

export interface RowSource {
  readonly cells: readonly (string | null)[];
  readonly metadata: object;
  /** The whole object of the row, with its kind. */
  readonly object: () => object;
}

/** How much of its object a row carries, as `includeObject` says. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** Undefined: there is no such value. Without one kubectl gets what its NAMESPACE column needs. */
export function includeObjectOf(query: URLSearchParams | undefined): IncludeObject | undefined {
  const value = query?.get("includeObject") || "Metadata";
  return value === "None" || value === "Metadata" || value === "Object" ? value : undefined;
}

/** @param priority 0 is always shown, 1 only with `-o wide`. */
export function column(name: string, description: string, priority: 0 | 1 = 0): ColumnDefinition {
  return { name, type: "string", format: name === "Name" ? "name" : "", description, priority };
}

/** @upstream staging/src/k8s.io/apiserver/pkg/endpoints/handlers/response.go#asTable */
export function writeTable(
  { columns, rows }: TableSource,
  apiVersion: string,
  include: IncludeObject,
): Table {
  const objectOf = ({ metadata, object }: RowSource): object | null => {
    if (include === "Object") return object();
    return include === "None" ? null : partialMetadata(metadata, apiVersion);
  };
  return {
    kind: "Table",
    apiVersion,
    metadata: {},
    columnDefinitions: columns,
    rows: rows.map((row) => ({ cells: row.cells, object: objectOf(row) })),
  };
}

/** metav1.PartialObjectMetadata. */
export function partialMetadata(metadata: object, apiVersion: string): object {
  return { kind: "PartialObjectMetadata", apiVersion, metadata };
}
