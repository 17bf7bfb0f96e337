// Runs the screen of `top`: keys, rows that are read again and again, and an explanation on request.
import { sleep } from "@plimsoll/component-base";
import type { SummaryRow } from "@plimsoll/decisions";
import type { Cluster } from "../../cluster/cluster.ts";
import { isClusterError } from "../../cluster/error-text.ts";
import type { Decisions } from "../../decisions/open.ts";
import { styleOf } from "../../output/style.ts";
import { CliError, type CliSeams, clockOf, type ExitCode, type Terminal } from "../../seams.ts";
import { statusText } from "../explain/status-text.ts";
import { explanationText } from "../explain/text.ts";
import type { StatusFlags } from "../status/flags.ts";
import type { StatusList } from "../status/gather.ts";
import { sorted } from "../status/sort.ts";
import { frameLines } from "./frame.ts";
import { type Effect, filtered, firstState, press, type TopState } from "./state.ts";

export interface ScreenDeps {
  readonly cluster: Cluster;
  readonly decisions: Decisions;
  readonly flags: StatusFlags & { readonly interval: string };
  readonly seams: CliSeams;
  readonly keys: NonNullable<CliSeams["keys"]>;
  readonly terminal: Terminal;
  readonly intervalMs: number;
  readonly read: () => Promise<StatusList>;
}

/** Another buffer of the terminal, without a cursor; and back. */
const [enter, leave] = ["\u001b[?1049h\u001b[?25l", "\u001b[?25h\u001b[?1049l"];
const rowsByDefault = 24;

type Event =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "list"; readonly list: StatusList }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "explanation"; readonly of: SummaryRow; readonly lines: readonly string[] };

export async function runScreen(deps: ScreenDeps): Promise<ExitCode> {
  const { seams } = deps;
  const ended = new AbortController();
  const signal = AbortSignal.any([seams.signal, ended.signal]);
  const events = createQueue();
  signal.addEventListener("abort", events.end, { once: true });
  const keysEnd = followKeys(deps, signal, events).catch(events.fail);
  // A list that is being read when the screen ends is of no use: its requests end with the connection.
  followRows(deps, signal, events).catch(events.fail);
  seams.writeOut(enter);
  try {
    return await show(deps, events);
  } finally {
    ended.abort();
    seams.writeOut(leave);
    await keysEnd;
  }
}

/** What is on the screen. */
interface Model {
  state: TopState;
  list: StatusList | undefined;
  readAtMs: number | undefined;
  error: string | undefined;
  /** The object that is explained, and the lines once they are there. */
  explained: SummaryRow | undefined;
  explanation: readonly string[] | undefined;
}

async function show(deps: ScreenDeps, events: EventQueue): Promise<ExitCode> {
  const model: Model = {
    state: firstState(deps.flags.sortBy),
    list: undefined,
    readAtMs: undefined,
    error: undefined,
    explained: undefined,
    explanation: undefined,
  };
  for (;;) {
    draw(deps, model);
    const event = await events.next();
    if (event === undefined) return 130;
    const end = event.kind === "key" ? typed(event.key, model, deps, events) : undefined;
    if (end !== undefined) return end;
    if (event.kind !== "key") arrived(event, model, deps.seams.nowMs());
  }
}

function arrived(event: Exclude<Event, { kind: "key" }>, model: Model, nowMs: number): void {
  switch (event.kind) {
    case "list":
      Object.assign(model, { list: event.list, readAtMs: nowMs, error: undefined });
      break;
    case "error":
      model.error = event.message;
      break;
    case "explanation":
      if (event.of === model.explained) model.explanation = event.lines;
  }
}

/** The exit code, where the key ends the command. */
function typed(key: string, model: Model, deps: ScreenDeps, events: EventQueue): ExitCode | undefined {
  const rows = rowsOf(model);
  const length = model.state.mode === "explain" ? (model.explanation?.length ?? 0) : rows.length;
  const { state, effect } = press(model.state, key, length);
  model.state = state;
  if (effect !== "explain") return exitOf(effect);
  model.explained = rows[Math.min(state.selected, rows.length - 1)];
  model.explanation = undefined;
  if (model.explained !== undefined) explain(model.explained, deps, events);
  return undefined;
}

