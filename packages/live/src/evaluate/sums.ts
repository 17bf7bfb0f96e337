// Sums and means whose rounding errors are carried along (Kahan's summation, as improved by Neumaier).

/** A sum in two parts. */
export interface Sum {
  value: number;
  /** What rounding has lost so far. */
  rest: number;
}

/** @upstream prometheus/prometheus promql/functions.go#kahanSumInc */
export function addTo(sum: Sum, term: number): void {
  const next = sum.value + term;
  if (isInfinite(next)) sum.rest = 0;
  else if (Math.abs(sum.value) >= Math.abs(term)) sum.rest += sum.value - next + term;
  else sum.rest += term - next + sum.value;
  sum.value = next;
}

/** A mean that divides the sum once, and goes over to a running mean where the sum would overflow. */
export interface Mean extends Sum {
  count: number;
  isRunning: boolean;
}

export function meanOf(first: number): Mean {
  return { value: first, rest: 0, count: 1, isRunning: false };
}

/** @upstream prometheus/prometheus promql/engine.go#aggregation */
export function addToMean(mean: Mean, term: number): void {
  mean.count += 1;
  if (!mean.isRunning) {
    const { value, rest } = mean;
    addTo(mean, term);
    if (!isInfinite(mean.value)) return;
    mean.isRunning = true;
    mean.value = value / (mean.count - 1);
    mean.rest = rest / (mean.count - 1);
  }
  const share = (mean.count - 1) / mean.count;
  mean.value *= share;
  mean.rest *= share;
  addTo(mean, term / mean.count);
}

export function resultOf({ value, rest, count, isRunning }: Mean): number {
  return isRunning ? value + rest : value / count + rest / count;
}

export function isInfinite(value: number): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}
