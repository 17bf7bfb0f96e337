// Finds replicas that are computed from a ratio to a target where only the core decides.

import { isProduct, packageOf } from "../source/files.ts";
import type { SourceFile } from "../source/parse.ts";

/** They call `decide`, and have no replica calculation of their own. */
const packages = new Set(["simulator", "backtest", "cli"]);

/** The replicas that a scenario begins with, and the floors that a history suggests. */
const meant = /^packages\/(?:simulator\/src\/file\/read-scenario\.ts$|backtest\/src\/tune\/seasonal)/;

const formula =
  /Math\.ceil\([^;]*\b\w*(?:[tT]arget|[uU]tilization|[uU]sage|[rR]atio|[rR]eplicas)\w*|\/ \(?(?:\w+\.)?(?:\w*[tT]arget\w*|averageValue|averageUtilization)\b/;
const comment = /^\s*(?:\/\/|\/?\*)/;

/** Lines of a text that divide by a target, or round a ratio up. */
export function replicaFormulas(text: string): readonly number[] {
  return text.split("\n").flatMap((line, n) => (!comment.test(line) && formula.test(line) ? [n + 1] : []));
}

/** As `path:line`. */
export function findReplicaFormulas(
  sources: readonly Pick<SourceFile, "path" | "text">[],
): readonly string[] {
  return sources
    .filter(({ path }) => packages.has(packageOf(path)) && isProduct(path) && !meant.test(path))
    .flatMap(({ path, text }) => replicaFormulas(text).map((line) => `${path}:${line}`));
}
