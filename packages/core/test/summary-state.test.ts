// In which state each decision puts an object: the table that the server and the commands count by.
import { expect, test } from "vitest";
import { type DecisionSummary, type HeldBy, type SummaryState, summaryState } from "../src/index.ts";

type Action = DecisionSummary["action"];

const table: Readonly<Record<HeldBy, Readonly<Record<Action, SummaryState>>>> = {
  none: { scale: "moving", hold: "steady", none: "steady" },
  tolerance: { scale: "moving", hold: "steady", none: "steady" },
  direction: { scale: "moving", hold: "held", none: "held" },
  stabilize: { scale: "moving", hold: "held", none: "held" },
  rate: { scale: "moving", hold: "held", none: "held" },
  cooldown: { scale: "moving", hold: "held", none: "held" },
  min: { scale: "moving", hold: "limited", none: "limited" },
  max: { scale: "moving", hold: "limited", none: "limited" },
  schedule: { scale: "moving", hold: "limited", none: "limited" },
  failed: { scale: "failed", hold: "failed", none: "failed" },
  blocked: { scale: "failed", hold: "failed", none: "failed" },
  selector: { scale: "failed", hold: "failed", none: "failed" },
  disabled: { scale: "moving", hold: "disabled", none: "disabled" },
};

const cases = Object.entries(table).flatMap(([heldBy, byAction]) =>
  Object.entries(byAction).map(([action, state]) => ({
    heldBy: heldBy as HeldBy,
    action: action as Action,
    state,
  })),
);

test.each(cases)("$action, held by $heldBy: $state", ({ heldBy, action, state }) => {
  expect(summaryState({ heldBy, action })).toBe(state);
});
