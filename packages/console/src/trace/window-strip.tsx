// The window of past recommendations as a strip, with the one that holds the replicas.
import type { Recommendation, StabilizeTrace } from "@plimsoll/core";
import { Facts } from "../ui/facts.tsx";
import { clockText } from "../ui/words.ts";

interface StripProps {
  readonly step: StabilizeTrace;
  readonly atMs: number | undefined;
  readonly recommendations: readonly Recommendation[] | undefined;
}

type Known = { readonly [K in keyof StripProps]-?: NonNullable<StripProps[K]> };

const width = 600;
const height = 56;

export function WindowStrip({ step, atMs, recommendations }: StripProps) {
  const { downWindowSeconds, upWindowSeconds, desired, result, heldBy, lowest, highest, mode } = step;
  const low = lowest === undefined ? "" : `, lowest ${lowest}`;
  return (
    <>
      {atMs === undefined || recommendations === undefined ? null : (
        <Strip step={step} atMs={atMs} recommendations={recommendations} />
      )}
      <Facts
        facts={[
          ["proposed", String(desired)],
          ["after the window", String(result)],
          ["window down", `${downWindowSeconds}s, highest ${highest}`],
          ...(upWindowSeconds === undefined ? [] : [["window up", `${upWindowSeconds}s${low}`] as const]),
          ["held by", heldBy === undefined ? "nothing" : `${heldBy.replicas} of ${clockText(heldBy.atMs)}`],
          ["by the rules of", mode === "behavior" ? "spec.behavior" : "the controller's flag"],
        ]}
      />
    </>
  );
}

/** Each recommendation where it lies in the window; the highest is on top. */
function Strip({ step, atMs, recommendations }: Known) {
  const fromMs = atMs - Math.max(step.downWindowSeconds, step.upWindowSeconds ?? 0, 1) * 1000;
  const inWindow = recommendations.filter((one) => one.atMs >= fromMs && one.atMs <= atMs);
  const all = [...inWindow, { replicas: step.desired, atMs }];
  const top = Math.max(1, ...all.map(({ replicas }) => replicas));
  const low = Math.min(...all.map(({ replicas }) => replicas));
  const x = (ms: number) => 8 + ((width - 24) * (ms - fromMs)) / Math.max(1, atMs - fromMs);
  const y = (replicas: number) => 12 + ((height - 24) * (top - replicas)) / Math.max(1, top - low);
  const { heldBy } = step;
  const said = `Recommendations from ${clockText(fromMs)} to ${clockText(atMs)}: ${all.map(({ replicas }) => replicas).join(", ")}`;
  return (
    <figure class="strip">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={said}>
        <path class="strip-line" d={`M0 ${height - 4}H${width}`} />
        {all.map(({ replicas, atMs: ms }, index) => {
          const isHolding = heldBy !== undefined && heldBy.atMs === ms && heldBy.replicas === replicas;
          return (
            <circle
              key={`${ms} ${index}`}
              class={isHolding ? "strip-dot holds" : "strip-dot"}
              cx={x(ms)}
              cy={y(replicas)}
              r={isHolding ? 5 : 3}
            />
          );
        })}
      </svg>
      <figcaption>
        <span>{clockText(fromMs)}</span>
        <span>
          {heldBy === undefined ? all.length : `${heldBy.replicas} of ${clockText(heldBy.atMs)} is kept`}
        </span>
        <span>{clockText(atMs)}</span>
      </figcaption>
    </figure>
  );
}
