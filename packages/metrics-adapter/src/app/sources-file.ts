// The file of sources: read, connected to, and followed while the process runs.
import { messageOf } from "@plimsoll/component-base";
import { createFilePoller, type FilePoller, type FollowSeams } from "@plimsoll/kube/serving";
import {
  defaultSource,
  formatProblem,
  loadSources,
  type Problem,
  type SourceConfig,
  type UsableSource,
  usableSources,
} from "@plimsoll/rules";
import type { Source } from "../backends/prometheus/source.ts";
import type { Sources } from "../backends/prometheus/source-set.ts";
import { type ConnectedSource, connectSource } from "./sources.ts";

export interface SourcesFileOptions extends FollowSeams {
  /** Undefined: there is none, and the sources never change. */
  readonly path: string | undefined;
  readonly resultMaxAgeMs: number;
  /** The source of the flags, which is the default where the file has none of this name. */
  readonly connectDefault: () => Promise<Source>;
  /** Whether the rules in force can do with these sources. */
  readonly checkRules: (sources: readonly UsableSource[]) => readonly string[];
}

export interface SourcesListener {
  /** Puts other sources into force. */
  readonly use: (sources: Sources) => void;
  readonly onReload: (outcome: "success" | "failure") => void;
}

/** The sources, from the first reading of their file to the last change. */
export type SourcesFile = ReturnType<typeof createSourcesFile>;

interface State extends SourcesFileOptions {
  configs: readonly SourceConfig[];
  connected: ReadonlyMap<string, Connection>;
  ofFlags?: Source;
  listener?: SourcesListener;
  rejected?: string | undefined;
  /** The last change, where that was refused. */
  refused?: string | undefined;
  /** What was said of it. */
  said: string;
  unread?: string | undefined;
  /** Changes are taken one after the other. */
  change: Promise<void>;
}

interface Connection {
  readonly config: SourceConfig;
  readonly source: ConnectedSource;
}

export function createSourcesFile(options: SourcesFileOptions) {
  const state: State = {
    ...options,
    configs: [],
    connected: new Map(),
    said: "",
    change: Promise.resolve(),
  };
  const { path } = options;
  const poller = path === undefined ? undefined : pollerOf(state, path);
  return {
    /** Reads it the first time. @returns what is wrong with it. @throws when it cannot be read */
    async load(): Promise<readonly string[]> {
      const [text = ""] = (await poller?.start()) ?? [];
      const read = readSources(state, text);
      if (read.ok) state.configs = read.configs;
      return read.ok ? [] : read.problems;
    },
    /** Those of the file that was read last and could be used. */
    usable: (): readonly UsableSource[] => usableSources(state.configs),
    /** Connects to what has been loaded. @throws Error, which names all sources whose files cannot be read */
    async connect(): Promise<Sources> {
      const made = await connectAll(state, state.configs);
      if (!made.ok) throw new Error(made.problems.join("; "));
      state.connected = made.connected;
      return await sourcesOf(state, state.connected);
    },
    /** Follows the file. One that cannot be used changes nothing. */
    watch(listener: SourcesListener): void {
      state.listener = listener;
      retry(state);
    },
    /** Tries the file once more, where it was refused for the rules. */
    retry: () => retry(state),
    /** Why the sources in use are not those of the file; undefined when they are. */
    note: (): string | undefined => state.unread ?? state.rejected,
    stop: () => poller?.stop(),
    /** Ends all connections. */
    async close(): Promise<void> {
      const all = [...state.connected.values()].map(({ source }) => source.client);
      const { ofFlags } = state;
      await Promise.allSettled(
        [...all, ...(ofFlags === undefined ? [] : [ofFlags.client])].map((one) => one.close()),
      );
    },
  };
}

function pollerOf(state: State, path: string): FilePoller {
  return createFilePoller({
    ...state,
    paths: [path],
    onChange([text = ""]) {
      state.change = state.change.then(() => take(state, text));
    },
    onRead(error) {
      state.unread =
        error === undefined ? undefined : `using older sources: cannot load ${path}: ${messageOf(error)}`;
      // A Secret may be mounted later than the file that names it.
      retry(state);
    },
  });
}

