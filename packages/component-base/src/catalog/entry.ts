/** One entry of the catalog of codes. */
export interface CatalogEntry {
  /** `PLM` and four digits. Assigned once: a message that changes keeps its code, and a code is never reused. */
  readonly code: `PLM${number}`;
  /** What is logged or printed, word by word; for a condition, its reason. */
  readonly message: string;
  /** One sentence for docs/errors.md. */
  readonly meaning: string;
  /** What an operator does about it; Markdown with links relative to docs/. */
  readonly remedy: string;
}
