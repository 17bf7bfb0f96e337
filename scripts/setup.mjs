// Brings a fresh clone to the point where COMMAND can run, then runs it:
//   node scripts/setup.mjs [--prometheus] [--optional] [-- COMMAND ARG…]
// The flags bring the programs that the command needs (Prometheus) or that some tests would like to have.
// Plain JavaScript for Node 20, because it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { installDependencies } from "./setup/dependencies.mjs";
import { Missing } from "./setup/missing.mjs";
import { findChromium, findPrometheus3, findVictoriaMetrics } from "./setup/optional.mjs";
import { findPrometheus } from "./setup/prometheus.mjs";

const root = join(import.meta.dirname, "..");

function main(argv) {
  const split = argv.indexOf("--");
  const wishes = split < 0 ? argv : argv.slice(0, split);
  const [command, ...args] = split < 0 ? [] : argv.slice(split + 1);
  installDependencies(root);
  const environment = {
    ...process.env,
    PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
    // Packages run from their TypeScript sources; Node strips the types.
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --conditions=@plimsoll/source`.trim(),
    TURBO_TELEMETRY_DISABLED: "1",
  };
  if (wishes.includes("--prometheus")) environment.PROMETHEUS = findPrometheus();
  if (wishes.includes("--optional")) {
    Object.assign(
      environment,
      present({
        CHROMIUM: findChromium(),
        PROMETHEUS_3: findPrometheus3(),
        VICTORIA_METRICS: findVictoriaMetrics(),
      }),
    );
  }
  if (command === undefined) return 0;
  const run = spawnSync(command, args, { cwd: root, env: environment, stdio: "inherit" });
  if (run.error) throw new Missing(`cannot start ${command}: ${run.error.message}`);
  return run.status ?? 1;
}

function present(variables) {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
}

// A Ctrl-C is for the command, which shuts its own processes down.
process.on("SIGINT", () => {});
try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.error(`plimsoll: ${error.message}`);
  process.exitCode = 1;
}
