// The one server of decisions, of the autoscaler and of `plimsoll console`.
export { type Asked, decisionPaths, readAddress, readObject, splitAddress } from "./address.ts";
export { type Failure, RequestError, statusOf } from "./failure.ts";
export { checkNamespace, mergedPage, pageOf, readSummaryQuery, rowsOf } from "./query.ts";
export { type Exchange, sendFile, sendJson } from "./send.ts";
export { createServeDecisions, type ServeDecisions } from "./serve.ts";
export { createStreams, maxBlockedMs, type StreamReader, type Streams } from "./streams.ts";
