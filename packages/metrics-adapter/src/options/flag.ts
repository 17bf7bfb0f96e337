export type FlagKind = "string" | "int" | "bool" | "duration" | "strings" | "pairs";

export type FlagSection =
  | "Rules and discovery"
  | "Prometheus"
  | "Serving"
  | "Authentication"
  | "Authorization"
  | "Logging"
  | "Accepted for compatibility";

export interface Flag {
  readonly name: string;
  readonly kind: FlagKind;
  /** As a person would write it; "" when there is none. */
  readonly fallback: string;
  readonly help: string;
  readonly section: FlagSection;
  /**
   * moot: what it asks for always holds. ignored: it has no effect here, and setting it gives a warning that
   * says why.
   */
  readonly effect: "used" | "moot" | { readonly ignored: string };
}

/** @param kind How the value is written; strings and pairs may be repeated. */
export function flag(
  section: FlagSection,
  name: string,
  kind: FlagKind,
  rest: { readonly help: string; readonly fallback?: string; readonly effect?: Flag["effect"] },
): Flag {
  return {
    name,
    kind,
    section,
    help: rest.help,
    fallback: rest.fallback ?? "",
    effect: rest.effect ?? "used",
  };
}

/** The placeholder in `--name <placeholder>`. */
export function placeholder(kind: FlagKind): string {
  switch (kind) {
    case "string":
      return "<text>";
    case "int":
      return "<number>";
    case "bool":
      return "[bool]";
    case "duration":
      return "<duration>";
    case "strings":
      return "<list>";
    case "pairs":
      return "<key=value>";
  }
}
