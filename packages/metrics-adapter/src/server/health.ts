export interface HealthCheck {
  readonly name: string;
  /** Undefined when all is well, else what is wrong. */
  readonly problem: () => string | undefined;
  /** Something to know that makes nothing unready; shown in the verbose answer. */
  readonly note?: () => string | undefined;
}

export interface HealthChecks {
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

export type HealthEndpoint = keyof HealthChecks;

export interface HealthAnswer {
  readonly httpCode: number;
  readonly body: string;
}

/** Each endpoint is alive at least, which a check called ping says. */
export const ping: HealthCheck = { name: "ping", problem: () => undefined };

/**
 * "ok", or one line a check when it was asked for or one failed. Unlike upstream the reason is not withheld:
 * who may ask is decided by the always-allow paths.
 * @upstream staging/src/k8s.io/apiserver/pkg/server/healthz/healthz.go#handleRootHealth
 */
export function answerHealth(
  endpoint: HealthEndpoint,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
): HealthAnswer {
  const excluded = new Set(query.getAll("exclude").flatMap((names) => names.split(",")));
  const lines: string[] = [];
  let failures = 0;
  for (const check of checks) {
    if (excluded.has(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`);
      continue;
    }
    const problem = check.problem();
    failures += problem === undefined ? 0 : 1;
    const note = check.note?.();
    const fine = `[+]${check.name} ok${note === undefined ? "" : `: ${note}`}`;
    lines.push(problem === undefined ? fine : `[-]${check.name} failed: ${problem}`);
  }
  if (failures > 0) {
    return { httpCode: 500, body: `${[...lines, `${endpoint} check failed`].join("\n")}\n` };
  }
  return query.has("verbose")
    ? { httpCode: 200, body: `${[...lines, `${endpoint} check passed`].join("\n")}\n` }
    : { httpCode: 200, body: "ok" };
}

/** A single check, as in /readyz/engine; undefined when there is none of that name. */
export function answerHealthCheck(checks: readonly HealthCheck[], name: string): HealthAnswer | undefined {
  const check = checks.find((candidate) => candidate.name === name);
  if (check === undefined) {
    return undefined;
  }
  const problem = check.problem();
  return problem === undefined
    ? { httpCode: 200, body: "ok" }
    : { httpCode: 500, body: `internal server error: ${problem}\n` };
}
