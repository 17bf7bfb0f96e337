import { Command, Option } from "commander";
import { type FlagName, flagTable } from "./flags.ts";

export interface CommandLine {
  readonly help: boolean;
  /** Values as written; a flag that was not given has its default, or is absent. */
  readonly values: ReadonlyMap<FlagName, readonly string[]>;
  readonly given: ReadonlySet<FlagName>;
  readonly withoutValue: readonly FlagName[];
  readonly unknown: readonly string[];
}

/** Splits the arguments by the flag table; nothing is judged here. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const values = new Map<FlagName, readonly string[]>();
  const given = new Set<FlagName>();
  const withoutValue: FlagName[] = [];
  let help = false;

  const command = new Command("autoscaler").allowUnknownOption().allowExcessArguments().helpOption(false);
  for (const flag of flagTable) {
    const name = flag.name as FlagName;
    if (flag.default !== undefined) values.set(name, [flag.default]);
    // The value is optional for commander only: a missing one is then a problem like any other.
    command.addOption(new Option(`--${flag.name} [value]`));
    command.on(`option:${flag.name}`, (value: string | null) => {
      if (value === null && flag.boolean !== true) {
        withoutValue.push(name);
        return;
      }
      const earlier = flag.repeatable === true && given.has(name) ? (values.get(name) ?? []) : [];
      values.set(name, [...earlier, value ?? "true"]);
      given.add(name);
    });
  }
  command.option("-h, --help").on("option:help", () => {
    help = true;
  });

  const { operands, unknown } = command.parseOptions([...argv]);
  return { help, values, given, withoutValue, unknown: [...operands, ...unknown] };
}

/** The text of --help. */
export function helpText(): string {
  const command = new Command("autoscaler").description(
    "Evaluates HorizontalPodAutoscalers as kube-controller-manager does, and explains every decision.",
  );
  for (const flag of flagTable) {
    if (flag.retired !== undefined) continue;
    const option = new Option(`--${flag.name} <${flag.value}>`, flag.help);
    command.addOption(flag.default === undefined ? option : option.default(flag.default));
  }
  const retired = flagTable.filter((flag) => flag.retired !== undefined);
  return `${command.helpInformation()}\nAccepted, without effect or under a newer name:\n${retired
    .map((flag) => `  --${flag.name}: ${flag.retired ?? ""}`)
    .join("\n")}\n`;
}
