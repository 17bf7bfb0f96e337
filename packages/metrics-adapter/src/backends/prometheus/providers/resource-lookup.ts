// Looks up a resource of the cluster for a request.
import { type Awaitable, messageOf } from "@plimsoll/component-base";
import type { ClusterResource, ResourceMapper } from "@plimsoll/rules";
import { failed, type Outcome } from "./outcome.ts";

/** Runs the next step on a resource, or on undefined where the cluster has no such; at once where that is known. */
export function lookUp<T>(
  mapper: ResourceMapper,
  groupResource: string,
  next: (info: ClusterResource | undefined) => Outcome<T>,
): Awaitable<Outcome<T>> {
  const found = mapper.byResource(groupResource);
  if (!(found instanceof Promise)) return next(found);
  return found.then(next, (error: unknown) =>
    failed("Unavailable", `cannot read the cluster's resources: ${messageOf(error)}`, {
      retryAfterSeconds: 1,
    }),
  );
}
