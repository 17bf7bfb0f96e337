// What differs between two decisions in one step.
import type { DecisionDifference } from "@plimsoll/core";

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
              <td>{valueText(a)}</td>
              <td>{valueText(b)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {fields.length > shown.length ? <p class="note">and {fields.length - shown.length} more</p> : null}
    </div>
  );
}

const maxText = 200;

function valueText(value: unknown): string {
  if (value === undefined) return "—";
  if (typeof value === "string") return value;
  return (JSON.stringify(value) ?? "—").slice(0, maxText);
}
