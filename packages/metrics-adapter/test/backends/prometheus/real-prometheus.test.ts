import { startRealPrometheus } from "@plimsoll/prometheus/testing";
import { testEngineOn } from "./real-server.ts";

testEngineOn({
  binary: process.env["PROMETHEUS"] ?? "prometheus",
  start: startRealPrometheus,
  notANumber: /its value is NaN/,
  scalarLabels: undefined,
  refusal: { kind: "bad_data", status: 400 },
});
