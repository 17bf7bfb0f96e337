// The grace period of pods, out of the deletions that scrapes saw.
import { expect, test } from "vitest";
import { graceOf, requestedMs } from "../../src/prometheus/pod-deletion.ts";

const scrapeMs = 15_000;

/** Asked for at an instant, with so many seconds, and seen by the scrapes around it. */
function deletion(requestMs: number, graceSeconds: number, lostScrapes = 0) {
  const afterMs = Math.floor(requestMs / scrapeMs) * scrapeMs;
  const untilMs = Math.floor(requestMs / 1000) * 1000 + graceSeconds * 1000;
  const lateMs = lostScrapes * scrapeMs;
  return { untilMs, afterMs: afterMs + lateMs, seenMs: afterMs + lateMs + scrapeMs };
}

const requests = Array.from({ length: 40 }, (_, n) => 1_000_000 + n * 67_300);

test("the usual 30 s where they fit, and what fits where they do not", () => {
  expect(graceOf([])).toBe(30_000);
  expect(graceOf(requests.map((at) => deletion(at, 30)))).toBe(30_000);
  expect(graceOf(requests.map((at) => deletion(at, 5)))).toBe(5000);
  // Scrapes leave a second open, and the nearer to 30 s counts.
  expect(graceOf(requests.map((at) => deletion(at, 120)))).toBe(119_000);
});

test("one that was deleted by force, and one whose first scrapes were lost, say nothing of the others", () => {
  const others = requests.map((at) => deletion(at, 30));
  expect(graceOf([...others, deletion(1_234_000, 0), deletion(2_345_000, 30, 1)])).toBe(30_000);
  const lost = deletion(2_345_000, 30, 1);
  expect(requestedMs(lost, 30_000)).toBe(lost.afterMs);
});
