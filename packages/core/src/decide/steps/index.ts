// The single steps of an evaluation, each by itself.
export { type ApplyPoliciesInput, type ApplyPoliciesResult, applyPolicies } from "./apply-policies.ts";
export { type Proposal, type ProposeInput, proposeReplicas } from "./propose.ts";
export { type StabilizeInput, type StabilizeResult, stabilize } from "./stabilize.ts";
