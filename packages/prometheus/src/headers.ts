// The headers of requests: those of all, and those in whose values the namespace of the request stands.
import { PrometheusError } from "./errors.ts";

type HeaderValues = Readonly<Record<string, string>>;

export interface Headers {
  /** Names are in lower case. @throws PrometheusError: a request of no namespace would read whoever's data. */
  of(namespace: string | undefined): HeaderValues;
  /** Whether they differ from namespace to namespace. */
  readonly isByNamespace: boolean;
}

/** As Kubernetes names a namespace: no value of a header can be anything else than its author meant. */
const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export function createHeaders(fixed: HeaderValues = {}, ofTenants: HeaderValues = {}): Headers {
  const shared = lowerCaseKeys(fixed);
  const templates = Object.entries(lowerCaseKeys(ofTenants));
  if (templates.length === 0) return { of: () => shared, isByNamespace: false };
  return {
    isByNamespace: true,
    of(namespace) {
      if (namespace === undefined)
        throw new PrometheusError(
          "bad_data",
          "the request has no namespace, but the server needs one as its tenant: nothing is sent",
        );
      if (!namespaceName.test(namespace)) {
        const shown = JSON.stringify(namespace.slice(0, 63));
        throw new PrometheusError("bad_data", `${shown} is not the name of a namespace: nothing is sent`);
      }
      const own = templates.map(([name, value]) => [name, value.replaceAll("{namespace}", () => namespace)]);
      return { ...shared, ...Object.fromEntries(own) };
    },
  };
}

function lowerCaseKeys(headers: HeaderValues): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
