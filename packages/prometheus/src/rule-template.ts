// Compiles the query and label templates of rules.
import { compileTemplate, type Template } from "./template/compile.ts";
import { withQuotedNames } from "./template/quoted-names.ts";

/** What a metrics query is made from, by the names that prometheus-adapter's configuration uses. */
export interface QueryFields {
  /** Name of the series; empty for resource rules. */
  readonly series: string;
  /** Matchers, joined by commas. */
  readonly labelMatchers: string;
  /** Per label, the values it is matched against, joined by "|". */
  readonly labelValuesByName: ReadonlyMap<string, string>;
  readonly groupBy: readonly string[];
}

/** A compiled `metricsQuery` of a rule. */
export interface QueryTemplate {
  readonly text: string;
  readonly fields: Template["fields"];
  readonly plainFields: Template["plainFields"];
  /** @throws TemplateError */
  render(fields: QueryFields): string;
}

const QUERY_FIELDS = {
  Series: "string",
  LabelMatchers: "string",
  LabelValuesByName: "map",
  GroupBy: "string",
  GroupBySlice: "list",
} as const;

/** Compiles metricsQuery, containerQuery or nodeQuery. @throws TemplateError */
export function compileQueryTemplate(text: string): QueryTemplate {
  const template = compileTemplate(text, QUERY_FIELDS, "naming.queryTemplateArgs");
  return {
    text,
    fields: template.fields,
    plainFields: template.plainFields,
    render: (fields) =>
      withQuotedNames(fields, ({ series, groupBy }, actual) =>
        template.render(
          {
            Series: series,
            LabelMatchers: fields.labelMatchers,
            LabelValuesByName: fields.labelValuesByName,
            GroupBy: groupBy.join(","),
            GroupBySlice: groupBy,
          },
          actual,
        ),
      ),
  };
}

const LABEL_FIELDS = { Group: "string", Resource: "string" } as const;

/** The template that names the label of a resource (resources.template). */
export type LabelTemplate = Template<keyof typeof LABEL_FIELDS>;

/** Compiles resources.template. @throws TemplateError */
export function compileLabelTemplate(text: string): LabelTemplate {
  return compileTemplate(text, LABEL_FIELDS, "schema.GroupResource");
}
