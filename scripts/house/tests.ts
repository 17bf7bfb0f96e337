// Finds tests that let real time pass and do not say why, and properties without a budget.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const sleep = /\bsetTimeout\((?:resolve|done|\w+\.resolve)\b|"node:timers\/promises"/;
const comment = /^\s*(?:\/\/|\/?\*)/;

/** Lines that sleep without a comment in one of the two lines above. */
export function unexplainedSleeps(text: string): readonly number[] {
  const lines = text.split("\n");
  const isExplained = (n: number) => lines.slice(Math.max(n - 2, 0), n).some((line) => comment.test(line));
  return lines.flatMap((line, n) => (sleep.test(line) && !isExplained(n) ? [n + 1] : []));
}

/** As `path:line`. */
export function findSleeps(root: string): readonly string[] {
  return findIn(root, unexplainedSleeps);
}

/** Properties that fast-check runs as often as it likes, as `path:line`. */
export function findUnbounded(root: string): readonly string[] {
  return findIn(root, (text) =>
    text.split("\n").flatMap((line, n) => (/\bfc\.(?:assert|check)\(/.test(line) ? [n + 1] : [])),
  );
}

function findIn(root: string, linesOf: (text: string) => readonly number[]): readonly string[] {
  return globSync("packages/*/{test,faults,cluster}/**/*.ts", {
    cwd: root,
    exclude: (path) => path.includes("node_modules"),
  }).flatMap((path) => linesOf(readFileSync(join(root, path), "utf8")).map((line) => `${path}:${line}`));
}
