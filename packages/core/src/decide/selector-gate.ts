import { wordSelectorProblem } from "../objects/semantics.ts";
import { cutText } from "../values/redact/cut.ts";
import { selectorTextProblem } from "../values/selector/parse.ts";
import { type Draft, setFalse, warn } from "./draft.ts";
import type { PodFacts } from "./pods/facts.ts";

/**
 * Reads the pods that the scale's selector selects; the error when it cannot be used.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#validateAndParseSelector
 */
export function selectPods(draft: Draft, selector: string): string | (() => readonly PodFacts[]) {
  if (selector === "") {
    const message = "selector is required";
    warn(draft, "SelectorRequired", message);
    setFalse(draft, "ScalingActive", "InvalidSelector", "the HPA target's scale is missing a selector");
    draft.trace.push({ kind: "selector", reason: "SelectorRequired", message });
    return message;
  }
  const problem = wordSelectorProblem(selectorTextProblem(selector), draft.subject.semantics);
  if (problem !== undefined) {
    const lead = "couldn't convert selector into a corresponding internal selector object";
    return refuse(draft, "InvalidSelector", `${lead}: ${cutText(problem)}`);
  }
  const { pods, conflictingHpas } = draft.subject;
  // A failing list of pods is passed up without a condition.
  if (!pods.ok) return pods.message;
  if (conflictingHpas.length < 2) return pods.read;
  return refuse(draft, "AmbiguousSelector", ambiguity(draft, selector, conflictingHpas));
}

function ambiguity(draft: Draft, whole: string, hpas: readonly string[]): string {
  const selector = cutText(whole);
  return draft.subject.semantics.ambiguityText === "more-than-one"
    ? `pods by selector ${selector} are controlled by more than one HPA (e.g. [${hpas.slice(0, 2).join(" ")}])`
    : `pods by selector ${selector} are controlled by multiple HPAs: [${hpas.join(" ")}]`;
}

function refuse(draft: Draft, reason: string, message: string): string {
  warn(draft, reason, message);
  setFalse(draft, "ScalingActive", reason, message);
  draft.trace.push({ kind: "selector", reason, message });
  return message;
}
