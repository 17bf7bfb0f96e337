import { startRealPrometheus } from "@plimsoll/prometheus/testing";
import { describe } from "vitest";
import { testLargeResponsesOn } from "./real-large.ts";
import { testEngineOn } from "./real-server.ts";

const binary = process.env["PROMETHEUS"] ?? "prometheus";

describe("large responses", () => {
  testLargeResponsesOn(binary);
});

testEngineOn({
  binary,
  start: startRealPrometheus,
  notANumber: /its value is NaN/,
  scalarLabels: undefined,
  refusal: { kind: "bad_data", status: 400 },
});
