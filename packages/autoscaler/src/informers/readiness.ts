import { publicErrorText } from "@plimsoll/kube";
import { isForbidden, type Watch } from "./watch.ts";

/** One check of /readyz. */
export interface Readiness {
  readonly name: string;
  readonly isReady: boolean;
  /** What is missing, and what to do. */
  readonly problem?: string | undefined;
}

/** Whether a resource is known, and why not. */
export function watchReadiness(
  { group, resource }: { readonly group: string; readonly resource: string },
  watch: Pick<Watch<never>, "isSynced" | "failure">,
): Readiness {
  const { isSynced, failure } = watch;
  const full = group === "" ? resource : `${resource}.${group}`;
  const hasNoProblem = isSynced || failure === undefined;
  const problem = isForbidden(failure)
    ? `cannot be listed: grant list and watch on ${full} (${publicErrorText(failure)})`
    : `not listed yet: ${publicErrorText(failure)}`;
  return { name: resource, isReady: isSynced, ...(hasNoProblem ? {} : { problem }) };
}

/** As a probe reads it. */
export function readinessLine({ name, isReady, problem }: Readiness): string {
  if (isReady) return `[+]${name}\n`;
  return problem === undefined ? `[-]${name}\n` : `[-]${name} failed: ${problem}\n`;
}
