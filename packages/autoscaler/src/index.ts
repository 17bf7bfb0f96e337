export { type Autoscaler, type AutoscalerDeps, createAutoscaler } from "./app.ts";
export type { Applied, DecisionLog, DecisionRecord } from "./explain/decision-log.ts";
export type { Decide } from "./hpa/reconcile.ts";
export type { BoundAddress } from "./http/server.ts";
export type { Logger } from "./log.ts";
export { readCommandLine } from "./options/command-line.ts";
export { type AutoscalerConfig, compileConfig, type FlagProblem, type ManageHpas } from "./options/config.ts";
export { flagDocs } from "./options/flag-docs.ts";
export type { BuiltInState } from "./shadow/built-in.ts";
