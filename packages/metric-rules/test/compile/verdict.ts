// What a query compiles to, in short.
import { compileRule } from "../../src/compile/compile-rule.ts";
import { readSpec } from "../../src/kind/read-spec.ts";
import { context, externalSpec, rawRule } from "../rules.ts";

export function verdict(query: string): string {
  const read = readSpec(rawRule("packets", externalSpec(query)));
  if (!read.ok) throw new Error(read.problems.join("; "));
  const decided = compileRule({ namespace: "shop", name: "packets" }, read.spec, context);
  return decided.type === "refused" ? `${decided.refusal.reason}: ${decided.refusal.message}` : decided.type;
}
