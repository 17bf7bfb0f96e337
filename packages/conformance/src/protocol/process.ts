// An implementation in a process of its own, which is asked over its standard input and output.
import type { Implementation } from "../vectors/check-file.ts";
import { startCommand } from "./command.ts";
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

/** For a process whose output has ended, to end as well. */
const endMs = 1000;

/** Rejects when the command does not start, or does not speak the protocol. */
export async function startImplementation({
  command,
  timeoutMs,
}: ProcessOptions): Promise<ImplementationProcess> {
  const running = startCommand(command);
  let id = 0;
  let broken: Error | undefined;

  async function exchange<T>(message: object, read: (line: string) => T): Promise<T> {
    if (broken !== undefined) throw broken;
    try {
      running.write(JSON.stringify(message));
      const next = await within(timeoutMs, running.lines.next(), late);
      if (next.done === true) throw new Error(await endOfOutput());
      return read(next.value);
    } catch (error) {
      // What comes later would belong to an earlier question.
      broken = error as Error;
      running.kill();
      throw error;
    }
  }

  async function endOfOutput(): Promise<string> {
    const closed = "the implementation closed its standard output";
    const [code, signal] = await within(endMs, running.ended, () => closed);
    return `the implementation ended ${code === null ? `by ${String(signal)}` : `with code ${String(code)}`}`;
  }

  const close = async () => {
    running.endInput();
    await within(timeoutMs, running.ended, () => "").catch(() => undefined);
    running.kill();
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

function late(ms: number): string {
  return `no answer within ${String(ms / 1000)} s; is each line of the implementation flushed, and does it end with a line feed?`;
}

/** Rejects with the message when it takes longer. */
async function within<T>(ms: number, task: Promise<T>, message: (ms: number) => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message(ms))), ms);
  });
  try {
    return await Promise.race([task, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
