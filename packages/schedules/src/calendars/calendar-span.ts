/** The years of a calendar that matter now: from the last one to the end of the one after the next. */
export function calendarSpan(nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const year = new Date(nowMs).getUTCFullYear();
  return { fromMs: Date.UTC(year - 1, 0), toMs: Date.UTC(year + 3, 0) };
}
