// Runs the oracle process, which calls Kubernetes' own code.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
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
export const withoutUpstream: Upstream = {
  run: async (_kind, cases) => cases,
  close: async () => undefined,
};

export function startUpstream(binary: string): Upstream {
  const child = spawn(binary, [], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]();
  let turn: Promise<unknown> = Promise.resolve();

  async function request(kind: Kind, cases: readonly VectorCase[]): Promise<readonly VectorCase[]> {
    child.stdin.write(`${JSON.stringify({ ...head, kind, cases })}\n`);
    const line = await lines.next();
    if (line.done === true) throw new Error(`the oracle ended during a request of kind ${kind}`);
    const evaluated: { cases: readonly VectorCase[] } = JSON.parse(line.value);
    // Go sorts members; a vector reads better in the order in which it was written.
    return evaluated.cases.map((result, at) => ({ ...cases[at], ...result }));
  }

  return {
    run: (kind, cases) => {
      const result = turn.then(() => request(kind, cases));
      turn = result.catch(() => undefined);
      return result;
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
