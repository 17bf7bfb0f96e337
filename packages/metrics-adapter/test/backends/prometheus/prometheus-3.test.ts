import { startRealPrometheus } from "@plimsoll/prometheus/testing";
import { describe } from "vitest";
import { testLargeResponsesOn } from "./real-large.ts";
import { testEngineOn } from "./real-server.ts";

const binary = process.env["PROMETHEUS_3"];

// `npm test` brings it where the distribution has it.
describe.skipIf(binary === undefined)("Prometheus 3, where PROMETHEUS_3 names it", () => {
  describe("large responses", () => {
    testLargeResponsesOn(binary ?? "");
  });

  testEngineOn({
    binary: binary ?? "",
    start: startRealPrometheus,
    notANumber: /its value is NaN/,
    scalarLabels: undefined,
    refusal: { kind: "bad_data", status: 400 },
  });
});
