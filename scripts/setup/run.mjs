// The command line of scripts/setup.mjs, in plain JavaScript for Node 20.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installDependencies } from "./dependencies.mjs";
import { findOptional, findProgram, refuseWindows } from "./find.mjs";
import { findForeignRuntime } from "./foreign.mjs";
import { Missing } from "./missing.mjs";
import { folderOf } from "./programs.mjs";
import { thisSystem } from "./system.mjs";
import { chromium, kubectl, prometheus, prometheus3, sources, victoriaMetrics } from "./wanted.mjs";

const usage = `usage: node scripts/setup.mjs [--prometheus] [--kubectl] [--optional] [--sources] [--foreign] [--cached] [--here] [-- COMMAND ARG…]

Brings a fresh clone to the point where COMMAND can run, then runs it.

  --prometheus  brings Prometheus, which the command needs
  --kubectl     brings kubectl onto the PATH, where the command needs it
  --optional    finds programs that some tests would like to have
  --sources     finds proxies, servers, and exporters that the recipe book is tested with
  --foreign     brings Node and its libraries for the other architecture of images
  --cached      COMMAND keeps its compiled code, and starts sooner the next time
  --here        COMMAND runs a program of this clone in the folder that npm was called in, where its arguments' paths are`;
const flags = ["--prometheus", "--kubectl", "--optional", "--sources", "--foreign", "--cached", "--here"];

// Also for a Node that is too old, so that it can be said.
const root = fileURLToPath(new URL("../..", import.meta.url));
/** Of npm's shell, where npm runs this. */
const parent = process.ppid;

/** The exit code of the command; 1 when something is missing, which is printed. */
export async function setup(argv) {
  try {
    return await prepareAndRun(argv);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    console.error(`plimsoll: ${error.message}`);
    return 1;
  }
}

async function prepareAndRun(argv) {
  const split = argv.indexOf("--");
  const wishes = split < 0 ? argv : argv.slice(0, split);
  const [command, ...args] = split < 0 ? [] : argv.slice(split + 1);
  if (wishes.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const unknown = wishes.find((wish) => !flags.includes(wish));
  if (unknown !== undefined) {
    console.error(`there is no flag ${unknown}\n\n${usage}`);
    return 2;
  }
  refuseWindows(process.platform);
  installDependencies(root);
  const environment = {
    ...process.env,
    PATH: [join(root, "node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter),
    // Packages run from their TypeScript sources; Node strips the types.
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --conditions=@plimsoll/source`.trim(),
    TURBO_TELEMETRY_DISABLED: "1",
  };
  bringPrograms(wishes, environment, thisSystem());
  // The folder of scripts/test-settings.ts.
  if (wishes.includes("--cached"))
    environment.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "compile");
  if (wishes.includes("--foreign")) Object.assign(environment, findForeignRuntime(root));
  if (command === undefined) return 0;
  if (!wishes.includes("--here")) return run(command, args, { cwd: root, env: environment });
  const program = args.findIndex((arg) => !arg.startsWith("-"));
  const absolute = args.with(program, join(root, args[program]));
  return run(command, absolute, { cwd: process.env.INIT_CWD ?? root, env: environment });
}

/** Adds what a command wishes to have to its environment. */
function bringPrograms(wishes, environment, system) {
  if (wishes.includes("--prometheus")) environment.PROMETHEUS = findProgram(prometheus, system);
  if (wishes.includes("--kubectl")) addToPath(environment, findProgram(kubectl, system));
  if (wishes.includes("--sources"))
    for (const one of sources)
      Object.assign(environment, present({ [one.variable]: findOptional(one, system) }));
  if (!wishes.includes("--optional")) return;
  addToPath(environment, findOptional(kubectl, system));
  const optional = {
    CHROMIUM: findOptional(chromium, system),
    PROMETHEUS_3: findOptional(prometheus3, system),
    VICTORIA_METRICS: findOptional(victoriaMetrics, system),
  };
  Object.assign(environment, present(optional));
}

/** Tests look for kubectl on the PATH, as its users have it there: this one comes first, and alone, under this name. */
function addToPath(environment, program) {
  if (program === undefined) return;
  environment.PATH = [folderOf("kubectl", program), environment.PATH].join(delimiter);
}

/** The exit code of a command, which gets the signals that end this process. */
async function run(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // A terminal's Ctrl-C reaches the command by itself; vitest takes a second one as an order to exit at once.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  // npm passes a signal to its shell, and some shells end without passing it on.
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event === undefined || process.ppid === parent) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, 200).unref();
  const [code, signal] = await once(child, "exit").catch((error) => {
    throw new Missing(`cannot start ${command}: ${error.message}`);
  });
  return code ?? 128 + constants.signals[signal];
}

function present(variables) {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
}
