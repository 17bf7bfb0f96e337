import { DurationError, isLabelName, parsePrometheusDuration } from "@plimsoll/prometheus";
import type { Place, RulesDocument } from "../document/document.ts";
import type { CompiledResourceRule, CompiledResourceRules } from "./compiled-rules.ts";
import { readQuery } from "./query.ts";
import { readResources } from "./resources.ts";

/** Reads resourceRules; absent and null turn metrics.k8s.io off, an empty mapping does not. */
export function readResourceRules(document: RulesDocument, place: Place): CompiledResourceRules | undefined {
  if (document.isAbsent(place)) return undefined;
  const fields = document.fields(place, ["cpu", "memory", "window", "source"]);
  return {
    source: document.source(fields.source, "resource"),
    cpu: readResourceRule(document, fields.cpu, place),
    memory: readResourceRule(document, fields.memory, place),
    windowMs: readWindow(document, fields.window, place),
  };
}

function readResourceRule(document: RulesDocument, place: Place, owner: Place): CompiledResourceRule {
  const fields = document.fields(place, ["containerQuery", "nodeQuery", "resources", "containerLabel"]);
  const at = place.node === undefined ? owner : place;
  const containerLabel = document.text(fields.containerLabel);
  if (containerLabel !== "" && !isLabelName(containerLabel)) {
    document.problem(
      fields.containerLabel,
      `${JSON.stringify(containerLabel)} cannot be a Prometheus label name`,
    );
  }
  if (containerLabel === "") {
    document.warn(
      { path: fields.containerLabel.path, node: at.node },
      "there is no containerLabel: pods get no values",
    );
  }
  return {
    path: place.path,
    containerQuery: readQuery(document, fields.containerQuery, at),
    nodeQuery: readQuery(document, fields.nodeQuery, at),
    resources: readResources(document, fields.resources).resources,
    containerLabel,
  };
}

function readWindow(document: RulesDocument, place: Place, owner: Place): number {
  const text = document.text(place);
  if (text === "") {
    document.warn({ path: place.path, node: owner.node }, "there is no window: clients get 0 s");
    return 0;
  }
  try {
    return parsePrometheusDuration(text);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    document.problem(place, error.message);
    return 0;
  }
}
