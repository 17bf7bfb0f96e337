const namePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const valuePattern = `(${namePattern})?`;
const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;

const name = new RegExp(`^${namePattern}$`);
const value = new RegExp(`^${valuePattern}$`);
const subdomain = new RegExp(`^${subdomainPattern}$`);

const nameRule = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${namePattern}')`;
const valueRule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${valuePattern}')`;
const subdomainRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomainPattern}')`;

/**
 * What is wrong with a label key; empty when nothing is.
 * @upstream apimachinery/pkg/api/validate/content/kube.go#IsLabelKey
 */
export function labelKeyProblems(key: string): string[] {
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${nameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const local = parts.at(-1) ?? "";
  if (prefix === "") problems.push("prefix part must be non-empty");
  else if (prefix !== undefined) {
    if (prefix.length > 253) problems.push(`prefix part ${tooLong(253)}`);
    if (!subdomain.test(prefix)) problems.push(`prefix part ${subdomainRule}`);
  }
  if (local === "") problems.push("name part must be non-empty");
  else if (local.length > 63) problems.push(`name part ${tooLong(63)}`);
  if (!name.test(local)) problems.push(`name part ${nameRule}`);
  return problems;
}

/**
 * What is wrong with a label value; empty when nothing is.
 * @upstream apimachinery/pkg/api/validate/content/kube.go#IsLabelValue
 */
export function labelValueProblems(text: string): string[] {
  return [...(text.length > 63 ? [tooLong(63)] : []), ...(value.test(text) ? [] : [valueRule])];
}

function tooLong(limit: number): string {
  return `must be no more than ${String(limit)} bytes`;
}
