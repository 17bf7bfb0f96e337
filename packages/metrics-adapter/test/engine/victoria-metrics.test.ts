import { startVictoriaMetrics } from "@plimsoll/prometheus/testing";
import { test } from "vitest";
import { testEngineOn } from "./real-server.ts";

const binary = process.env["VICTORIA_METRICS"];

if (binary === undefined) {
  test("VictoriaMetrics is not there: set VICTORIA_METRICS, or run npm test where apt-get can fetch it", (context) =>
    context.skip("no VictoriaMetrics"));
} else {
  testEngineOn({
    binary,
    start: startVictoriaMetrics,
    // It keeps NaN to itself, and gives what Prometheus calls a scalar as a series without labels.
    notANumber: /there is no series for it/,
    scalarLabels: {},
    refusal: { kind: "execution", status: 422 },
  });
}
