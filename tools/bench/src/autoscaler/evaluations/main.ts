// What evaluations cost without a network: the autoscaler in this process, on a clock that is advanced, against an API
// server that is a function. CPU is that of all threads, without the reading of responses; memory is the heap after a
// full collection.
//   npm run bench -- evaluations [--objects=1000,10000 --pods=15 --period=3 --periods=10 --load=moving --resolution=15]
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureEvaluations } from "./measure.ts";

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "1000,5000,10000,20000" },
    pods: { type: "string", default: "15" },
    /** Seconds. */
    period: { type: "string", default: "3" },
    periods: { type: "string", default: "10" },
    settle: { type: "string", default: "5" },
    load: { type: "string", default: "still" },
    /** Seconds for which usage stays the same; metrics-server has 15. */
    resolution: { type: "string", default: "0" },
    flags: { type: "string", default: "" },
    node: { type: "string", default: "--max-semi-space-size=16" },
  },
});
const counts = values.objects.split(",").map(Number);
const [only] = counts;
if (globalThis.gc === undefined) {
  // Each in a process of its own, so that none has the heap of another.
  for (const objects of counts) {
    const args = [`--objects=${objects}`];
    for (const name of ["pods", "period", "periods", "settle", "load", "resolution", "flags"] as const)
      args.push(`--${name}=${values[name]}`);
    const node = ["--expose-gc", "--conditions=@plimsoll/source", ...values.node.split(" ").filter(Boolean)];
    execFileSync(process.execPath, [...node, fileURLToPath(import.meta.url), ...args], { stdio: "inherit" });
  }
} else if (only !== undefined) {
  await measureEvaluations({
    objects: only,
    pods: Number(values.pods),
    load: values.load,
    resolutionMs: Number(values.resolution) * 1000,
    periodMs: Number(values.period) * 1000,
    periods: Number(values.periods),
    settle: Number(values.settle),
    flags: values.flags.split(" ").filter(Boolean),
  });
  process.exit(0);
}
