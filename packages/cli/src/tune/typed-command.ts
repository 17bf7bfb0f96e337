// The command line that gives a result again.
import { redact } from "@plimsoll/core/redact";
import type { CliSeams } from "../seams.ts";

/** As it can be pasted into a shell, with what was not typed; credentials are replaced. */
export function typedCommand(
  { name, args }: Pick<CliSeams, "name" | "args">,
  more: readonly string[],
): string {
  return redact([name, ...withoutHeaders([...args, ...more]).map(quoted)].join(" "));
}

function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`;
}

const header = "--prometheus-header";

/** Any header may be a credential. */
function withoutHeaders(args: readonly string[]): readonly string[] {
  return args.map((arg, at) => {
    const isValue = args[at - 1] === header;
    return isValue || arg.startsWith(`${header}=`)
      ? arg.replace(isValue ? /=.*/s : /(?<==[^=]*)=.*/s, "=***")
      : arg;
  });
}
