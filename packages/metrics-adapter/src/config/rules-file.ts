import type { Clock } from "@plimsoll/kube";
import { createFilePoller, type ReadText } from "@plimsoll/kube/serving";
import type { Logger } from "../logger.ts";
import { type LoadedRules, loadRules } from "./load.ts";
import { formatProblem } from "./problem.ts";
import type { CompiledRules } from "./rules.ts";

export interface RulesFileOptions {
  readonly path: string;
  readonly readText: ReadText;
  readonly clock: Clock;
  readonly pollIntervalMs: number;
  readonly log: Logger;
}

export interface RulesListener {
  /** Takes rules that the file now holds into force. */
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
  /** Why the rules in force are not those of the file; undefined when they are. */
  note(): string | undefined;
}

export function createRulesFile(options: RulesFileOptions): RulesFile {
  const { path, log } = options;
  let listener: RulesListener | undefined;
  /** A change that came before anybody listened. */
  let missed: readonly string[] | undefined;
  let rejected: string | undefined;
  let unread: string | undefined;

  const read = (text: string): LoadedRules => {
    const loaded = loadRules(text, path);
    for (const warning of loaded.ok ? loaded.warnings : []) {
      log.warn({ ...warning, file: path }, "rule may not do what it seems to");
    }
    return loaded;
  };

  const onChange = (contents: readonly string[]): void => {
    if (listener === undefined) missed = contents;
    else follow(listener, contents);
  };

  const follow = (to: RulesListener, [text = ""]: readonly string[]): void => {
    const loaded = read(text);
    to.onReload(loaded.ok ? "success" : "failure");
    if (!loaded.ok) {
      const [first] = loaded.problems;
      for (const problem of loaded.problems) {
        log.error({ file: path }, `new rules are not used: ${formatProblem(path, problem)}`);
      }
      const where = first === undefined ? path : `${path}:${first.line}:${first.column}`;
      rejected = `older rules are in use, the file has ${loaded.problems.length} problems, first at ${where}`;
      return;
    }
    rejected = undefined;
    log.info({ file: path }, "rules file changed");
    const { rules } = loaded;
    to.use(rules).then(
      () => log.info({ file: path }, "new rules are in use"),
      (error: unknown) => log.error({ err: error, file: path }, "new rules could not be taken into use"),
    );
  };

  const poller = createFilePoller({
    ...options,
    paths: [path],
    intervalMs: options.pollIntervalMs,
    onChange,
    onRead: (error) => {
      unread = error === undefined ? undefined : `older rules are in use, ${path} cannot be read`;
    },
  });

  return {
    async load() {
      const [text = ""] = await poller.start();
      return read(text);
    },
    watch(next) {
      listener = next;
      if (missed !== undefined) follow(next, missed);
    },
    stop: () => poller.stop(),
    note: () => unread ?? rejected,
  };
}
