// status --watch on a terminal: each list takes the place of the one before.
import { sleep } from "@plimsoll/component-base";
import { isClusterError } from "../../cluster/error-text.ts";
import { timeText } from "../../output/age.ts";
import { styleOf } from "../../output/style.ts";
import { cut, wrap } from "../../output/width.ts";
import { CliError, clockOf, type ExitCode } from "../../seams.ts";
import type { StatusList } from "./gather.ts";
import { emptyText, type PrintStatus, sumsOf, tableOf } from "./print.ts";

/** Another buffer of the terminal, without a cursor; and back. */
const [enter, leave] = ["\u001b[?1049h\u001b[?25l", "\u001b[?25h\u001b[?1049l"];
const rowsByDefault = 24;

interface Watch extends PrintStatus {
  readonly intervalMs: number;
}

/** Until the command is interrupted. A list that cannot be read leaves the last one, and is read again. */
export async function watchOnScreen(read: () => Promise<StatusList>, watch: Watch): Promise<ExitCode> {
  const { cluster, seams } = watch;
  let list: StatusList | undefined;
  let readAtMs = 0;
  seams.writeOut(enter);
  try {
    while (!seams.signal.aborted) {
      let problem: string | undefined;
      try {
        list = await read();
        readAtMs = seams.nowMs();
        problem = list.errors.map(({ object, message }) => `${object}: ${message}`)[0];
      } catch (error) {
        if (seams.signal.aborted || !(isClusterError(error) || error instanceof CliError)) throw error;
        problem = cluster.errorText(error);
      }
      const lines = frame({ list, readAtMs, problem }, watch);
      // From the top left, each line to its end, and nothing below.
      seams.writeOut(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\n")}\u001b[J`);
      await sleep(clockOf(seams), watch.intervalMs, seams.signal);
    }
  } finally {
    seams.writeOut(leave);
  }
  return 130;
}

interface Shown {
  readonly list: StatusList | undefined;
  readonly readAtMs: number;
  readonly problem: string | undefined;
}

function frame({ list, readAtMs, problem }: Shown, watch: Watch): readonly string[] {
  const { cluster, flags, seams, intervalMs } = watch;
  const style = styleOf(seams, flags.color);
  const where = cluster.scope === undefined ? "all namespaces" : `namespace ${cluster.scope}`;
  const read = list === undefined ? "" : `  as of ${timeText(readAtMs, seams.nowMs())}`;
  const title = `${where}${read}, every ${intervalMs / 1000}s, Ctrl-C ends`;
  const mark = style.isUtf8 ? "…" : "...";
  const body = list === undefined ? [] : list.total === 0 ? [emptyText(cluster)] : tableOf(list, watch);
  const rows = seams.terminal?.rows ?? rowsByDefault;
  const errors = problem === undefined ? [] : wrap(style.text(`error: ${problem}`), style.columns, "  ");
  const end = [
    ...(list === undefined ? [] : sumsOf(list, watch)),
    // A server's message can be as long as it likes.
    ...errors.slice(0, Math.max(1, Math.floor(rows / 3))).map((line) => style.paint("bad", line)),
  ];
  const room = Math.max(1, rows - 1 - end.length);
  const left = body.length - room + 1;
  return [
    style.paint("muted", cut(style.text(title), style.columns ?? title.length, mark)),
    ...(left <= 1 ? body : [...body.slice(0, room - 1), `${mark} ${left} more lines; --problem shows fewer`]),
    ...end,
  ];
}
