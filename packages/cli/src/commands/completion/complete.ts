// Completes a command line by cobra's protocol, which kubectl speaks with its plugins: candidates, then a directive.
import type { Argument, Command, Option } from "commander";
import type { CliSeams } from "../../seams.ts";
import { objectNames } from "./names.ts";

/** What follows the candidates: whether the shell adds names of files. */
const noFiles = ":4";
const files = ":0";

interface Completion {
  readonly candidates: readonly string[];
  readonly directive: typeof noFiles | typeof files;
}

/** A target may have any name, and older completions of bash expand what they are given: "$(id)" would be run. */
const plain = /^[\w./:@%+=,-]+$/;

/** Writes the candidates for the last word, one a line, and the directive. Never fails: no candidates are an answer, too. */
export async function writeCompletion(
  program: Command,
  words: readonly string[],
  seams: CliSeams,
): Promise<void> {
  const { candidates, directive } = await complete(program, words, seams);
  const lines = candidates.filter((candidate) => plain.test(candidate));
  seams.writeOut(`${[...lines, directive].join("\n")}\n`);
}

async function complete(program: Command, words: readonly string[], seams: CliSeams): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const typed = readTyped(program, words.slice(0, -1));
  const { command, pending, values } = typed;
  if (pending !== undefined) return ofOption(pending, current, "");
  if (typed.isOver) return none;
  const [, flag, start] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  if (flag !== undefined && start !== undefined) {
    const option = optionOf(command, flag);
    return option === undefined ? none : ofOption(option, start, `${flag}=`);
  }
  if (current.startsWith("-")) return starting(current, flagsOf(command));
  const names = command.commands.map((one) => one.name());
  if (names.length > 0) return starting(current, [...names, ...(command === program ? ["help"] : [])]);
  const argument = argumentAt(command, typed.count);
  return argument === undefined ? none : await ofArgument(argument, { current, values, seams });
}

async function ofArgument(
  argument: Argument,
  {
    current,
    values,
    seams,
  }: { readonly current: string; readonly values: Typed["values"]; readonly seams: CliSeams },
): Promise<Completion> {
  if (argument.argChoices !== undefined) return starting(current, argument.argChoices);
  if (argument.name() === "FILE" || isFileHere(argument, values)) return { candidates: [], directive: files };
  const isObject = /^(?:FILE\|)?OBJECT$/.test(argument.name());
  return isObject ? starting(current, await objectNames(current, values, seams)) : none;
}

/** Of `backtest`: objects are those of a history in a Prometheus. */
function isFileHere(argument: Argument, values: Typed["values"]): boolean {
  return argument.name() === "FILE|OBJECT" && argument.variadic && values["prometheusUrl"] === undefined;
}

const none: Completion = { candidates: [], directive: noFiles };

function starting(current: string, candidates: readonly string[]): Completion {
  return { candidates: candidates.filter((one) => one.startsWith(current)), directive: noFiles };
}

function ofOption(option: Option, start: string, prefix: string): Completion {
  if (option.argChoices !== undefined) {
    const choices = option.argChoices.filter((choice) => choice.startsWith(start));
    return { candidates: choices.map((choice) => `${prefix}${choice}`), directive: noFiles };
  }
  return /<(?:FILE|DIR|NAME=FILE)/.test(option.flags) ? { candidates: [], directive: files } : none;
}

/** What the words before the last one say. */
interface Typed {
  readonly command: Command;
  /** The option whose value the last word is. */
  readonly pending: Option | undefined;
  /** Of the options so far, by their attribute. */
  readonly values: Readonly<Record<string, string>>;
  /** How many arguments there are. */
  readonly count: number;
  /** A word is none of the command's. */
  readonly isOver: boolean;
}

function readTyped(program: Command, words: readonly string[]): Typed {
  let [command, count, isOver]: [Command, number, boolean] = [program, 0, false];
  let pending: Option | undefined;
  const values: Record<string, string> = {};
  for (const word of words) {
    if (pending !== undefined) {
      values[pending.attributeName()] = word;
      pending = undefined;
    } else if (word.startsWith("-") && word !== "-") {
      const [flag = "", value] = word.split(/=(.*)/s);
      const option = optionOf(command, flag);
      if (option !== undefined && takesValue(option) && value === undefined) pending = option;
      else if (option !== undefined) values[option.attributeName()] = value ?? "";
    } else if (command.commands.length > 0) {
      const inner = command.commands.find((one) => one.name() === word);
      isOver ||= inner === undefined;
      command = inner ?? command;
    } else {
      count += 1;
    }
  }
  return { command, pending, values, count, isOver };
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

function optionOf(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => flag === long || flag === short);
}

function flagsOf(command: Command): readonly string[] {
  const own = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
  return [...own, "--help"].toSorted();
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const all = command.registeredArguments;
  const last = all.at(-1);
  return all[index] ?? (last?.variadic === true ? last : undefined);
}
