// Reads the labels by which a source confines a server to the series of one cluster.
import { redact } from "@plimsoll/core/redact";
import { isLabelName } from "@plimsoll/prometheus";
import type { Place, RulesDocument } from "../document/document.ts";
import type { SourceConfig } from "./source-config.ts";

const maxLabels = 10;
const maxLength = 256;

/** Reads `query.extraLabels`. */
export function readExtraLabels(document: RulesDocument, place: Place): SourceConfig["extraLabels"] {
  const entries = document.entries(place);
  if (entries.length > maxLabels)
    document.problem(place, `there are ${entries.length} labels: ${maxLabels} are allowed`);
  return entries.slice(0, maxLabels).map(([name, at]) => {
    const value = document.text(at);
    const problem = nameProblem(name) ?? valueProblem(value);
    if (problem !== undefined) document.problem(at, problem);
    return [name, value] as const;
  });
}

function nameProblem(name: string): string | undefined {
  const shown = JSON.stringify(redact(name.slice(0, maxLength)));
  if (!isLabelName(name) || name.length > maxLength)
    return `${shown} is not the name of a label of Prometheus`;
  if (name.startsWith("__"))
    return `the label ${shown} is Prometheus's own: use one that the series of the server have`;
  return undefined;
}

function valueProblem(value: string): string | undefined {
  if (value === "") return "the label has no value, and would select series that lack it: write one";
  if (value.length > maxLength) return `the value has ${value.length} characters: ${maxLength} are allowed`;
  return undefined;
}
