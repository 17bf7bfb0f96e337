// The demo's load and how it reads decisions, for the end-to-end tests, which play the same on other clusters.

export { createScenario, keptLoads, quietLoads } from "./scenario.ts";
export { demoSettings, startDemoAutoscaler, startOtherController } from "./start-autoscaler.ts";
export { startConsole } from "./start-console.ts";
