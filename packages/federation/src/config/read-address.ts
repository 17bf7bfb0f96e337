// Reads where a backend is: a Service of the cluster, or an address.
import { redactUrl } from "@plimsoll/core/redact";
import { type Place, type RulesDocument, readInteger, readOptional, readRequired } from "@plimsoll/rules";

/** Host and port; what is missing is "" and a problem. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

const ports = { min: 1, max: 65_535 };
const defaultPort = 443;
const dnsLabel = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * A Service is reached by its name in the DNS of the cluster, which is also the name that its certificate has for
 * kube-apiserver. By its ClusterIP we would need a right to read Services in the namespace of each backend.
 */
export function readAddress(
  document: RulesDocument,
  fields: { readonly service: Place; readonly url: Place },
  owner: Place,
): Address {
  const hasService = !document.isAbsent(fields.service);
  const url = readOptional(document, fields.url);
  if (hasService && url !== undefined)
    document.problem(fields.url, "can't be combined with service: use one of them");
  if (url !== undefined) return readUrl(document, fields.url, url);
  if (hasService) return readService(document, fields.service);
  document.problem(
    { path: fields.service.path, node: owner.node },
    "is missing: set the namespace and the name of its Service, as in its APIService",
  );
  return { host: "", port: defaultPort };
}

function readService(document: RulesDocument, place: Place): Address {
  const fields = document.fields(place, ["namespace", "name", "port"]);
  const label = (of: "namespace" | "name"): string => {
    const text = readRequired(document, fields[of], place, `the ${of} of the Service`);
    if (text !== "" && !dnsLabel.test(text))
      document.problem(fields[of], `${JSON.stringify(text.slice(0, 80))} is not the ${of} of a Service`);
    return text;
  };
  const namespace = label("namespace");
  const name = label("name");
  return { host: `${name}.${namespace}.svc`, port: readInteger(document, fields.port, ports) ?? defaultPort };
}

/** Of a server that is not a Service. Only host and port: paths are those of the API. */
function readUrl(document: RulesDocument, place: Place, text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url?.protocol === "https:" &&
    url.username === "" &&
    url.password === "" &&
    url.pathname === "/" &&
    url.search === "" &&
    url.hash === "";
  if (url === undefined || !isPlain) {
    const shown = JSON.stringify(redactUrl(text.slice(0, 200)));
    document.problem(place, `${shown} must be https://HOST or https://HOST:PORT, with nothing else`);
    return { host: "", port: defaultPort };
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port: url.port === "" ? defaultPort : Number(url.port) };
}
