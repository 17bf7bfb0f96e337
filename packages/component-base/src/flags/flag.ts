// The definition of a command-line flag. Parsing, defaults, --help and the documentation come from one table of them.

/** How a value is written. `strings` and `pairs` may be repeated; a `bool` without a value is true. */
export type FlagKind = "string" | "int" | "number" | "bool" | "duration" | "strings" | "pairs";

/** One flag. */
export interface Flag {
  readonly kind: FlagKind;
  /** How the value looks in --help, where the kind does not say it. */
  readonly value?: string;
  /** As an operator would write it. */
  readonly default?: string;
  readonly choices?: readonly string[];
  readonly help: string;
  /** The heading in --help and in the documentation. */
  readonly section: string;
  /** The upstream program that has a flag of this name. */
  readonly alsoOf?: string;
  /** Absent: the flag is used. Otherwise setting it gives a warning that ends in this string. */
  readonly effect?: { readonly ignored: string } | { readonly retired: string };
}

/** By name, without dashes, in the order of --help. */
export type FlagTable<Name extends string = string> = Readonly<Record<Name, Flag>>;

/** The flags of one section. */
export function section<const Specs extends Readonly<Record<string, Omit<Flag, "section">>>>(
  title: string,
  specs: Specs,
): { readonly [Name in keyof Specs]: Specs[Name] & { readonly section: string } } {
  const entries = Object.entries(specs).map(([name, spec]) => [name, { ...spec, section: title }]);
  return Object.fromEntries(entries);
}

/** The placeholder in `--name <placeholder>`. */
export function placeholder(flag: Flag): string {
  if (flag.kind === "bool") return "[bool]";
  return `<${flag.value ?? flag.choices?.join("|") ?? kindNames[flag.kind]}>`;
}

const kindNames: Readonly<Record<FlagKind, string>> = {
  string: "text",
  int: "number",
  number: "number",
  bool: "bool",
  duration: "duration",
  strings: "list",
  pairs: "key=value",
};
