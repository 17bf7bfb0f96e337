import { createFlagReader, flagWarnings, type ParsedFlags } from "@plimsoll/component-base/flags";
import { redactUrl } from "@plimsoll/core/redact";
import type { SniFiles, StaticAuthentication } from "@plimsoll/kube/serving";
import { addressProblem } from "@plimsoll/prometheus";
import { opensslCiphers } from "./cipher-suites.ts";
import { type Flags, flags } from "./flags.ts";
import { type LiveOptions, liveOptions } from "./live.ts";
import { type MetricRulesOptions, metricRulesOptions } from "./metric-rules.ts";
import { wording } from "./wording.ts";

/** Everything the flags say, checked, with units in the names. */
export interface AdapterOptions {
  readonly configFile: string;
  /** The file of sources. */
  readonly sourcesFile: string | undefined;
  /** The file of other adapters. */
  readonly federationFile: string | undefined;
  readonly federationDiscoveryMaxAgeMs: number;
  readonly relistIntervalMs: number;
  readonly maxAgeMs: number;
  readonly listTimeoutMs: number;
  readonly resultMaxAgeMs: number;
  readonly listerKubeconfig: string | undefined;
  readonly prometheus: PrometheusOptions;
  /** Undefined: MetricRules are not served. */
  readonly metricRules: MetricRulesOptions | undefined;
  /** Undefined: no pod is scraped. */
  readonly live: LiveOptions | undefined;
  readonly serving: ServingOptions;
  readonly authentication: AuthenticationOptions;
  readonly authorization: AuthorizationOptions;
  /** klog's verbosity. */
  readonly verbosity: number;
}

export interface PrometheusOptions {
  readonly url: string;
  readonly verb: "GET" | "POST";
  /** Undefined: what the environment says. */
  readonly proxyUrl: string | undefined;
  /** Undefined: what is left of the request's time. */
  readonly queryTimeoutMs: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly clientCertFile: string | undefined;
  readonly clientKeyFile: string | undefined;
  readonly usesServiceAccount: boolean;
  readonly kubeconfig: string | undefined;
}

export interface ServingOptions {
  readonly address: string;
  readonly port: number;
  /** Undefined: memory only. */
  readonly certDir: string | undefined;
  readonly files: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly sniFiles: readonly SniFiles[];
  readonly minVersion: "TLSv1.2" | "TLSv1.3";
  readonly ciphers: string | undefined;
  readonly selfSignedHosts: readonly string[];
  /** Where replicas share the self-signed certificate. */
  readonly certSecret: { readonly namespace: string; readonly name: string } | undefined;
  /** Names of APIServices. */
  readonly publishesCaBundleTo: readonly string[];
  readonly isPortShared: boolean;
  readonly maxRequestsInFlight: number;
  /** Undefined: 5 s in a pod, else 0. */
  readonly shutdownDelayMs: number | undefined;
}

export interface AuthenticationOptions {
  readonly kubeconfig: string | undefined;
  readonly looksUpConfigMap: boolean;
  readonly toleratesLookupFailure: boolean;
  readonly tokenTtlMs: number;
  readonly files: StaticAuthentication;
}

export interface AuthorizationOptions {
  readonly kubeconfig: string | undefined;
  readonly alwaysAllowPaths: readonly string[];
  readonly allowedTtlMs: number;
  readonly deniedTtlMs: number;
}

export type OptionsResult =
  | { readonly type: "options"; readonly options: AdapterOptions; readonly warnings: readonly string[] }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "problems"; readonly problems: readonly string[] };

