// When pods have their first sample, which no status says: the delay with which most decisions agree.

/** In periods of the controller: between two decisions a pod has a sample, or it has none. */
const triedPeriods = [0.5, 1.5, 2.5, 3.5, 4.5];
/** With fewer steps that do not agree it is not looked for. */
const minWrongShare = 0.005;
/** So many more have to agree: fewer may be chance. */
const minGain = 3;
/** About a day of decisions is enough to know it. */
export const maxEstimated = 5760;

export interface AgreedSteps {
  readonly steps: number;
  readonly agreed: number;
}

/** Whether as many do not agree as a delay of samples would make. */
export function mayLackSamples({ steps, agreed }: AgreedSteps): boolean {
  return steps - agreed >= Math.max(minGain, minWrongShare * steps);
}

/** From the start of a pod to its first sample; 0 where no delay is better. `agreedWith` replays with a delay. */
export function sampleDelayOf(periodMs: number, agreedWith: (delayMs: number) => number): number {
  let best = { delayMs: 0, agreed: agreedWith(0) + minGain - 1 };
  for (const periods of triedPeriods) {
    const delayMs = periods * periodMs;
    const agreed = agreedWith(delayMs);
    if (agreed > best.agreed) best = { delayMs, agreed };
  }
  return best.delayMs;
}

/** What is said of it beside the result. */
export function sampleDelayNote(delayMs: number, before: AgreedSteps, after: AgreedSteps): string {
  return `assuming that pods have their first sample ${delayMs / 1000} s after they start: with this estimate ${percent(after)} of the steps agree, without it ${percent(before)}`;
}

function percent({ agreed, steps }: AgreedSteps): string {
  return `${((100 * agreed) / steps).toFixed(1)} %`;
}
