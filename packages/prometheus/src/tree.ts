// The tree of a PromQL query, for those who evaluate it without a Prometheus.
export type { SyntaxNode } from "@lezer/common";
export { argumentsOf, groupingOf, labelsIn, nameOf, partsOf } from "./enforce/cost/arguments.ts";
export { durationOf } from "./enforce/durations.ts";
export { checkSize, defaultLimits } from "./enforce/limits.ts";
export { readNumberLiteral } from "./enforce/number-literal.ts";
export { parseStrictly } from "./enforce/parse.ts";
export { Refused, type Span, shown } from "./enforce/refused.ts";
export { readRegex } from "./enforce/regex/read.ts";
export { matchersOf, stringOf } from "./enforce/selectors.ts";
