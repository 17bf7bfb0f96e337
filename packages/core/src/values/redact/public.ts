// Hides addresses of the infrastructure in texts that tenants can read.
import { encodedForms, plainForms, type SecretForm } from "./forms.ts";
import { hideForms } from "./secrets.ts";
import { redact } from "./text.ts";

const HIDDEN = "(address hidden)";
/** Servers come and go with the configuration. */
const maxHosts = 200;
/** Shorter ones are parts of words, as are names of one part. */
const minLength = 4;

/** With the forms of those that are no ordinary words. */
const hosts = new Map<string, readonly SecretForm[]>();
let withPorts: RegExp | undefined;

/** The host of this address, or this host, is in no text for tenants from now on, however it is encoded. */
export function registerHost(address: string): void {
  const host = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/?#]*@)?(\[[^\]]*\]|[^:/?#]+)/i.exec(address)?.[1];
  if (host === undefined || hosts.has(host)) return;
  const isWord = host.length < minLength || !/[.:]/.test(host);
  hosts.set(host, isWord ? [] : [...plainForms(host), ...encodedForms(host)]);
  for (const oldest of hosts.keys()) {
    if (hosts.size <= maxHosts) break;
    hosts.delete(oldest);
  }
  withPorts = undefined;
}

/**
 * The text of an error for tenants, in statuses, events and responses: without secrets, and without host names, IP addresses,
 * ports and URLs. Operators find the whole text in the log.
 */
export function publicText(text: string): string {
  withPorts ??= patternOf(hosts.keys());
  let shown = redact(text);
  for (const pattern of [urls, withPorts]) shown = shown.replaceAll(pattern, HIDDEN);
  for (const pattern of addresses) shown = shown.replaceAll(pattern, HIDDEN);
  // After whole addresses: one may begin with the other, as 10.0.0.10 with 10.0.0.1.
  shown = hideForms(shown, [...hosts.values()].flat(), HIDDEN);
  for (const pattern of named) shown = shown.replaceAll(pattern, `$1${HIDDEN}`);
  return shown.replaceAll(portsLeft, HIDDEN);
}

const urls = /\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s"'`<>\\]*[^\s"'`<>\\,.;:)\]}]/gi;
/** The encoding of a character ends with a letter or digit. */
const before = String.raw`(?:(?<![\w.@/-])|(?<=%[0-9a-f]{2}))`;
const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?";
const colon = "(?::|%3a)";
/** Not a line and a column. */
const port = String.raw`${colon}\d{1,5}(?![\w.:-]*\w)`;
const group = "[0-9a-f]{1,4}";

const addresses = [
  // IPv6 in brackets, compressed, and in full.
  String.raw`\[(?=[^\]\s]{0,80}:[^\]\s]{0,80}:)[0-9a-f:.]{2,45}(?:%\w{1,16})?\](?::\d{1,5})?`,
  // With a digit: the name of a rule may be "added::face".
  String.raw`(?<![\w:.])(?=[a-f:]{0,39}\d)(?:${group}(?::${group}){0,6})?::(?:${group}(?::${group}){0,6}(?:\.\d{1,3}){0,3}(?::\d{1,5})?)(?![\w:])`,
  String.raw`(?<![\w:.])(?:${group}:){7}${group}(?![\w:])`,
  String.raw`${before}\d{1,3}(?:\.\d{1,3}){3}(?:${colon}\d{1,5}|\/\d{1,2})?(?![\w-]|\.\d)`,
  // Names with a port; "rules.yaml:3" is a place in a file.
  String.raw`${before}${label}(?:\.(?!(?:ya?ml|json|go|[jt]s|pem|crt):)${label}){1,16}\.?${port}`,
  String.raw`${before}(?:localhost${port}|(?<!:)[a-z]${label}${colon}\d{4,5}(?![\w.:-]*\w))`,
  String.raw`${before}${label}(?:\.${label}){0,16}\.(?:svc|local|localdomain|internal|intranet|lan|corp)(?:\.${label}){0,8}\.?(?![\w-])(?::\d{1,5})?`,
].map((source) => new RegExp(source, "gi"));

/** Names behind what resolvers, sockets and TLS say before them. */
const named: readonly RegExp[] = [
  /\b((?:ENOTFOUND|EAI_AGAIN|EAI_FAIL|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH) +)[a-z0-9][\w.:-]*/gi,
  /\b(lookup +)[a-z0-9][\w.-]*(?= on (?:\(address hidden\)|[\d[:])|: (?:no such host|i\/o timeout|server misbehaving|temporary failure))/gi,
  // In this case only: labels of metrics are called host and dns.
  /\b(DNS:|IP Address:|Host: )[A-Za-z0-9*][\w.*-]*/g,
  /\b(certificate is (?:not )?valid for )[^"]{1,500}?(?="|$|\n)/gi,
];
const portsLeft = /\(address hidden\)(?::|%3[aA])\d{1,5}/g;

function patternOf(known: Iterable<string>): RegExp {
  const forms = [...known]
    .sort((a, b) => b.length - a.length)
    .map((host) => `${host.replaceAll(/[^\w]/g, (mark) => `\\${mark}`)}${colon}\\d{1,5}`);
  return forms.length === 0 ? /(?!)/g : new RegExp(`(?<![\\w.-])(?:${forms.join("|")})(?![\\w-])`, "gi");
}
