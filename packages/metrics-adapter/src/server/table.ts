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
  readonly object: object;
}

export interface RowSource {
  readonly cells: readonly (string | null)[];
  readonly metadata: object;
}

/** @param priority 0 is always shown, 1 only with `-o wide`. */
export function column(name: string, description: string, priority: 0 | 1 = 0): ColumnDefinition {
  return { name, type: "string", format: name === "Name" ? "name" : "", description, priority };
}

/** The metadata of each row is what kubectl needs for its NAMESPACE column and for sorting. */
export function table(columns: readonly ColumnDefinition[], rows: readonly RowSource[]): Table {
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: {},
    columnDefinitions: columns,
    rows: rows.map((row) => ({
      cells: row.cells,
      object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: row.metadata },
    })),
  };
}
