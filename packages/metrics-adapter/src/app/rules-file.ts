// Watches the rules file and loads it when it changes.
import type { Clock, Logger } from "@plimsoll/component-base";
import { createFilePoller, type ReadText } from "@plimsoll/kube/serving";
import {
  type CompiledRules,
  formatProblem,
  type LoadedRules,
  loadRules,
  type Problem,
} from "@plimsoll/rules";

export interface RulesFileOptions {
  readonly path: string;
  readonly readText: ReadText;
  readonly clock: Clock;
  readonly pollIntervalMs: number;
  readonly log: Logger;
  /** What is wrong with rules that can be read: sources that there are not. */
  readonly check?: (rules: CompiledRules) => readonly Problem[];
}

export interface RulesListener {
  /** Puts the new rules into force. */
  readonly use: (rules: CompiledRules) => Promise<void>;
  readonly onReload: (outcome: "success" | "failure") => void;
}

/** The rules file, from the first reading to the last change. */
export interface RulesFile {
  /** @throws when the file cannot be read. */
  load(): Promise<LoadedRules>;
  /** Follows the file from what was loaded. A file that cannot be used changes nothing. */
  watch(listener: RulesListener): void;
  stop(): void;
  /** The rules that were loaded last and could be used. */
  current(): CompiledRules | undefined;
  /** Those of the file that was refused for its sources; undefined where it has other problems, or none. */
  pending(): CompiledRules | undefined;
  /** Tries the file once more, where it was refused. */
  retry(): void;
  /** Why the rules in force are not those of the file; undefined when they are. */
  note(): string | undefined;
}

interface State extends RulesFileOptions {
  listener: RulesListener | undefined;
  /** A change from before the first listener. */
  missed: readonly string[] | undefined;
  current: CompiledRules | undefined;
  /** Of the last change, where that was refused. */
  refused: readonly string[] | undefined;
  rejected: string | undefined;
  unread: string | undefined;
}

export function createRulesFile(options: RulesFileOptions): RulesFile {
  const { path } = options;
  const state: State = {
    ...options,
    listener: undefined,
    missed: undefined,
    current: undefined,
    refused: undefined,
    rejected: undefined,
    unread: undefined,
  };
  const poller = createFilePoller({
    ...options,
    paths: [path],
    intervalMs: options.pollIntervalMs,
    onChange(contents) {
      if (state.listener === undefined) state.missed = contents;
      else follow(state, state.listener, contents);
    },
    onRead(error) {
      state.unread = error === undefined ? undefined : `older rules are in use, ${path} cannot be read`;
    },
  });
  return {
    async load() {
      const [text = ""] = await poller.start();
      const loaded = readRules(text, options);
      if (loaded.ok) state.current = loaded.rules;
      return loaded;
    },
    current: () => state.current,
    pending() {
      if (state.refused === undefined) return undefined;
      const loaded = loadRules(state.refused[0] ?? "", path);
      return loaded.ok ? loaded.rules : undefined;
    },
    retry() {
      if (state.listener !== undefined && state.refused !== undefined)
        follow(state, state.listener, state.refused);
    },
    watch(next) {
      state.listener = next;
      if (state.missed !== undefined) follow(state, next, state.missed);
    },
    stop: () => poller.stop(),
    note: () => state.unread ?? state.rejected,
  };
}

function follow(state: State, to: RulesListener, contents: readonly string[]): void {
  const { path, log } = state;
  const loaded = readRules(contents[0] ?? "", state);
  state.refused = loaded.ok ? undefined : contents;
  state.rejected = loaded.ok ? undefined : rejection(path, loaded.problems);
  if (loaded.ok) state.current = loaded.rules;
  to.onReload(loaded.ok ? "success" : "failure");
  if (!loaded.ok) {
    for (const problem of loaded.problems)
      log.error({ problem: formatProblem(path, problem) }, "new rules are not used");
    return;
  }
  log.info({ file: path }, "rules file changed");
  to.use(loaded.rules).then(
    () => log.info({ file: path }, "new rules are in use"),
    (error: unknown) => log.error({ err: error, file: path }, "new rules could not be taken into use"),
  );
}

function readRules(text: string, { path, log, check }: RulesFileOptions): LoadedRules {
  const loaded = loadRules(text, path);
  const problems = loaded.ok ? (check?.(loaded.rules) ?? []) : [];
  if (problems.length > 0) return { ok: false, problems, warnings: loaded.warnings };
  for (const warning of loaded.ok ? loaded.warnings : []) {
    log.warn({ ...warning, file: path }, "rule may not do what it seems to");
  }
  return loaded;
}

function rejection(path: string, problems: readonly Problem[]): string {
  const [first] = problems;
  const where = first === undefined ? path : `${path}:${first.line}:${first.column}`;
  return `older rules are in use, the file has ${problems.length} problems, first at ${where}`;
}
