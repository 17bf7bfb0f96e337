// Runs the oracle process, which calls Kubernetes' own code.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Kind, VectorCase } from "./vector-file.ts";

const head = { format: "plimsoll-vectors/1", source: "question" };

/** A running oracle. It answers one request after the other. */
export interface Upstream {
  /**
   * The cases with their expectations filled in, in order; a case that upstream
   * cannot take (it would panic) comes back with `oracleError` instead.
   */
  answer(kind: Kind, cases: readonly VectorCase[]): Promise<readonly VectorCase[]>;
  close(): Promise<void>;
}

/** For kinds that upstream does not have: the cases are their own answers. */
export const withoutUpstream: Upstream = {
  answer: async (_kind, cases) => cases,
  close: async () => undefined,
};

export function startUpstream(binary: string): Upstream {
  const child = spawn(binary, [], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]();
  let turn: Promise<unknown> = Promise.resolve();

  async function ask(kind: Kind, cases: readonly VectorCase[]): Promise<readonly VectorCase[]> {
    child.stdin.write(`${JSON.stringify({ ...head, kind, cases })}\n`);
    const line = await lines.next();
    if (line.done === true) throw new Error(`the oracle ended during a question of kind ${kind}`);
    const answered: { cases: readonly VectorCase[] } = JSON.parse(line.value);
    // Go sorts members; a vector reads better in the order in which it was written.
    return answered.cases.map((answer, at) => ({ ...cases[at], ...answer }));
  }

  return {
    answer: (kind, cases) => {
      const answer = turn.then(() => ask(kind, cases));
      turn = answer.catch(() => undefined);
      return answer;
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
