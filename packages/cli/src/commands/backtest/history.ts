// The backtest of what a Prometheus remembers: one autoscaler after the other is read and replayed.
import type { HistoryFlags } from "../../history/flags.ts";
import type { HistoryObject } from "../../history/objects.ts";
import { type History, HistoryFinding, openHistory } from "../../history/open.ts";
import { CliError, type CliSeams } from "../../seams.ts";
import type { BacktestReport } from "./document.ts";
import type { ExactBacktest } from "./exact.ts";
import { backtestWithWhatIfs, type ReplayFlags, worstFirst } from "./recordings.ts";

export interface HistoryRequest extends ReplayFlags {
  readonly objects: readonly string[];
  /** Of the namespace, or of the manifest. */
  readonly isAll: boolean;
  readonly flags: HistoryFlags & { readonly prometheusUrl: string };
}

export interface HistoryBacktest extends ExactBacktest {
  /** Why the history of an autoscaler was refused: what is found in it, not what went wrong. */
  readonly findings: readonly string[];
}

/** Why flags do not fit. @throws CliError */
function checkRequest({ objects, isAll, flags }: HistoryRequest): void {
  if (isAll && objects.length > 0)
    throw new CliError(
      `--all reports the whole namespace and can't be combined with a name ("${objects[0]}")`,
    );
  if (!isAll && objects.length === 0)
    throw new CliError("--prometheus-url needs an object, such as hpa/shop, or --all");
  if (flags.save !== undefined && (isAll || objects.length > 1))
    throw new CliError("--save writes the recording of one object: add its name");
}

/** What was read and replayed; on an interrupt, until then. @throws CliError where nothing can be read */
export async function backtestHistory(request: HistoryRequest, seams: CliSeams): Promise<HistoryBacktest> {
  checkRequest(request);
  const history = await openHistory(request.flags, request.periodMs, seams);
  try {
    return await backtestEach(history, request, seams);
  } finally {
    await history.close();
  }
}

async function backtestEach(
  history: History,
  { objects, isAll, ...replay }: HistoryRequest,
  seams: CliSeams,
): Promise<HistoryBacktest> {
  const reports: BacktestReport[] = [];
  const [notes, errors, findings]: [string[], string[], string[]] = [[], [], []];
  const found: readonly (HistoryObject | string)[] = isAll ? await history.all() : objects;
  for (const one of found) {
    try {
      const object = typeof one === "string" ? await history.find(one) : one;
      const { recording, notes: ofReading } = await history.read(object);
      const replayed = await backtestWithWhatIfs(recording, replay, seams);
      reports.push(...replayed.reports);
      notes.push(...[...ofReading, ...replayed.notes].map((note) => `${object.name}: ${note}`));
      errors.push(...replayed.errors.map((error) => `${object.name}: ${error}`));
    } catch (error) {
      if (seams.signal.aborted) {
        notes.push(`interrupted: the report covers ${reports.length} of ${found.length} autoscalers`);
        break;
      }
      if (!(error instanceof CliError)) throw error;
      (error instanceof HistoryFinding ? findings : errors).push(error.message);
    }
  }
  return { reports: worstFirst(reports), notes, errors, findings };
}
