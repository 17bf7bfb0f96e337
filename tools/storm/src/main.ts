// The command storm: simulated hours of the whole control loop, with faults drawn from a seed, in a process that is supervised.
import { fileURLToPath } from "node:url";
import { usage } from "./options/options.ts";
import { supervise } from "./supervisor/supervise.ts";

/** A run hung, or ended its process. */
const failedCode = 3;

const args = process.argv.slice(2);
if (args.includes("--help")) process.stdout.write(`${usage}\n`);
else {
  const program = fileURLToPath(new URL("./session/main.ts", import.meta.url));
  const { child, ending } = supervise(program, args, {
    output: ["inherit", "inherit"],
    codes: [0, 1, 2, 130],
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      // A terminal's Ctrl-C reaches the other process by itself.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill("SIGTERM");
    });
  }
  const result = await ending;
  if (result.kind === "failed") process.stderr.write(`storm: ${result.message}\n`);
  process.exitCode = result.kind === "failed" ? failedCode : result.code;
}
