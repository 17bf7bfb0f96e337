// Checks PromQL syntax without a Prometheus.

/** PromQL read by Prometheus' own grammar for editors, for those who check queries without a Prometheus. */
import { parser } from "@prometheus-io/lezer-promql";

const SHOWN = 40;

/** Why a text is no PromQL, with the place; undefined when the grammar takes it. Types are not checked. */
export function promqlProblem(text: string): string | undefined {
  if (text.trim() === "") return "it is empty";
  let at: number | undefined;
  parser.parse(text).iterate({
    enter(node) {
      if (at === undefined && node.type.isError) at = node.from;
      return at === undefined;
    },
  });
  if (at === undefined) return undefined;
  const rest = text.slice(at, at + SHOWN).trim();
  return rest === "" ? "it ends too early" : `it cannot be read from ${JSON.stringify(rest)} on`;
}

/** Why a text is no selector of series, such as `up{job="a"}`; undefined when it is one. */
export function selectorProblem(text: string): string | undefined {
  const problem = promqlProblem(text);
  if (problem !== undefined) return problem;
  const expression = parser.parse(text).topNode.firstChild;
  return expression?.name === "VectorSelector" ? undefined : 'it is not a selector such as up{job="a"}';
}
