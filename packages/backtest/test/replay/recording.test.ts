import { describe, expect, it } from "vitest";
import { createRecordingReader, type Recording, recordingLines } from "../../src/index.ts";

const recording: Recording = {
  version: 1,
  target: { namespace: "default", kind: "Deployment", name: "shop" },
  span: { fromMs: 0, toMs: 60_000 },
  autoscaler: {
    object: { kind: "HorizontalPodAutoscaler", spec: { maxReplicas: 5 } },
    changes: [{ atMs: 30_000, earliestMs: 15_000, field: "target", metricIndex: 0, value: 70 }],
  },
  syncs: { atMs: Array.from({ length: 2001 }, (_, n) => n * 15_000), clock: "known" },
  pods: [
    {
      name: "shop-1",
      createdMs: 1000,
      startedMs: 2000,
      ready: [{ fromMs: 3000, toMs: 9000 }, { fromMs: 12_000 }],
      requests: { main: { cpu: "500m" } },
      uncertaintyMs: 1000,
    },
  ],
  scale: [{ atMs: 15_000, earliestMs: 0, value: 2 }],
  metrics: [
    { index: 0, level: "series", samples: [{ atMs: 1, values: [{ pod: "shop-1", value: 0.25 }] }], gaps: [] },
    { index: 1, level: "none", samples: [], gaps: [{ fromMs: 0, toMs: 60_000 }] },
  ],
  status: [
    { atMs: 5000, currentReplicas: 1, desiredReplicas: 2, values: [55, undefined], scalingActive: true },
  ],
};

const lines = [...recordingLines(recording)].map((line) => line.slice(0, -1));

function read(text: readonly string[]): Recording {
  const reader = createRecordingReader();
  for (const line of text) reader.add(line);
  return reader.end();
}

function changed(at: number, from: string, to: string): readonly string[] {
  return lines.map((line, n) => (n === at ? line.replace(from, to) : line));
}

describe("a recording as lines", () => {
  it("is read as it was written", () => {
    expect(read(lines)).toEqual(recording);
  });

  it("has no line that grows with the span", () => {
    expect(lines.filter((line) => line.startsWith('{"syncs"'))).toHaveLength(3);
  });

  it.each([
    ["no line", [], "the recording is empty: record it again"],
    ["a missing end", lines.slice(0, -1), /^line 10: the recording is cut off after it: record it again/],
    [
      "half a line",
      [...lines.slice(0, 4), lines[4]?.slice(0, 20) ?? ""],
      /^line 5: it is not JSON: .*cut off here/,
    ],
    [
      "a missing line",
      lines.toSpliced(5, 1),
      /^line 10: end.lines is 10 after 9 lines: lines are missing or added/,
    ],
    [
      "a changed value",
      changed(5, '"value":2', '"value":3'),
      /^line 11: end.digest doesn't match the lines: .*changed/,
    ],
    ["a line behind the end", [...lines, "{}"], /^line 12: it is after the end of the recording/],
    [
      "a newer version",
      changed(0, '"recording":1', '"recording":2'),
      /^line 1: recording 2 is newer than 1, .*newer release/,
    ],
    [
      "another version",
      changed(0, '"recording":1', '"recording":"x"'),
      /^line 1: recording x is not a version: must be 1/,
    ],
    ["another file", ['{"kind":"List"}'], /^line 1: recording is missing: this is not a recording/],
    ["a list", ["[]"], /^line 1: it is \[\]: must be an object/],
    [
      "an unknown part",
      changed(5, "scale", "scales"),
      /^line 6: scales is not a part of a recording: it has syncs, pod/,
    ],
    ["an absent number", changed(5, '"atMs":15000,', ""), /^line 6: scale.atMs nothing must be a number/],
    ["a number as text", changed(4, "1000", '"1000"'), /^line 5: pod.createdMs 1000 must be a number/],
    [
      "an unknown level",
      changed(6, "series", "some"),
      /^line 7: metric.level some must be one of exact, series/,
    ],
    [
      "a value that is none",
      changed(7, "0.25", "null"),
      /^line 8: sample.values\[0\].value null must be a number/,
    ],
    ["a sample before its metric", lines.toSpliced(6, 1), /^line 7: sample is before any metric/],
  ])("refuses %s, with the line and the remedy", (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
