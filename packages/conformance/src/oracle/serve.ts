// The real controllers as an implementation of the conformance protocol: vectors are checked against upstream itself.
import { type Fields, isFields } from "@plimsoll/core/internal/values";
import type { Answer, Question } from "../protocol/messages.ts";
import { textOf } from "../vectors/read.ts";
import { isRelease, kindsOf, type Release } from "./release.ts";
import type { Upstream } from "./upstream.ts";
import { isKind, type VectorCase } from "./vector-file.ts";

/** Answers a question with the release that it names. @param start called once for each release that is asked for. */
export function answerOfUpstream(start: (release: Release) => Promise<Upstream>) {
  const started = new Map<Release, Promise<Upstream>>();
  const upstreamOf = (release: Release) => {
    const running = started.get(release) ?? start(release);
    started.set(release, running);
    return running;
  };
  return {
    async answer({ kind, semantics, case: question }: Question): Promise<Answer> {
      if (!isRelease(semantics)) return { unsupported: `there is no program of ${semantics}` };
      if (!isKind(kind) || !kindsOf(semantics).includes(kind))
        return { unsupported: `the program of ${semantics} does not have ${kind}` };
      const upstream = await upstreamOf(semantics);
      const [result] = await upstream.run(kind, [question as VectorCase]);
      if (result === undefined) throw new Error("the oracle returned no case");
      return answerIn(kind, result);
    },
    async close(): Promise<void> {
      for (const upstream of started.values()) await (await upstream).close();
    },
  };
}

/** The oracle fills in what is expected; the protocol has it as an answer. */
function answerIn(kind: string, result: Fields): Answer {
  const panic = result["oracleError"];
  if (panic !== undefined) return { unsupported: textOf(panic) };
  const { expect } = result;
  switch (kind) {
    case "quantity": {
      const { canonical, milli, value, error } = result;
      return { answer: { canonical, milli, value, error } };
    }
    case "trajectory": {
      const steps = result["steps"] as readonly Fields[];
      return { answer: { steps: steps.map(({ expect: step }) => withPresentConditions(step as Fields)) } };
    }
    case "defaulting":
    case "conversion":
      return { answer: { object: expect } };
    default:
      return { answer: isFields(expect) ? withErrorText(expect) : {} };
  }
}

/** Vectors say by a status of null that a condition is absent. */
function withPresentConditions({ conditions, ...step }: Fields): Fields {
  const present = (conditions as readonly Fields[]).filter(({ status }) => status !== null);
  return { ...step, conditions: present };
}

/** Vectors have an error as a flag beside its message. */
function withErrorText({ error, message, ...answer }: Fields): Fields {
  return error === true ? { error: textOf(message ?? "failed") } : answer;
}
