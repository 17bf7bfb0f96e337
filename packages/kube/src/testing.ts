export { type ManualClock, manualClock } from "./testing/manual-clock.ts";
