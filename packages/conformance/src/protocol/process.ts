// An implementation in a process of its own, which is asked over its standard input and output.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Implementation } from "../vectors/check-file.ts";
import { protocol, type Question, readAnswer, readHello } from "./messages.ts";

export interface ProcessOptions {
  /** For the shell. */
  readonly command: string;
  /** For one answer. */
  readonly timeoutMs: number;
}

/** A process that speaks the protocol; one question at a time. */
export interface ImplementationProcess extends Implementation {
  /** Name and version, by its own word. */
  readonly name: string;
  /** Ends its input, and waits until it has ended. */
  close(): Promise<void>;
}

/** Rejects when the command does not start, or does not speak the protocol. What it writes to standard error is passed on. */
export async function startImplementation({
  command,
  timeoutMs,
}: ProcessOptions): Promise<ImplementationProcess> {
  const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  // A write to a process that has ended fails; the missing answer says so better.
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]();
  let id = 0;
  let broken: Error | undefined;

  async function exchange<T>(message: object, read: (line: string) => T): Promise<T> {
    if (broken !== undefined) throw broken;
    try {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      const next = await within(timeoutMs, lines.next());
      if (next.done === true) throw new Error(`the implementation ended ${await endOf()}`);
      return read(next.value);
    } catch (error) {
      // What comes later would belong to an earlier question.
      broken = error as Error;
      child.kill();
      throw error;
    }
  }

  async function endOf(): Promise<string> {
    const [code, signal] = (await ended) as [number | null, string | null];
    return code === null ? `by ${String(signal)}` : `with code ${String(code)}`;
  }

  const close = async () => {
    child.stdin.end();
    await ended;
  };
  try {
    const name = await exchange({ protocol }, readHello);
    return {
      name,
      close,
      answer: (kind, semantics, question) => {
        id += 1;
        const sent = id;
        const message: Question = { id: sent, kind, semantics, case: question };
        return exchange(message, (line) => readAnswer(line, sent));
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function within<T>(ms: number, task: Promise<T>): Promise<T> {
  const seconds = String(ms / 1000);
  const late = new Error(
    `no answer within ${seconds} s; is each line of the implementation flushed, and does it end with a line feed?`,
  );
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), ms);
  });
  try {
    return await Promise.race([task, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
