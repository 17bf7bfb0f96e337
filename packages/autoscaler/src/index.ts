// The package's exports: an autoscaler that can be started in any process, its options and its recorded decisions.
export type { Logger } from "@plimsoll/component-base";
export { createAutoscaler } from "./app/app.ts";
export type { Autoscaler, AutoscalerDeps } from "./app/autoscaler.ts";
export type { DecisionLog } from "./decisions/decision-log.ts";
export type { Decide } from "./decisions/stored-decision.ts";
export type { ManageHpas } from "./objects/ownership.ts";
export { readCommandLine } from "./options/command-line.ts";
export { type AutoscalerConfig, compileConfig } from "./options/config.ts";
export type { Listen } from "./server/serving.ts";
export type { BuiltInState } from "./shadow/built-in.ts";
