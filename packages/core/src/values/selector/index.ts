// Label selectors: read from text or from API objects, matched with labels, printed.
export type { LabelSelector, LabelSelectorRequirement } from "./label-selector.ts";
export type { Operator, Requirement } from "./requirement.ts";
export { labelSelector, parseSelector, type Selector, SelectorError } from "./selector.ts";
