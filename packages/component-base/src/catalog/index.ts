// The catalog of codes, and how a message gets its code.
export { catalog, retiredCodes, withConditionCode, withStartupCode } from "./catalog.ts";
export type { CatalogEntry } from "./entry.ts";
