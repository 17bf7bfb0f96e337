// What differs between two decisions in one step.
import type { DecisionDifference } from "@plimsoll/core";
import { amountOf } from "../ui/amount.ts";
import { kindOf, unitFor } from "../ui/quantity-unit.ts";

const maxFields = 12;

interface ListProps {
  readonly difference: DecisionDifference;
  /** What the two decisions are called. */
  readonly names: readonly [a: string, b: string];
}

export function DifferenceList({ difference, names }: ListProps) {
  const { fields } = difference;
  const shown = fields.slice(0, maxFields);
  return (
    <div class="scroller" tabIndex={0} role="group" aria-label="What differs in this step">
      <table class="plain differences">
        <thead>
          <tr>
            <th scope="col">Differs</th>
            <th scope="col">{names[0]}</th>
            <th scope="col">{names[1]}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ path, a, b }) => (
            <tr key={path}>
              <th scope="row">{path === "" ? "the step" : path}</th>
              <td>{pairText(a, b)}</td>
              <td>{pairText(b, a)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {fields.length > shown.length ? <p class="note">and {fields.length - shown.length} more</p> : null}
    </div>
  );
}

/** A quantity in the unit that it shares with the other one. */
function pairText(value: unknown, other: unknown): string {
  if (typeof value !== "string" || amountOf(value) === null) return valueText(value);
  const pair = [value, typeof other === "string" ? other : undefined];
  return unitFor(pair, kindOf(undefined, pair)).text(value);
}

const maxText = 200;

function valueText(value: unknown): string {
  if (value === undefined) return "—";
  if (typeof value === "string") return value;
  return (JSON.stringify(value) ?? "—").slice(0, maxText);
}
