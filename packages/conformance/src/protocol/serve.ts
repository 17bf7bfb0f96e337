// The side of an implementation: answers what is asked line by line.
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { SemanticsProfile } from "@plimsoll/core";
import { vectorKinds } from "../vectors/kinds/table.ts";
import { type Answer, protocol, type Question } from "./messages.ts";

export interface Served {
  readonly input: Readable;
  readonly output: Writable;
  /** Its name and version. */
  readonly implementation: string;
  readonly answer: (question: Question) => Answer | Promise<Answer>;
}

/** Answers one question after the other until the input ends. */
export async function serveAnswers({ input, output, implementation, answer }: Served): Promise<void> {
  const send = (message: object) => output.write(`${JSON.stringify(message)}\n`);
  let isFirst = true;
  for await (const line of createInterface({ input })) {
    if (isFirst) send({ protocol, implementation });
    else {
      const question = JSON.parse(line) as Question;
      send({ id: question.id, ...(await answer(question)) });
    }
    isFirst = false;
  }
}

/** What `@plimsoll/core` answers. */
export function answerOfCore({ kind, semantics, case: question }: Question): Answer {
  const found = vectorKinds.get(kind);
  if (found === undefined) return { unsupported: `the kind ${kind} is not known` };
  return { answer: found.answer(question, semantics as SemanticsProfile) };
}
