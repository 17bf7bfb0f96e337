// Says in the log which other backends could have served a metric.
import type { Logger } from "@plimsoll/component-base";
import type { FederatedGroup } from "../config/federation-config.ts";
import type { IsOwn } from "../directory/directory.ts";
import type { MetricTarget } from "../directory/metric-request.ts";
import type { MergedList } from "./merged.ts";

const maxNamesLogged = 10;

/** Who else could have served a metric. */
export function logMerged(
  log: Logger,
  {
    group,
    merged,
    isOwn,
  }: { readonly group: FederatedGroup; readonly merged: MergedList; readonly isOwn: IsOwn },
): void {
  const { shared, rows, omitted } = merged;
  if (omitted > 0)
    log.warn(
      { group, omitted, listed: rows.size },
      "backends list too many metrics: some are served but missing from discovery",
    );
  if (shared.length > 0)
    log.info(
      { group, count: shared.length, first: shared.slice(0, maxNamesLogged) },
      "several backends list a metric",
    );
  const own = [...rows.keys()].filter((name) => isOwn(targetOfName(group, name)));
  if (own.length > 0)
    log.info(
      { group, count: own.length, first: own.slice(0, maxNamesLogged) },
      "backends list metrics that we own",
    );
}

function targetOfName(group: FederatedGroup, name: string): MetricTarget {
  const slash = name.indexOf("/");
  const resource = slash < 0 ? undefined : name.slice(0, slash);
  return { group, namespace: undefined, resource, name: undefined, metric: name.slice(slash + 1) };
}
