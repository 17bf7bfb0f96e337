// The side of an implementation: answers what is asked line by line.
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { SemanticsProfile } from "@plimsoll/core";
import { vectorKinds } from "../vectors/kinds/table.ts";
import { type Answer, protocol, type Question, readLine } from "./messages.ts";

export interface Served {
  readonly input: Readable;
  readonly output: Writable;
  /** Its name and version. */
  readonly implementation: string;
  readonly answer: (question: Question) => Answer | Promise<Answer>;
}

/** Answers one question after the other until the input ends. Rejects when a line is not a JSON object. */
export async function serveAnswers({ input, output, implementation, answer }: Served): Promise<void> {
  const send = (message: object) => output.write(`${JSON.stringify(message)}\n`);
  let isFirst = true;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const message = readLine(line);
    if (isFirst) send({ protocol, implementation });
    else send({ id: message["id"], ...(await answerOrFailure(answer, message as unknown as Question)) });
    isFirst = false;
  }
}

/** What goes wrong in one case must not hide the others. */
async function answerOrFailure(answer: Served["answer"], question: Question): Promise<Answer> {
  try {
    return await answer(question);
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/** What `@plimsoll/core` answers. */
export function answerOfCore({ kind, semantics, case: question }: Question): Answer {
  const found = vectorKinds.get(kind);
  if (found === undefined) return { unsupported: `the kind ${kind} is unknown` };
  return { answer: found.answer(question, semantics as SemanticsProfile) };
}
