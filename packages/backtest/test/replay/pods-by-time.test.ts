// Pods that are looked up by time are those that a look at all of them finds, in the same order.
import { hourMs } from "@plimsoll/core/internal/values";
import { assertProperty } from "@plimsoll/properties";
import { startMs } from "@plimsoll/simulator/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPodsByTime } from "../../src/replay/pods-by-time.ts";
import { recordedPod } from "./planted.ts";

const instant = fc.integer({ min: 0, max: 30 * hourMs }).map((ms) => startMs + ms);
const lives = fc.array(fc.tuple(instant, fc.option(instant, { nil: Infinity })), { maxLength: 30 });

test("for any lives, instants and distances", () => {
  const near = fc.integer({ min: 0, max: 2 * hourMs });
  assertProperty(
    fc.property(lives, instant, near, (spans, atMs, withinMs) => {
      const pods = spans
        .toSorted(([a], [b]) => a - b)
        .map(([createdMs, goneMs], at) =>
          recordedPod(`shop-${at}`, { createdMs, ...(goneMs === Infinity ? {} : { goneMs }) }),
        );
      const spanOf = ({ createdMs, goneMs: toMs = Infinity }: (typeof pods)[number]) => ({
        fromMs: createdMs,
        toMs,
      });
      const instantsOf = ({ createdMs, goneMs }: (typeof pods)[number]) =>
        goneMs === undefined ? [createdMs] : [createdMs, goneMs];
      const byTime = createPodsByTime(pods, { spanOf, instantsOf });
      const isThere = (pod: (typeof pods)[number]) => spanOf(pod).fromMs <= atMs && spanOf(pod).toMs > atMs;
      expect(byTime.around(atMs).filter(isThere)).toEqual(pods.filter(isThere));
      const isNear = (pod: (typeof pods)[number]) =>
        instantsOf(pod).some((one) => Math.abs(one - atMs) <= withinMs);
      expect(byTime.movingNear(atMs, withinMs)).toEqual(pods.filter(isNear));
    }),
    { numRuns: 1000 },
  );
});
