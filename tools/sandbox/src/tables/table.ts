import type { StoredObject } from "../storage/stored-object.ts";

/** The columns and cells of a meta.k8s.io/v1 Table; the server adds the envelope and the row objects. */
export interface Table {
  readonly columnDefinitions: readonly TableColumn[];
  /** In the order of the objects. */
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, more only with `-o wide`. */
  readonly priority: number;
}

export interface PrintMoment {
  readonly nowMs: number;
}

/** How one kind is printed: its columns, and a cell for each of them. */
export interface Printer {
  readonly columns: readonly TableColumn[];
  readonly cells: (object: StoredObject, moment: PrintMoment) => readonly unknown[];
}

/**
 * Columns from a short notation: `Age` is text, `#Desired` a whole number, a leading `+` shows it only with
 * `-o wide`. `Name` gets the format of a name.
 */
export function columns(...names: readonly string[]): readonly TableColumn[] {
  return names.map((notation) => {
    const wide = notation.startsWith("+");
    const rest = wide ? notation.slice(1) : notation;
    const isInteger = rest.startsWith("#");
    const name = isInteger ? rest.slice(1) : rest;
    return {
      name,
      type: isInteger ? "integer" : "string",
      format: name === "Name" && !wide ? "name" : "",
      description: "",
      priority: wide ? 1 : 0,
    };
  });
}
