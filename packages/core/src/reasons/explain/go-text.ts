// Upstream's names of metrics end with a selector as Go prints it. People write it as PromQL has it.

const opening = "(&LabelSelector{";
const whole =
  /^\(&LabelSelector\{MatchLabels:map\[string\]string\{([^}]*)\},MatchExpressions:\[\]LabelSelectorRequirement\{((?:LabelSelectorRequirement\{[^}]*\},)*)\},\}\)/;
const requirement = /Key:([^,}]*),Operator:([^,}]*),Values:\[([^\]]*)\]/g;

/**
 * "external metric queue(&LabelSelector{…})" is "external metric queue{queue=orders}", and "queue(nil)" is "queue". The
 * first selector of a text is replaced; a text without one stays as it is.
 */
export function withoutGo(text: string): string {
  const start = text.indexOf(opening);
  if (start < 0) return text.replace(/\(nil\)/, "");
  const [found, labels = "", expressions = ""] = whole.exec(text.slice(start)) ?? [];
  if (found === undefined) return text;
  const parts = [
    ...labels
      .split(",")
      .filter((pair) => pair !== "")
      .map((pair) => pair.replace(": ", "=")),
    ...[...expressions.matchAll(requirement)].map(([, key = "", operator = "", values = ""]) =>
      [key, operator.toLowerCase(), ...(values === "" ? [] : [`(${values.replaceAll(" ", ", ")})`])].join(
        " ",
      ),
    ),
  ];
  const selector = parts.length === 0 ? "" : `{${parts.join(", ")}}`;
  return `${text.slice(0, start)}${selector}${text.slice(start + found.length)}`;
}
