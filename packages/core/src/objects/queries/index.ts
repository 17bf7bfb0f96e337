// Queries of WorkloadAutoscalers: metrics that an object brings along as PromQL. How they are read, checked and named.
export { type LiveSource, liveIntervalMs, readLive } from "./live.ts";
export { isQueryName, type QueryContent, queryLabel, queryName, queryOwner } from "./name.ts";
export { isQuery, livePeriod, maxQueries, type QueryEntry, readQueries } from "./read.ts";
export { asDecided, asWritten, type WrittenQuery, withQueries, withQueryPaths } from "./with-queries.ts";