/** Of several changes the last one counts: what was refused is looked up when its turn comes. */
function retry(state: State): void {
  if (state.refused === undefined) return;
  state.change = state.change.then(() =>
    state.refused === undefined ? undefined : take(state, state.refused),
  );
}

type ReadSources =
  | { readonly ok: true; readonly configs: readonly SourceConfig[] }
  | { readonly ok: false; readonly problems: readonly string[] };

function readSources({ path, log }: State, text: string): ReadSources {
  if (path === undefined) return { ok: true, configs: [] };
  const loaded = loadSources(text);
  const shown = (problem: Problem): string => formatProblem(path, problem);
  if (!loaded.ok) return { ok: false, problems: loaded.problems.map(shown) };
  for (const warning of loaded.warnings) log.warn({ ...warning, file: path }, "a source may be unsafe");
  return { ok: true, configs: loaded.config.sources };
}

/** Takes a changed file into use, or says why not, once for each reason. Never rejects. */
async function take(state: State, text: string): Promise<void> {
  const { listener, log, path } = state;
  const isOther = text !== state.refused;
  // A change from before the first listener is taken when there is one.
  state.refused = text;
  if (listener === undefined) return;
  const problems = await tryToUse(state, text, listener);
  const [first] = problems;
  if (first === undefined) {
    state.refused = undefined;
    state.rejected = undefined;
    state.said = "";
    listener.onReload("success");
    log.info({ file: path, sources: state.connected.size }, "switched to new sources");
    return;
  }
  state.rejected = `using older sources: the file has ${problems.length} problems, first ${first}`;
  const said = problems.join("\n");
  if (!isOther && said === state.said) return;
  state.said = said;
  listener.onReload("failure");
  for (const problem of problems) log.error({ problem }, "new sources are rejected; keeping the old ones");
}

async function tryToUse(state: State, text: string, { use }: SourcesListener): Promise<readonly string[]> {
  const read = readSources(state, text);
  if (!read.ok) return read.problems;
  const problems = state.checkRules(usableSources(read.configs));
  if (problems.length > 0) return problems;
  const made = await connectAll(state, read.configs);
  if (!made.ok) return made.problems;
  try {
    const sources = await sourcesOf(state, made.connected);
    const former = state.connected;
    state.configs = read.configs;
    state.connected = made.connected;
    use(sources);
    for (const [name, { source }] of former) if (made.connected.get(name)?.source !== source) source.retire();
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

type Made =
  | { readonly ok: true; readonly connected: ReadonlyMap<string, Connection> }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Those that are there already with the same fields go on. */
async function connectAll(state: State, configs: readonly SourceConfig[]): Promise<Made> {
  const opened: ConnectedSource[] = [];
  const problems: string[] = [];
  const connected = new Map<string, Connection>();
  const shared = { sources: configs.length, resultMaxAgeMs: state.resultMaxAgeMs };
  for (const config of configs) {
    const known = state.connected.get(config.name);
    if (known !== undefined && JSON.stringify(known.config) === JSON.stringify(config)) {
      connected.set(config.name, known);
      continue;
    }
    try {
      const source = await connectSource(config, shared, state);
      opened.push(source);
      connected.set(config.name, { config, source });
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  if (problems.length === 0) return { ok: true, connected };
  for (const source of opened) source.retire();
  return { ok: false, problems };
}

/** @throws Error when the source of the flags is needed and cannot be connected to */
async function sourcesOf(state: State, connected: ReadonlyMap<string, Connection>): Promise<Sources> {
  const sources = new Map<string, Source>([...connected].map(([name, { source }]) => [name, source]));
  const ofFile = sources.get(defaultSource);
  sources.delete(defaultSource);
  if (ofFile !== undefined) return { source: ofFile, sources };
  state.ofFlags ??= await state.connectDefault();
  return { source: state.ofFlags, sources };
}
