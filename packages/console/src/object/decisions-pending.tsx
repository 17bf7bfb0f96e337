// In the place of an object's decisions while there are none.
import type { LoggedDecision, ObjectKey } from "@plimsoll/decisions";
import type { Loader } from "../data/load.ts";
import { Pending } from "../ui/failure.tsx";
import { lazy } from "../ui/lazy.tsx";

// Few readers see it.
export const Missing = lazy(async () => (await import("./missing.tsx")).Missing);

interface PendingProps {
  readonly object: ObjectKey;
  readonly of: Loader<readonly LoggedDecision[]>;
  /** Undefined: there is none to show. */
  readonly shown: LoggedDecision | undefined;
}

export function DecisionsPending({ object, of, shown }: PendingProps) {
  const { failure } = of.state.value;
  const isMissing = failure?.status === 404;
  if (isMissing && shown === undefined) return <Missing object={object} failure={failure} />;
  return (
    <Pending of={of} what={isMissing ? "Deleted" : "Decisions"} lines={8} isThere={shown !== undefined} />
  );
}
