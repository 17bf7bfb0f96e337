// How a message gets its code.
export { withConditionCode, withStartupCode } from "./catalog.ts";
