// Waits for the first list of a kind, but not for one that does not come.
import { type Clock, waitAtMost } from "@plimsoll/component-base";
import type { Watch } from "./watch.ts";

/** How long others wait for a kind that cannot be listed. */
const maxFailingMs = 30_000;
/** A list that takes long and does not fail is worth a longer wait. */
const maxWaits = 4;

/** Resolves when `listed` does, after 30 s if the list fails, and after two minutes at the latest. */
export async function waitForList(
  watch: Pick<Watch<never>, "failure">,
  listed: Promise<void>,
  clock: Clock,
): Promise<void> {
  const progress = { isListed: false };
  const end = (async () => {
    await listed;
    progress.isListed = true;
  })();
  // A watch that is stopped later ends without its list.
  end.catch(() => undefined);
  for (let waits = 0; waits < maxWaits; waits += 1) {
    await waitAtMost(clock, maxFailingMs, end);
    if (progress.isListed || watch.failure !== undefined) return;
  }
}
