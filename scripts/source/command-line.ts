// Reads the command lines of scripts.
import { type ParseArgsConfig, parseArgs } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<T extends Options> = ReturnType<
  typeof parseArgs<{ options: T; allowPositionals: true }>
>["values"];

interface CommandLine<T extends Options> {
  readonly values: Parsed<T>;
  readonly positionals: readonly string[];
}

/**
 * The options and other arguments of a script. `--help` prints the usage, and an unknown option prints what is wrong
 * with it and the usage; both end the process.
 */
export function readCommandLine<T extends Options>(
  usage: string,
  options: T,
  allowPositionals = false,
): CommandLine<T> {
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) return end(0, `usage: ${usage}`);
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals });
    return { values, positionals };
  } catch (error) {
    return end(2, `${error instanceof Error ? error.message : String(error)}\n\nusage: ${usage}`);
  }
}

function end(code: number, message: string): never {
  if (code === 0) console.log(message);
  else console.error(message);
  process.exit(code);
}
