// Validates the syntax of label keys, values and DNS names.

const nameFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const subdomainFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const labelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const namePattern = new RegExp(`^${nameFormat}$`);
const valuePattern = new RegExp(`^(${nameFormat})?$`);
const subdomainPattern = new RegExp(`^${subdomainFormat}$`);
const labelPattern = new RegExp(`^${labelFormat}$`);

const nameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character" +
  ` (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${nameFormat}')`;

/** @upstream apimachinery/pkg/api/validate/content/kube.go#IsLabelKey */
export function labelKeyProblems(key: string): readonly string[] {
  const parts = key.split("/");
  const problems: string[] = [];
  if (parts.length > 2) {
    const prefixed = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${nameRule} ${prefixed}`];
  }
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    if (prefix === "") problems.push("prefix part must be non-empty");
    else problems.push(...subdomainProblems(prefix).map((problem) => `prefix part ${problem}`));
  }
  const name = parts.at(-1) ?? "";
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > 63) problems.push("name part must be no more than 63 bytes");
  if (!namePattern.test(name)) problems.push(`name part ${nameRule}`);
  return problems;
}

/** @upstream apimachinery/pkg/api/validate/content/kube.go#IsLabelValue */
export function labelValueProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (value.length > 63) problems.push("must be no more than 63 bytes");
  if (!valuePattern.test(value)) {
    problems.push(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character" +
        ` (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${nameFormat})?')`,
    );
  }
  return problems;
}

/** @upstream apimachinery/pkg/api/validate/content/dns.go#IsDNS1123Subdomain */
export function subdomainProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (value.length > 253) problems.push("must be no more than 253 bytes");
  if (!subdomainPattern.test(value)) {
    problems.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character" +
        ` (e.g. 'example.com', regex used for validation is '${subdomainFormat}')`,
    );
  }
  return problems;
}

/** @upstream apimachinery/pkg/util/validation/validation.go#IsDNS1123Label */
export function dnsLabelProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (value.length > 63) problems.push("must be no more than 63 bytes");
  if (!labelPattern.test(value)) {
    problems.push(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character" +
        ` (e.g. 'my-name',  or '123-abc', regex used for validation is '${labelFormat}')`,
    );
  }
  return problems;
}
