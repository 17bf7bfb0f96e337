// What every suite has in common: the sources' conditions, the limit of a test, what its child processes inherit.
import { availableParallelism } from "node:os";
import { join } from "node:path";

const conditions = ["@plimsoll/source", "module", "node", "development|production"];
// Workers and processes of tests load the same files again and again.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "..", "node_modules", ".cache", "compile");

/** Of a whole test, on a machine that others share; what waits for a condition ends when it holds. */
const limitMs = 120_000 * Math.max(1, Number(process.env["PROPERTY_TIMES"] ?? 1) || 1);

/** Packages run from their TypeScript sources. */
export const fromSource = { resolve: { conditions }, ssr: { resolve: { conditions } } };

export const settings = {
  testTimeout: limitMs,
  hookTimeout: limitMs,
  expect: { poll: { timeout: limitMs } },
  // Children inherit this, so a process started by a test also runs from source.
  env: { NODE_OPTIONS: "--conditions=@plimsoll/source" },
};

/** Vitest itself only distributes files. */
export const maxWorkers = availableParallelism();