function rowsOf({ list, state }: Model): readonly SummaryRow[] {
  return filtered(sorted(list?.rows ?? [], state.sort), state.filter);
}

function exitOf(effect: Effect | undefined): ExitCode | undefined {
  if (effect === "quit") return 0;
  return effect === "interrupt" ? 130 : undefined;
}

function draw({ seams, flags, cluster, terminal }: ScreenDeps, model: Model): void {
  const { state, list, readAtMs, error, explanation } = model;
  const lines = frameLines(
    state,
    {
      rows: rowsOf(model),
      readAtMs,
      error,
      explanation,
      total: list?.total ?? 0,
      counts: list?.counts ?? {},
      namespace: cluster.scope,
      isWide: flags.output === "wide",
      intervalText: flags.interval,
      nowMs: seams.nowMs(),
    },
    { style: styleOf(seams, flags.color), rows: terminal.rows ?? rowsByDefault },
  );
  // From the top left, each line to its end, and nothing below.
  seams.writeOut(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\n")}\u001b[J`);
}

async function followKeys({ keys }: ScreenDeps, signal: AbortSignal, events: EventQueue): Promise<void> {
  for await (const key of keys(signal)) events.add({ kind: "key", key });
}

async function followRows(deps: ScreenDeps, signal: AbortSignal, events: EventQueue): Promise<void> {
  const { seams, intervalMs, read } = deps;
  while (!signal.aborted) {
    try {
      events.add({ kind: "list", list: await read() });
    } catch (error) {
      events.add({ kind: "error", message: messageFor(error, deps) });
    }
    await sleep(clockOf(seams), intervalMs, signal);
  }
}

function explain(row: SummaryRow, deps: ScreenDeps, events: EventQueue): void {
  const add = (lines: readonly string[]): void => events.add({ kind: "explanation", of: row, lines });
  const isShown = (error: unknown): void => add([`error: ${messageFor(error, deps)}`]);
  explanationOf(row, deps).then(add, isShown).catch(events.fail);
}

/** What the user can do nothing about is shown, and tried again. Throws bugs. */
function messageFor(error: unknown, { cluster }: ScreenDeps): string {
  if (isClusterError(error) || error instanceof CliError) return cluster.errorText(error);
  throw error;
}

async function explanationOf(
  row: SummaryRow,
  { decisions, seams, flags }: ScreenDeps,
): Promise<readonly string[]> {
  const explained = await (decisions.recorded ?? decisions.recomputing).newest(row);
  const { decision } = explained;
  const style = styleOf(seams, flags.color);
  const nowMs = seams.nowMs();
  const text =
    decision === undefined
      ? statusText(explained, { style, hasHeadings: true, nowMs })
      : explanationText({ ...explained, decision }, { style, hasHeadings: true, detail: "steps", nowMs });
  return text.trimEnd().split("\n");
}

interface EventQueue {
  readonly add: (event: Event) => void;
  readonly fail: (error: unknown) => void;
  readonly end: () => void;
  /** Undefined at the end. Throws what failed. */
  next(): Promise<Event | undefined>;
}

function createQueue(): EventQueue {
  const waiting: (Event | { readonly kind: "failure"; readonly error: unknown })[] = [];
  let isEnded = false;
  let wake = (): void => undefined;
  const add = (event: (typeof waiting)[number]): void => {
    waiting.push(event);
    wake();
  };
  return {
    add,
    fail: (error) => add({ kind: "failure", error }),
    end() {
      isEnded = true;
      wake();
    },
    async next() {
      if (waiting.length === 0 && !isEnded)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const event = isEnded ? undefined : waiting.shift();
      if (event?.kind === "failure") throw event.error;
      return event;
    },
  };
}
