import { Command, Option } from "commander";
import type { FlagTable } from "./flag.ts";

/** Arguments, assigned to the flags of a table. Values are as written: nothing is checked yet. */
export interface ParsedFlags<Name extends string = string> {
  readonly isHelp: boolean;
  readonly isVersion: boolean;
  /** Of the flags that were given. */
  readonly values: ReadonlyMap<Name, readonly string[]>;
  readonly withoutValue: readonly Name[];
  /** Arguments that belong to no flag, in their order. */
  readonly unknown: readonly UnknownArgument[];
}

/** An argument that belongs to no flag. */
export interface UnknownArgument {
  readonly argument: string;
  /** From 1. */
  readonly number: number;
  /** It follows an unknown flag, and is most likely its value. */
  readonly isLikelyValue: boolean;
}

const noValue = Symbol("no value");

/** Go's spelling: --flag, --flag=value, --flag value; for a flag of one letter also -v 4, -v4 and -v=4. */
export function parseFlags<Name extends string>(
  table: FlagTable<Name>,
  args: readonly string[],
): ParsedFlags<Name> {
  const values = new Map<Name, readonly string[]>();
  const withoutValue: Name[] = [];
  const command = new Command().allowUnknownOption().allowExcessArguments().helpOption(false);
  for (const name of namesOf(table)) {
    // The value is optional for commander only: a missing one is a problem like any other.
    const option = new Option(`${spelling(name)} [value]`);
    option.preset(table[name].kind === "bool" ? "true" : noValue);
    // Not by a listener for each option: a second one changes the shape that all event emitters of the process share
    // in V8, after which each request costs about 12 µs more, most of it for the garbage collector.
    option.argParser((value: unknown) => {
      if (typeof value === "string") values.set(name, [...(values.get(name) ?? []), value]);
      else withoutValue.push(name);
    });
    command.addOption(option);
  }
  command.option("-h, --help").option("--version");
  // Commander would take the = for a part of the value.
  const spelled = args.map((one) => (/^-\w=/.test(one) && one.charAt(1) in table ? `-${one}` : one));
  const { operands, unknown } = command.parseOptions(spelled);
  return {
    isHelp: command.getOptionValue("help") === true,
    isVersion: command.getOptionValue("version") === true,
    values,
    withoutValue,
    unknown: unknownOf([...operands, ...unknown], args),
  };
}

/** The names of all flags, without dashes. */
export function namesOf<Name extends string>(table: FlagTable<Name>): readonly Name[] {
  return Object.keys(table) as Name[];
}

/** "--config", or "-v, --v" for one letter. */
export function spelling(name: string): string {
  return name.length === 1 ? `-${name}, --${name}` : `--${name}`;
}

function unknownOf(rest: readonly string[], args: readonly string[]): readonly UnknownArgument[] {
  return rest.map((argument, index) => {
    const before = rest[index - 1];
    const isLikelyValue = before?.startsWith("-") === true && !before.includes("=");
    return { argument, number: args.indexOf(argument) + 1, isLikelyValue };
  });
}
