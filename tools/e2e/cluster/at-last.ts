// Waits for probes to fail as expected.
import { until } from "@plimsoll/testbed";

/** More than two periods, and than two tries for a lease. */
const restMs = 1500;
/** Several ask at once, each with a dozen requests and two programs. */
const everyMs = 1000;

/** What fails once it is what is expected, and stays so, or at last. */
export async function atLast(
  expected: readonly string[],
  ask: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const wanted = JSON.stringify(expected.toSorted());
  let failures: readonly string[] = [];
  let since: number | undefined;
  const isSettled = async () => {
    failures = (await ask()).toSorted();
    since = JSON.stringify(failures) === wanted ? (since ?? performance.now()) : undefined;
    return (since !== undefined && performance.now() - since > restMs) || undefined;
  };
  await until("the expected failures", isSettled, { everyMs }).catch(() => {});
  return failures;
}
