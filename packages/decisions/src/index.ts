// The package's exports: the documents of the decision API, and what each reader makes of them in the same way.
export * from "./documents.ts";
export { createEventParser, type ServerEvent } from "./read/events.ts";
export { deletedFrom, itemsOf, loggedFrom, rowFrom, shadowItemFrom } from "./read/wire.ts";
export type { DecisionReader, DecisionsQuery, StreamQuery } from "./reader.ts";
export { boundsOf, failureText, rowOf, unitOf } from "./summary/row.ts";
export { countsOf, isProblem, keyOf, problemOf, ratioOf, severity } from "./summary/state.ts";
