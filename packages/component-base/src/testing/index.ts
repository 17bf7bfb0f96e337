// What tests of several packages share.
export { freePort } from "./free-port.ts";
export { collectsAtSignal, growthOf, type Held, heldBy } from "./growth.ts";
export {
  type ControlGroup,
  createControlGroup,
  type Limits,
  limitOpenFiles,
  whyNoControlGroups,
} from "./limits.ts";
export { type ManualClock, manualClock } from "./manual-clock.ts";
export { type NameServer, startNameServer, whyNoNameServer } from "./name-server.ts";
export { createTimerHeap } from "./timer-heap.ts";
