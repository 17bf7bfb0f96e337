import { startVictoriaMetrics } from "@plimsoll/prometheus/testing";
import { describe } from "vitest";
import { testEngineOn } from "./real-server.ts";

const binary = process.env["VICTORIA_METRICS"];

// `npm test` brings it where the distribution has it.
describe.skipIf(binary === undefined)("VictoriaMetrics, where VICTORIA_METRICS names it", () => {
  testEngineOn({
    binary: binary ?? "",
    start: startVictoriaMetrics,
    // It keeps NaN to itself, and gives what Prometheus calls a scalar as a series without labels.
    notANumber: /it has no series/,
    scalarLabels: {},
    refusal: { kind: "execution", status: 422 },
  });
});
