// The entry of the package: the history of an autoscaler as a recording.
export { anonymize } from "./anonymize.ts";
export { HistoryError, type HistoryErrorCode } from "./errors.ts";
export { type HistoryLimits, type HistoryOptions, type HistoryRead } from "./options.ts";
export { type HistoryProgress } from "./plan.ts";
export { readHistory } from "./read.ts";
