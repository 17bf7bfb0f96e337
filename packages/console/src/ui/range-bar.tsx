// Minimum and maximum as a line, with marks for what is and what is proposed.

interface RangeProps {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly current: number;
  readonly proposed: number | null;
}

const width = 100;

/** Decoration beside numbers that stand in the row already. */
export function RangeBar({ min, max, current, proposed }: RangeProps) {
  if (min === undefined || max === undefined) return <span class="muted">—</span>;
  const at = (replicas: number): number => {
    if (max <= min) return width / 2;
    return 3 + (width - 6) * Math.min(1, Math.max(0, (replicas - min) / (max - min)));
  };
  return (
    <span class="range">
      <span class="range-end">{min}</span>
      <svg class="range-line" viewBox={`0 0 ${width} 12`} preserveAspectRatio="none" aria-hidden="true">
        <path class="range-track" d={`M0 6H${width}`} />
        {proposed === null || proposed === current ? null : (
          <path class="range-change" d={`M${at(current)} 6H${at(proposed)}`} />
        )}
        <path class="range-now" d={`M${at(current)} 1V11`} />
      </svg>
      <span class="range-end">{max}</span>
    </span>
  );
}
