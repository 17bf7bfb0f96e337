// Reads which labels of series name which resources.
import { compileLabelTemplate, type LabelTemplate, TemplateError } from "@plimsoll/prometheus";
import type { Place, RulesDocument } from "../document/document.ts";
import type { CompiledResources, LabelOverride } from "./compiled-rules.ts";

export interface ReadResources {
  readonly resources: CompiledResources;
  readonly namespaced: boolean | undefined;
  readonly namespacedPlace: Place;
}

/** Reads resources{template, overrides, namespaced}. */
export function readResources(document: RulesDocument, place: Place): ReadResources {
  const fields = document.fields(place, ["template", "overrides", "namespaced"]);
  return {
    resources: {
      overrides: readOverrides(document, fields.overrides),
      template: readLabelTemplate(document, fields.template),
    },
    namespaced: document.flag(fields.namespaced),
    namespacedPlace: fields.namespaced,
  };
}

function readOverrides(document: RulesDocument, place: Place): readonly LabelOverride[] {
  const overrides: LabelOverride[] = [];
  for (const [label, at] of document.entries(place)) {
    const fields = document.fields(at, ["group", "resource"]);
    const override = { label, group: document.text(fields.group), resource: document.text(fields.resource) };
    if (override.resource === "") {
      document.problem(at, "the override has no resource");
      continue;
    }
    if (label === "") {
      document.problem(at, "the override has no label");
      continue;
    }
    const twin = overrides.find(
      (other) => other.group === override.group && other.resource === override.resource,
    );
    if (twin !== undefined) {
      document.warn(
        at,
        `the label ${twin.label} maps to the same resource, and only ${twin.label} is used in queries: remove one of them`,
      );
    }
    overrides.push(override);
  }
  return overrides;
}

function readLabelTemplate(document: RulesDocument, place: Place): LabelTemplate | undefined {
  const text = document.text(place);
  if (text === "") return undefined;
  try {
    const template = compileLabelTemplate(text);
    for (const error of template.fields.unknown) document.problem(place, error.reason, error);
    if (template.fields.unknown.length > 0) return undefined;
    if (!template.fields.used.has("Resource")) {
      document.problem(place, "the template must contain .Resource");
      return undefined;
    }
    template.render({ Group: "group", Resource: "resource" });
    return template;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    document.problem(place, error.message, error);
    return undefined;
  }
}
