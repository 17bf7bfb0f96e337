// Finds tests with sleeps or limits of their own that do not say why, properties without a budget, and hooks of one file alone.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { workspaces } from "../source/files.ts";

const sleep = /\bsetTimeout\((?:resolve|done|\w+\.resolve)\b|"node:timers\/promises"/;
const comment = /^\s*(?:\/\/|\/?\*)/;

/** As an option, or as the last argument of a test or a hook. */
const limit =
  /(?<![\w-])(?:timeout|testTimeout|hookTimeout): [\w *+]*\d|^\s*\}, \d+_\d{3}\);$|^\s*(?:before|after)(?:All|Each)\(.*, [\d_]+\);$/;
const hook = /^(?:(?:before|after)(?:All|Each)|vi\.setConfig)\(/;

/** Lines that sleep without a comment in one of the two lines above. */
export function unexplainedSleeps(text: string): readonly number[] {
  return unexplained(text, sleep);
}

/** Lines with a limit below that of the suite, or above it, without such a comment. */
export function unexplainedLimits(text: string): readonly number[] {
  return unexplained(text, limit);
}

function unexplained(text: string, pattern: RegExp): readonly number[] {
  const lines = text.split("\n");
  const isExplained = (n: number) => lines.slice(Math.max(n - 2, 0), n).some((line) => comment.test(line));
  return lines.flatMap((line, n) => (pattern.test(line) && !isExplained(n) ? [n + 1] : []));
}

/** Hooks outside of a function. */
export function hooksAtTop(text: string): readonly number[] {
  return linesWith(text, hook);
}

function linesWith(text: string, pattern: RegExp): readonly number[] {
  return text.split("\n").flatMap((line, n) => (pattern.test(line) ? [n + 1] : []));
}

/** As `path:line`. */
export function findSleeps(root: string): readonly string[] {
  return findIn(root, unexplainedSleeps);
}

/** As `path:line`. */
export function findLimits(root: string): readonly string[] {
  return findIn(root, unexplainedLimits);
}

/** As `path:line`, in modules that several files of tests share. */
export function findHooksOfOneFile(root: string): readonly string[] {
  return findIn(root, hooksAtTop, (path) => !path.endsWith(".test.ts"));
}

/** Properties that fast-check runs as often as it likes, as `path:line`. */
export function findUnbounded(root: string): readonly string[] {
  return findIn(root, (text) => linesWith(text, /\bfc\.(?:assert|check)\(/));
}

function findIn(
  root: string,
  linesOf: (text: string) => readonly number[],
  isMeant: (path: string) => boolean = () => true,
): readonly string[] {
  return globSync(`${workspaces}/{test,faults,cluster}/**/*.ts`, {
    cwd: root,
    exclude: (path) => path.includes("node_modules"),
  })
    .filter(isMeant)
    .flatMap((path) => linesOf(readFileSync(join(root, path), "utf8")).map((line) => `${path}:${line}`));
}
