import type { Decision } from "../../objects/decision.ts";
import { counted } from "../../values/text.ts";
import { withoutGo } from "./go-text.ts";
import { type Line, line, toMarkdown, toText } from "./line.ts";
import { explainStep } from "./step.ts";

/**
 * A decision in plain words, with the arithmetic of every step so that it can be done again by hand. Made from
 * the trace alone; the text is for people and may change.
 */
export function explain(decision: Decision, format: "text" | "markdown" = "text"): string {
  const lines = [
    line(0, headline(decision)),
    ...decision.trace.flatMap((step): readonly Line[] => explainStep(step)),
  ];
  return format === "markdown" ? toMarkdown(lines) : toText(lines);
}

function headline(decision: Decision): string {
  const { currentReplicas, scaleTo, reason, outcome } = decision;
  if (scaleTo !== undefined) {
    const isMade = !decision.trace.some(({ kind }) => kind === "mode");
    const verb = scaleTo > currentReplicas ? "cale up" : "cale down";
    return `${isMade ? "S" : "Would s"}${verb} from ${currentReplicas} to ${scaleTo}${reason === "" ? "" : `: ${withoutGo(reason)}`}`;
  }
  const isKnown = decision.trace.every((step) => step.kind !== "scale" || step.error === undefined);
  const stays = isKnown ? `Stay at ${counted(currentReplicas, "replica")}` : "No change";
  return outcome.error === "none" ? stays : `${stays}: ${outcome.message ?? "an error"}`;
}
