// Runs a process that reads a request on each line and writes a response for each.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface LineProcess {
  /** One request after the other, whenever they are made. Undefined when the process ended without a response. */
  request(line: string): Promise<string | undefined>;
  close(): Promise<void>;
}

export function startLineProcess(binary: string): LineProcess {
  const child = spawn(binary, [], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]();
  let turn: Promise<unknown> = Promise.resolve();

  async function exchange(line: string): Promise<string | undefined> {
    child.stdin.write(`${line}\n`);
    const response = await lines.next();
    return response.done === true ? undefined : response.value;
  }

  return {
    request: (line) => {
      const result = turn.then(() => exchange(line));
      turn = result.catch(() => undefined);
      return result;
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
