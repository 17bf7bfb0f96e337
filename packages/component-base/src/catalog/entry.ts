/** One entry of the catalog of codes. */
export interface CatalogEntry {
  /** `PLM` and four digits. Assigned once: a message that changes keeps its code, and a code is never reused. */
  readonly code: `PLM${number}`;
  /** What is logged or printed, word by word; for a condition, its reason. */
  readonly message: string;
  /**
   * What happened and what to do about it, for docs/errors.md; Markdown with links relative to docs/. Absent for reasons
   * of conditions, which docs/events.md and docs/metric-rules.md explain.
   */
  readonly help?: string;
}
