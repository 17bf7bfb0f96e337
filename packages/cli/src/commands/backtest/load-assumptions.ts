// What the load of a recording depends on, and where that is from.
import type { InferredLoad } from "@plimsoll/backtest";
import type { Assumption } from "@plimsoll/simulator";
import type { LoadSettings } from "./load-flags.ts";

export function loadAssumptions(
  { metric, startUpsMs, noise, measuring, overhead, idle }: InferredLoad,
  { rateMs, loadModels }: Pick<LoadSettings, "rateMs" | "loadModels">,
): readonly Assumption[] {
  const sorted = startUpsMs.toSorted((a, b) => a - b);
  const middle = sorted[sorted.length >>> 1];
  const source = "estimated" as const;
  return [
    ...(metric.kind === "total"
      ? []
      : [
          {
            path: "metricWindow",
            value: `${measuring.windowMs / 1000}s`,
            source: rateMs === undefined ? source : ("given" as const),
          },
        ]),
    middle === undefined
      ? { path: "startUp", value: "15s", source: "default" as const }
      : { path: "startUp.median", value: `${middle / 1000}s`, source },
    ...(overhead === undefined
      ? []
      : [
          {
            path: "idleCpu",
            value: String(idle),
            source: overhead.idle === undefined ? ("default" as const) : source,
          },
        ]),
    ...Object.entries(loadModels).map(([name, model]) => ({
      path: `loadModel.${name}`,
      value: model,
      source: "given" as const,
    })),
    ...(noise === undefined
      ? []
      : [
          { path: "noise.deviation", value: String(noise.deviation), source },
          { path: "noise.memory", value: `${Math.round(noise.memoryMs)}ms`, source },
        ]),
  ];
}
