// The ETag of a page: of what is in it, and of nothing else, so that it says nothing of objects that are not.
import { createHmac, randomBytes } from "node:crypto";
import { lazily } from "@plimsoll/component-base";
import type { SummaryRow } from "../decisions/summary-row.ts";
import type { SummaryPage } from "./summary-query.ts";

/** Rows are not read: each decision makes another one. */
export function createPageTags(): (page: SummaryPage) => string {
  const key = lazily(() => randomBytes(32));
  const serials = new WeakMap<SummaryRow, number>();
  let last = 0;

  function serialOf(row: SummaryRow): number {
    const known = serials.get(row) ?? ++last;
    serials.set(row, known);
    return known;
  }

  return ({ items, total, counts, continue: next }) => {
    const text = JSON.stringify([items.map(serialOf), total, counts, next]);
    return `W/"${createHmac("sha256", key()).update(text).digest("base64url")}"`;
  };
}
