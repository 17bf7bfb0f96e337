// Health endpoints in the format of kube-apiserver.
import { publicText } from "@plimsoll/core/redact";

export interface HealthCheck {
  readonly name: string;
  /** Undefined when the check succeeds. */
  readonly problem: () => string | undefined;
  /** Information that does not affect the outcome; shown in the verbose response. */
  readonly note?: () => string | undefined;
}

export interface HealthChecks {
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

export type HealthEndpoint = keyof HealthChecks;

export interface HealthResponse {
  readonly httpCode: number;
  readonly body: string;
}

/** The check that always succeeds. */
export const ping: HealthCheck = { name: "ping", problem: () => undefined };

/**
 * "ok", or one line for each check when the query wants it or one failed. Unlike upstream the reason is shown: the
 * always-allow paths decide who may see it.
 * @upstream staging/src/k8s.io/apiserver/pkg/server/healthz/healthz.go#handleRootHealth
 */
export function healthResponse(
  endpoint: HealthEndpoint,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
): HealthResponse {
  const excluded = new Set(query.getAll("exclude").flatMap((names) => names.split(",")));
  const lines: string[] = [];
  let failures = 0;
  for (const check of checks) {
    if (excluded.has(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`);
      continue;
    }
    const problem = shown(check.problem());
    failures += problem === undefined ? 0 : 1;
    const note = shown(check.note?.());
    const fine = `[+]${check.name} ok${note === undefined ? "" : `: ${note}`}`;
    lines.push(problem === undefined ? fine : `[-]${check.name} failed: ${problem}`);
  }
  if (failures > 0) return { httpCode: 500, body: `${[...lines, `${endpoint} check failed`].join("\n")}\n` };
  return query.has("verbose")
    ? { httpCode: 200, body: `${[...lines, `${endpoint} check passed`].join("\n")}\n` }
    : { httpCode: 200, body: "ok" };
}

/** A single check, as in /readyz/engine; undefined when there is none of that name. */
export function checkResponse(checks: readonly HealthCheck[], name: string): HealthResponse | undefined {
  const check = checks.find((candidate) => candidate.name === name);
  if (check === undefined) return undefined;
  const problem = shown(check.problem());
  return problem === undefined
    ? { httpCode: 200, body: "ok" }
    : { httpCode: 500, body: `internal server error: ${problem}\n` };
}

/** By default whoever reaches the port may read it. */
function shown(text: string | undefined): string | undefined {
  return text === undefined ? undefined : publicText(text);
}
