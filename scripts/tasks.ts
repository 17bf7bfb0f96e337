// Suites, measurements and tools that are no scripts of package.json, and the parts of .ci/run.

export interface Task {
  /** What it shows or makes. */
  readonly shows: string;
  /** On two idle cores. Absent: it depends on the arguments. */
  readonly minutes?: number | undefined;
  /** Absent: the task is a script of package.json. */
  readonly command?: string;
  /** Flags of scripts/setup.mjs. */
  readonly needs?: string;
  /** Present: .ci/run runs it, with these arguments. */
  readonly part?: Part;
}

interface Part {
  readonly args?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** It needs at most one core, and runs at the same time as the part after it. */
  readonly besideNext?: true;
}

/** A row that `npm run task` runs. */
const task = (shows: string, command: string, needs = "", minutes?: number): Task => {
  return { shows, command, needs, minutes };
};
const suite = (name: string) => `vitest run --mode ${name}`;
const [here, real, all] = ["--here", "--prometheus", "--prometheus --optional"];
const besideNext = true;
const short = { SUITE: "short" };

/** By name. The parts of .ci/run are first, in their order. Their seeds are fixed, so only a change makes a run red. */
export const tasks: Readonly<Record<string, Task>> = {
  test: {
    shows: "units, properties at full size, vectors, whole processes with a real Prometheus",
    minutes: 5,
    part: { environment: { PROPERTY_TIMES: "1", PROPERTY_SEED: "1" } },
  },
  e2e: {
    ...task("whole stacks, a release, tutorials, long runs", suite("e2e"), `${all} --sources`, 5),
    part: { environment: short },
  },
  "console-tests": {
    ...task("the console in a real Chromium", suite("console-tests"), all, 4),
    part: { besideNext },
  },
  "docs-tests": {
    ...task("the docs in a real Chromium", suite("docs-tests"), "--optional", 2),
    part: { besideNext },
  },
  verify: { shows: "format, types, lint, prose, imports, dead code, generated files", minutes: 1, part: {} },
  demo: { shows: "the demonstration runs to its end", minutes: 1, part: { args: "--fast", besideNext } },
  bench: { shows: "nothing costs twice as much as before", minutes: 4, part: { args: "short", besideNext } },
  oracle: {
    ...task("decisions equal the real controllers'", "node packages/conformance/src/oracle/main.ts", "", 4),
    part: {
      args: "--cases 20000 --seed 1 --semantics 1.37 --semantics 1.35",
    },
  },
  promql: {
    ...task(
      "every query stays in its namespace",
      "node packages/conformance/src/oracle/promql/main.ts",
      "",
      1,
    ),
    part: { args: "--corpus --cases 5000 --seed 1", besideNext },
  },
  "live-oracle": {
    ...task(
      "live queries answer as Prometheus' engine does",
      "node packages/conformance/src/oracle/live/main.ts",
      "",
      1,
    ),
    part: { args: "--cases 20000 --seed 1" },
  },
  storm: {
    shows: "invariants of the control loop hold in simulated clusters, with faults drawn from seeds",
    minutes: 3,
    part: { args: "--seed 1 --minutes 2", besideNext },
  },
  faults: { ...task("processes short of memory, CPU, files, names", suite("faults"), real, 5), part: {} },
  hostile: {
    ...task("no tenant harms another", "node --max-old-space-size=8192 tools/e2e/hostile/main.ts", all, 5),
    part: { args: "--only kept --every 6" },
  },
  cluster: {
    ...task("both processes on a real control plane", suite("cluster"), "--prometheus --kubectl", 20),
    part: { environment: short },
  },
  corpus: task("a folder of users' files through what reads them", "node tools/e2e/corpus/main.ts", here),
  repeat: task("runs npm test again and again, and counts failures", "node scripts/test-repeat.ts", all),
  timed: task("decisions every second, on an idle machine", suite("timed"), all, 2),
  mutation: task("changes of the code that no test notices", "node scripts/mutation.ts", all),
  plants: task("how soon the storm finds planted faults", "node tools/storm/src/plants/main.ts"),
  soak: task("hours of churn and disruptions, without growth", "node tools/e2e/soak/main.ts", real),
  vectors: task("runs conformance vectors", "node packages/conformance/src/main.ts", here),
  compare: task("responses of prometheus-adapter and of ours", "node tools/bench/src/peer/main.ts", all),
  accuracy: task("the simulator beside the real processes", "node tools/e2e/accuracy/main.ts", "", 2),
  "accuracy-cluster": task(
    "a backtest of the real controller",
    "node tools/e2e/accuracy/main-real.ts",
    real,
    33,
  ),
  "backtest-recovered": task("a backtest without known instants", "node tools/e2e/backtest/main.ts", real),
  "bench-core": task("the cost of a decision", "node --expose-gc tools/bench/src/core/main.ts"),
  "bench-adapter": task("the cost of the adapter", "node tools/bench/src/adapter/main.ts", real),
  "bench-names": task(
    "requests during relists of 100,000 metrics",
    "node tools/bench/src/names/main.ts",
    "",
    3,
  ),
  "bench-autoscaler": task("the cost of the autoscaler", "node tools/bench/src/autoscaler/main.ts"),
  "bench-simulator": task("the cost of a simulation", "node tools/bench/src/simulator/main.ts"),
  "bench-backtest": task("the cost of a backtest", "node tools/bench/src/backtest/main.ts", real),
  "bench-tune": task("the cost of a search", "node tools/bench/src/tune/main.ts"),
  "bench-tune-accuracy": task("what a search finds", "node tools/bench/src/tune-accuracy/main.ts"),
  "bench-live": task("the cost of live metrics", "node tools/bench/src/live/main.ts"),
  "bench-console": task("the cost of the page", "node tools/bench/src/console/main.ts", "--optional", 2),
  pictures: task("takes the pictures of docs/images", "node tools/e2e/pictures/main.ts", all, 4),
  house: task("figures of the tree and their goals", "node scripts/house.ts"),
  prose: task("the prose of pages, with warnings", "node scripts/prose.ts"),
  "build-console": task("builds the page in packages/console/dist", "node packages/console/build/main.ts"),
  "pack-core": task("packs @plimsoll/core for npm", "npm pack ./packages/core"),
  "package-cli": task("packs the command line for npm", "node tools/release/src/images/package-cli.ts", here),
  "image-rootfs": task("writes an image as a folder", "node tools/release/src/images/main.ts", here),
  "cut-version": task("makes a version of the notes in .changeset", "node scripts/cut-version.ts"),
};

/** The tasks that `npm run task` runs. */
export const runnable = Object.keys(tasks).filter((name) => tasks[name]?.command !== undefined);

/** What npm gets to run a task with arguments, which `npm run` takes after "--". */
export function npmArgs(name: string, { command }: Task, args = ""): readonly string[] {
  const own = words(args);
  if (command !== undefined) return ["run", "task", "--", name, ...own];
  return [...(name === "test" ? [name] : ["run", name]), ...(own.length > 0 ? ["--", ...own] : [])];
}

/** What scripts/setup.mjs gets to run a task with arguments. */
export function setupArgs({ needs = "", command = "" }: Task, args: readonly string[]): readonly string[] {
  return [...words(needs), "--", ...words(command), ...args];
}

function words(text: string): readonly string[] {
  return text.split(" ").filter((word) => word !== "");
}
