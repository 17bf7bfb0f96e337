// Plans how other metrics adapters come behind ours.
export { type PlannedBackend, planOf } from "./plan.ts";
export type { InstalledAdapter, Registered } from "./registered.ts";
