// Puts the tables of the goals into a page, between its marks.
import type { GoalResult } from "./result.ts";
import { markdownTable } from "./table.ts";

const marked = /(<!-- table (G\d) -->\n)[^]*?(<!-- end -->)/g;

/** The page with the newest table of each goal between `<!-- table G1 -->` and `<!-- end -->`. @throws when a result has no place */
export function fillPage(page: string, results: readonly GoalResult[]): string {
  const left = new Map<string, GoalResult>(results.map((result) => [result.id, result]));
  const filled = page.replaceAll(marked, (_, start: string, id: string, end: string) => {
    const result = left.get(id);
    left.delete(id);
    const table =
      result === undefined
        ? `Not measured yet: \`npm run bench -- ${id.toLowerCase()}\`.`
        : markdownTable(result);
    return `${start}\n${table}\n\n${end}`;
  });
  if (left.size > 0) throw new Error(`the page has no place for ${[...left.keys()].join(", ")}`);
  return filled;
}
