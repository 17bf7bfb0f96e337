import { decide, metricRows } from "@plimsoll/core";
import { expect, test } from "vitest";
import { editsFrom } from "../../src/what-if/edits.ts";
import { recordedResult, whatIf } from "../../src/what-if/what-if.ts";
import { whatIfVectors } from "../fixtures/vectors.ts";

test("what is edited back to a vector of the real controller is decided as that", () => {
  const vectors = whatIfVectors();
  expect(vectors.length).toBeGreaterThan(1_000);
  for (const { name, input, memory, record, params, expected } of vectors) {
    const { changed, problems } = whatIf(record, recordedResult(record), editsFrom(params));
    const { decision } = decide(input, memory);
    expect([name, problems, changed.decision]).toEqual([name, [], decision]);
    const [row] = metricRows(changed.decision);
    const { scaleTo = decision.scaleTo ?? null, proposed = row?.replicas } = expected;
    expect([name, changed.decision.scaleTo ?? null, row?.replicas]).toEqual([name, scaleTo, proposed]);
  }
});
