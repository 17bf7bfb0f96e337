// Watches the rules file and loads it when it changes.
import { messageOf } from "@plimsoll/component-base";
import { createFilePoller, type FollowSeams } from "@plimsoll/kube/serving";
import {
  type CompiledRules,
  formatProblem,
  type LoadedRules,
  loadRules,
  type Problem,
  type PromqlSyntax,
  withoutProblems,
} from "@plimsoll/rules";

export interface RulesFileOptions extends FollowSeams {
  readonly path: string;
  readonly syntax?: PromqlSyntax;
  /** What is wrong with rules that can be read: sources that there are not. */
  readonly check?: (rules: CompiledRules) => readonly Problem[];
}

export interface RulesListener {
  /** Puts the new rules into force. After a failure it is called again with the same rules at each poll. */
  readonly use: (rules: CompiledRules) => Promise<void>;
  /** Called when the rules are used, or with the reason why not. */
  readonly onReload: (outcome: "success" | "failure") => void;
}

/** The rules file, from the first reading to the last change. */
export interface RulesFile {
  /** Rules with problems are left out, where there are others, except rules with `live` while pods are not scraped. @throws when the file cannot be read. */
  load(): Promise<LoadedRules>;
  /**
   * Follows the file from what was loaded. A change leaves out single rules as the start does. The old rules stay where
   * nothing of the file can be used, its resourceRules have a problem, or a source is missing, which may come later.
   */
  watch(listener: RulesListener): void;
  stop(): void;
  /** The rules that were loaded last and could be used. */
  current(): CompiledRules | undefined;
  /** The usable ones of a file that was refused, in part or whole; their sources may be missing. */
  pending(): CompiledRules | undefined;
  /** Tries the file once more, where it was refused. */
  retry(): void;
  /** Why the rules in force are not those of the file; undefined when they are. */
  note(): string | undefined;
}

interface State extends RulesFileOptions {
  listener?: RulesListener;
  /** A change from before the first listener. */
  missed?: readonly string[];
  current?: CompiledRules;
  /** Of the last change, where that was refused. */
  refused?: readonly string[] | undefined;
  rejected?: string | undefined;
  unread?: string | undefined;
  newest?: readonly string[];
  /** The newest change, where it could not be taken into use: the next poll tries it again. */
  unused?: readonly string[] | undefined;
}

export function createRulesFile(options: RulesFileOptions): RulesFile {
  const { path } = options;
  const state: State = { ...options };
  const poller = createFilePoller({
    ...options,
    paths: [path],
    onChange(contents) {
      if (state.listener === undefined) state.missed = contents;
      else follow(state, state.listener, contents);
    },
    onRead(error) {
      state.unread = error === undefined ? undefined : unusable(path, error);
      const { listener, unused } = state;
      if (listener !== undefined && unused !== undefined) follow(state, listener, unused);
    },
  });
  return {
    async load() {
      const contents = await poller.start();
      const loaded = readRules(contents[0] ?? "", options);
      const rules = loaded.ok ? loaded.rules : loaded.rest;
      const isOff = options.syntax?.liveProblem === "off";
      if (rules === undefined || (isOff && !loaded.ok && loaded.problems.some(isOfLive))) return loaded;
      state.current = rules;
      if (!loaded.ok) {
        state.refused = contents;
        leaveOut(state, loaded.problems);
      }
      return { ok: true, rules, warnings: loaded.warnings };
    },
    current: () => state.current,
    pending() {
      if (state.refused === undefined) return undefined;
      return usableRules({
        ...loadRules(state.refused[0] ?? "", path, options.syntax),
        lacksSources: false,
      });
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

function isOfLive({ path }: Problem): boolean {
  return /^(rules|externalRules)\[\d+\]\.live$/.test(path);
}

function leaveOut(state: State, problems: readonly Problem[]): void {
  const { path, log } = state;
  state.rejected = rejection("rules are left out", path, problems);
  for (const problem of problems) log.error({ problem: formatProblem(path, problem) }, "a rule is left out");
}

function follow(state: State, to: RulesListener, contents: readonly string[]): void {
  const { path, log } = state;
  const loaded = readRules(contents[0] ?? "", state);
  const rules = usableRules(loaded);
  state.refused = loaded.ok ? undefined : contents;
  state.rejected = undefined;
  state.newest = contents;
  state.unused = undefined;
  if (!loaded.ok && rules !== undefined) leaveOut(state, loaded.problems);
  else if (!loaded.ok) refuse(state, loaded.problems);
  if (rules === undefined) return to.onReload("failure");
  state.current = rules;
  log.info({ file: path }, "rules file changed");
  const outcome = loaded.ok ? "success" : "failure";
  to.use(rules).then(
    () => {
      log.info({ file: path }, "switched to new rules");
      return to.onReload(outcome);
    },
    (error: unknown) => {
      if (state.newest === contents) {
        state.rejected = unusable(path, error);
        state.unused = contents;
      }
      to.onReload("failure");
      log.error({ err: error, file: path }, "could not switch to the new rules");
    },
  );
}

function unusable(path: string, error: unknown): string {
  return `using older rules: cannot load ${path}: ${messageOf(error)}`;
}

function refuse(state: State, problems: readonly Problem[]): void {
  const { path, log } = state;
  state.rejected = rejection("using older rules", path, problems);
  for (const problem of problems)
    log.error({ problem: formatProblem(path, problem) }, "new rules are rejected; keeping the old ones");
}

/** Without resourceRules all cpu and memory would be gone; the file of sources may change a moment later. */
function usableRules(loaded: ReadRules): CompiledRules | undefined {
  if (loaded.ok) return loaded.rules;
  const isHeld = loaded.lacksSources || loaded.problems.some(({ path }) => path.startsWith("resourceRules"));
  return isHeld ? undefined : loaded.rest;
}

type ReadRules = LoadedRules & { readonly lacksSources: boolean };

function readRules(text: string, { path, log, check, syntax }: RulesFileOptions): ReadRules {
  const loaded = loadRules(text, path, syntax);
  const { warnings } = loaded;
  const rules = loaded.ok ? loaded.rules : loaded.rest;
  const unusable = rules === undefined ? [] : (check?.(rules) ?? []);
  if (rules !== undefined && unusable.length > 0) {
    const problems = loaded.ok ? unusable : [...loaded.problems, ...unusable];
    const rest = withoutProblems(rules, unusable);
    return { ok: false, problems, warnings, rest, lacksSources: true };
  }
  for (const warning of loaded.ok ? loaded.warnings : []) {
    // A file without rules is meant so where it says it: MetricRules and backends need none.
    if (warning.message.startsWith("no rules") && /^[^\s#-]/m.test(text)) continue;
    log.warn({ ...warning, file: path }, "rule is probably not what you intended");
  }
  return { ...loaded, lacksSources: false };
}

function rejection(what: string, path: string, problems: readonly Problem[]): string {
  const [first] = problems;
  const where = first === undefined ? path : `${path}:${first.line}:${first.column}`;
  return `${what}: the file has ${problems.length} problems, first at ${where}`;
}
