// A table as rows of cells, the first of each its name, which is scrolled aside where it is too wide.
import type { ComponentChildren } from "preact";

interface TableProps {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** The first column of numbers; absent: there is none. */
  readonly numbersFrom?: number;
}

export function PlainTable({ label, heads, rows, numbersFrom = heads.length }: TableProps) {
  const classOf = (column: number) => (column < numbersFrom ? "" : "num");
  return (
    <div class="scroller" tabIndex={0} role="group" aria-label={label}>
      <table class="plain">
        <thead>
          <tr>
            {heads.map((head, column) => (
              <th key={column} scope="col" class={classOf(column)} children={head} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells], index) => (
            <tr key={index}>
              <th scope="row">{name}</th>
              {cells.map((cell, column) => (
                <td key={column} class={classOf(column + 1)} children={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
