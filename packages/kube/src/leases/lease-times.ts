/** How long a lease lasts, and how often its owner renews it. */
export interface LeaseTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** How long a request about the lease may take. Throws RangeError where these times cannot protect an owner. */
export function timeoutOf({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaseTimes): number {
  if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs && retryPeriodMs > 0))
    throw new RangeError("the lease must outlast the renew deadline, and that the retry period");
  return Math.max(1000, renewDeadlineMs / 2);
}
