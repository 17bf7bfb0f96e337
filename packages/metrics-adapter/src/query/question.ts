import { type Planned, planQuery, type QuestionRequest } from "./plan.ts";
import type { SelectorMatcher } from "./selector-matchers.ts";
import { type CanWiden, createCanWiden } from "./widen.ts";

/** A question without the objects that it is about: worked out once for all who ask it. */
export interface Question {
  readonly request: QuestionRequest;
  /** The same for every value of some labels; undefined where that could give something else. */
  readonly wide: WideQuestion | undefined;
}

export interface WideQuestion {
  readonly planned: Planned;
  /** The labels whose values are all asked for. */
  readonly labels: readonly string[];
  /** The values that are wanted of them; empty where they are the names of objects. */
  readonly pins: readonly Pin[];
}

/** A label that the metric selector confines to some values. */
export interface Pin {
  readonly label: string;
  readonly values: readonly string[];
}

export type MakeQuestion = (request: QuestionRequest) => Question;

export function createQuestions(): MakeQuestion {
  const canWiden = createCanWiden();
  return (request) => ({
    request,
    wide:
      request.objectLabel === undefined
        ? forAllPins(request, canWiden)
        : forAllObjects(request, request.objectLabel, canWiden),
  });
}

function forAllObjects(
  request: QuestionRequest,
  label: string,
  canWiden: CanWiden,
): WideQuestion | undefined {
  if (request.namespace === undefined || !canWiden(request, label)) return undefined;
  return { planned: planQuery({ ...request, names: "any" }), labels: [label], pins: [] };
}

/** Labels that the selector pins, such as a queue's name: others ask the same of other queues. */
function forAllPins(request: QuestionRequest, canWiden: CanWiden): WideQuestion | undefined {
  const isPin = ({ matcher, values }: SelectorMatcher): boolean =>
    (matcher.operator === "=" || matcher.operator === "=~") &&
    // A label that is absent has the empty value, and is not found again in an answer.
    values.every((value) => value !== "") &&
    matcher.label !== request.namespace?.label &&
    canWiden(request, matcher.label);
  const pinned = request.selector.filter(isPin);
  if (pinned.length === 0) return undefined;
  const selector = request.selector.map((part) =>
    pinned.includes(part)
      ? { matcher: { label: part.matcher.label, operator: "!=" as const, value: "" }, values: [""] }
      : part,
  );
  // What contradicts the namespace must do so here too: no pin is on its label.
  return {
    planned: planQuery({ ...request, selector, names: undefined }),
    labels: pinned.map(({ matcher }) => matcher.label),
    pins: pinned.map(({ matcher, values }) => ({ label: matcher.label, values })),
  };
}
