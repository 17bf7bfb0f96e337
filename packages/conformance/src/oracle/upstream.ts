// Runs the oracle process, which calls Kubernetes' own code.
import { startLineProcess } from "./line-process.ts";
import type { Kind, VectorCase } from "./vector-file.ts";

const head = { format: "plimsoll-vectors/1", source: "request" };

/** A running oracle. It serves one request after the other. */
export interface Upstream {
  /**
   * The cases with their expectations filled in, in order; a case that upstream
   * cannot take (it would panic) comes back with `oracleError` instead.
   */
  run(kind: Kind, cases: readonly VectorCase[]): Promise<readonly VectorCase[]>;
  close(): Promise<void>;
}

/** For kinds that upstream does not have: the cases are their own results. */
export const withoutUpstream: Upstream = { run: async (_kind, cases) => cases, close: async () => undefined };

export function startUpstream(binary: string): Upstream {
  const child = startLineProcess(binary);
  return {
    run: async (kind, cases) => {
      const line = await child.request(JSON.stringify({ ...head, kind, cases }));
      if (line === undefined) throw new Error(`the oracle ended during a request of kind ${kind}`);
      const evaluated: { cases: readonly VectorCase[] } = JSON.parse(line);
      // Go sorts members; a vector reads better in the order in which it was written.
      return evaluated.cases.map((result, at) => ({ ...cases[at], ...result }));
    },
    close: child.close,
  };
}