/** Nothing below this reads a flag. */
export function compileOptions(line: ParsedFlags): OptionsResult {
  const read = createFlagReader(flags, line, wording);
  const { problems } = read;
  const configFile = read.string("config");
  if (configFile === undefined)
    problems.push("--config is required: the rules file, in prometheus-adapter's format");
  const relistIntervalMs = read.durationMs("metrics-relist-interval") ?? 0;
  // 0 is the default, as in prometheus-adapter.
  const maxAgeMs = read.durationMs("metrics-max-age") || relistIntervalMs;
  if (relistIntervalMs <= 0) problems.push("--metrics-relist-interval must be longer than zero");
  if (maxAgeMs < relistIntervalMs)
    problems.push("--metrics-max-age must not be less than --metrics-relist-interval");
  const listTimeoutMs = read.durationMs("metrics-list-timeout") ?? 0;
  if (listTimeoutMs <= 0) problems.push("--metrics-list-timeout must be longer than zero");
  const options: AdapterOptions = {
    configFile: configFile ?? "",
    sourcesFile: read.string("sources-config"),
    federationFile: read.string("federation-config"),
    federationDiscoveryMaxAgeMs: read.durationMs("federation-discovery-max-age") ?? 0,
    relistIntervalMs,
    maxAgeMs,
    listTimeoutMs,
    resultMaxAgeMs: read.durationMs("metrics-result-max-age") ?? 0,
    listerKubeconfig: read.string("lister-kubeconfig"),
    prometheus: prometheusOptions(read),
    metricRules: metricRulesOptions(read),
    live: liveOptions(read),
    serving: servingOptions(read),
    authentication: authenticationOptions(read),
    authorization: {
      kubeconfig: read.string("authorization-kubeconfig") ?? read.string("lister-kubeconfig"),
      alwaysAllowPaths: read.list("authorization-always-allow-paths"),
      allowedTtlMs: read.durationMs("authorization-webhook-cache-authorized-ttl") ?? 0,
      deniedTtlMs: read.durationMs("authorization-webhook-cache-unauthorized-ttl") ?? 0,
    },
    verbosity: read.integer("v", { min: 0, max: 100 }),
  };
  return problems.length > 0
    ? { type: "problems", problems }
    : { type: "options", options, warnings: flagWarnings(flags, line) };
}

function prometheusOptions(read: Flags): PrometheusOptions {
  const { problems } = read;
  const url = read.string("prometheus-url") ?? "";
  // With live metrics there may be no Prometheus.
  const problem = url === "" && read.boolean("live-metrics") ? undefined : addressProblem(url);
  if (problem !== undefined)
    problems.push(`invalid value ${JSON.stringify(redactUrl(url))} for --prometheus-url: ${problem}`);
  const proxyUrl = read.string("prometheus-proxy-url");
  const proxyProblem = proxyUrl === undefined ? undefined : addressProblem(proxyUrl);
  if (proxyProblem !== undefined)
    problems.push(
      `invalid value ${JSON.stringify(redactUrl(proxyUrl ?? ""))} for --prometheus-proxy-url: ${proxyProblem}`,
    );
  const verb = read.choice("prometheus-verb");
  const usesServiceAccount = read.boolean("prometheus-auth-incluster");
  const kubeconfig = read.string("prometheus-auth-config");
  if (usesServiceAccount && kubeconfig !== undefined)
    problems.push("--prometheus-auth-incluster and --prometheus-auth-config can't be combined");
  const clientCertFile = read.string("prometheus-client-tls-cert-file");
  const clientKeyFile = read.string("prometheus-client-tls-key-file");
  if ((clientCertFile === undefined) !== (clientKeyFile === undefined)) {
    problems.push(
      "--prometheus-client-tls-cert-file and --prometheus-client-tls-key-file must be set together",
    );
  }
  const queryTimeoutMs = read.durationMs("prometheus-query-timeout");
  if (queryTimeoutMs === 0) {
    problems.push(
      'invalid value "0s" for --prometheus-query-timeout: must be above 0s; by default it is the time left for the request',
    );
  }
  return {
    url,
    verb,
    proxyUrl,
    queryTimeoutMs,
    headers: prometheusHeaders(read),
    tokenFile: read.string("prometheus-token-file"),
    caFile: read.string("prometheus-ca-file"),
    clientCertFile,
    clientKeyFile,
    usesServiceAccount,
    kubeconfig,
  };
}

/** Headers carry credentials: no message repeats a name or value that could be one. */
function prometheusHeaders(read: Flags): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const [index, pair] of read.strings("prometheus-header").entries()) {
    const equals = pair.indexOf("=");
    const name = pair.slice(0, equals);
    const value = pair.slice(equals + 1);
    const refuse = (why: string): void => {
      read.problems.push(`invalid value number ${index + 1} for --prometheus-header (not shown): ${why}`);
    };
    if (equals < 1) refuse("must be key=value");
    else if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) refuse("the part before = must be a header name");
    else if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      refuse("the value has a character that headers can't contain");
    else headers.set(name, value);
  }
  return Object.fromEntries(headers);
}

