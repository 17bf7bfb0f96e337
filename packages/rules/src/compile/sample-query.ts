// Renders a rule's query with example values, for checks without a request.
import { type QueryTemplate, TemplateError } from "@plimsoll/prometheus";

/** The query of a request that could come, for those who check it without one. Undefined: it cannot be rendered. */
export function sampleQuery(template: QueryTemplate): string | undefined {
  try {
    return template.render({
      series: "sample_series",
      labelMatchers: 'namespace="default",pod=~"web-1|web-2"',
      labelValuesByName: new Map([
        ["namespace", "default"],
        ["pod", "web-1|web-2"],
        ["node", "node-1|node-2"],
      ]),
      groupBy: ["pod"],
    });
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}
