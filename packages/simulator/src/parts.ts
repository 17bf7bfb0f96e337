// Parts of the simulation that a backtest uses to replay recordings and to fit their load.
export { type Bounds, createBounds } from "./loop/bounds.ts";
export { metricsOf } from "./loop/sync.ts";
export { lastAtOrBefore, lastBefore } from "./measure/last.ts";
export { milliText, nanoText } from "./measure/quantity-text.ts";
export { standardNormal } from "./random/distributions.ts";
export { type RandomStream, randomStream } from "./random/stream.ts";
export { type RecordedTotal } from "./scenario.ts";
export { createChanges } from "./score/changes.ts";