function servingOptions(read: Flags): ServingOptions {
  const { problems } = read;
  const certFile = read.string("tls-cert-file");
  const keyFile = read.string("tls-private-key-file");
  if ((certFile === undefined) !== (keyFile === undefined))
    problems.push("--tls-cert-file and --tls-private-key-file must be set together");
  const minVersion = read.choice("tls-min-version");
  const ciphers = opensslCiphers(read.list("tls-cipher-suites"));
  if (!ciphers.ok)
    problems.push(`unknown or insecure cipher suite in --tls-cipher-suites: ${ciphers.unknown.join(", ")}`);
  return {
    address: read.string("bind-address") ?? "",
    port: read.integer("secure-port", { min: 0, max: 65_535 }),
    certDir: read.string("cert-dir"),
    files: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    sniFiles: read.strings("tls-sni-cert-key").flatMap((value) => parseSniFiles(value, problems)),
    minVersion: minVersion === "VersionTLS13" ? "TLSv1.3" : "TLSv1.2",
    ciphers: ciphers.ok ? ciphers.ciphers : undefined,
    selfSignedHosts: read.list("self-signed-cert-hosts"),
    ...sharedCertificate(read, certFile !== undefined),
    isPortShared: read.boolean("permit-port-sharing"),
    maxRequestsInFlight: read.integer("max-requests-inflight", { min: 1, max: 1_000_000 }),
    shutdownDelayMs: read.durationMs("shutdown-delay-duration"),
  };
}

function sharedCertificate(
  read: Flags,
  isGiven: boolean,
): Pick<ServingOptions, "certSecret" | "publishesCaBundleTo"> {
  const { problems } = read;
  const secret = read.string("self-signed-cert-secret");
  const publishesCaBundleTo = read.list("publish-ca-bundle-to");
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(secret ?? "") ?? [];
  if (secret !== undefined && (namespace === undefined || name === undefined)) {
    problems.push(
      `invalid value ${JSON.stringify(secret)} for --self-signed-cert-secret: must be NAMESPACE/NAME`,
    );
  }
  if (secret !== undefined && isGiven)
    problems.push("--self-signed-cert-secret and --tls-cert-file can't be combined");
  if (publishesCaBundleTo.length > 0 && secret === undefined)
    problems.push("--publish-ca-bundle-to needs --self-signed-cert-secret");
  const certSecret = namespace === undefined || name === undefined ? undefined : { namespace, name };
  return { certSecret, publishesCaBundleTo };
}

function parseSniFiles(value: string, problems: string[]): readonly SniFiles[] {
  const [files = "", domains = ""] = value.split(":");
  const [certFile, keyFile, ...rest] = files.split(",");
  if (!certFile || !keyFile || rest.length > 0) {
    problems.push(
      `invalid value ${JSON.stringify(value)} for --tls-sni-cert-key: must be CERT,KEY or CERT,KEY:NAME,NAME`,
    );
    return [];
  }
  return [{ certFile, keyFile, domains: domains === "" ? [] : domains.split(",") }];
}

function authenticationOptions(read: Flags): AuthenticationOptions {
  const caFile = read.string("requestheader-client-ca-file");
  const lowered = (name: keyof typeof flags): readonly string[] =>
    read.list(name).map((item) => item.toLowerCase());
  const clientCaFile = read.string("client-ca-file");
  const files: StaticAuthentication = {
    clientCaFile,
    requestHeader:
      caFile === undefined
        ? undefined
        : {
            caFile,
            allowedNames: read.list("requestheader-allowed-names"),
            usernameHeaders: lowered("requestheader-username-headers"),
            uidHeaders: lowered("requestheader-uid-headers"),
            groupHeaders: lowered("requestheader-group-headers"),
            extraHeaderPrefixes: lowered("requestheader-extra-headers-prefix"),
          },
  };
  const isComplete = clientCaFile !== undefined && caFile !== undefined;
  return {
    kubeconfig: read.string("authentication-kubeconfig") ?? read.string("lister-kubeconfig"),
    looksUpConfigMap: !read.boolean("authentication-skip-lookup") && !isComplete,
    toleratesLookupFailure: read.boolean("authentication-tolerate-lookup-failure"),
    tokenTtlMs: read.durationMs("authentication-token-webhook-cache-ttl") ?? 0,
    files,
  };
}
