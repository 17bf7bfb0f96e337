// Which HTTP proxy a connection goes through.
import { BlockList, isIP } from "node:net";
import { allowedNodeEnvironmentFlags } from "node:process";
import { registerHost, registerSecret } from "@plimsoll/core/redact";
import { addressProblem } from "./address.ts";

/** Where requests go through; neither: straight to the server. */
export interface ProxyOptions {
  /** For each request, whatever the environment says. */
  readonly proxyUrl?: string | undefined;
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the environment, which say nothing of the loopback device. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Node's agents know proxies from 22.21 and 24.5 on, as this flag. Older ones ignore them without a word. */
const nodeKnowsProxies = allowedNodeEnvironmentFlags.has("--use-env-proxy");

/** The variables that name a proxy which this version of Node ignores. */
export function ignoredProxies(
  proxyEnv: ProxyOptions["proxyEnv"] = {},
  knowsProxies: boolean = nodeKnowsProxies,
): readonly string[] {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
  return knowsProxies ? [] : names.filter((name) => Boolean(proxyEnv[name]));
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * As Node's agents take it, for one server. Passwords in it appear in no message.
 * @throws TypeError also when this version of Node ignores `proxyUrl`
 */
export function proxyEnvOf(
  { proxyUrl, proxyEnv = {} }: ProxyOptions,
  server: { readonly url: string; readonly isLoopback: boolean },
  knowsProxies: boolean = nodeKnowsProxies,
): Environment {
  if (proxyUrl !== undefined && !knowsProxies)
    throw new TypeError("this version of Node.js ignores HTTP proxies: use Node.js 22.21, 24.5 or newer");
  if (proxyUrl !== undefined) return proxies({ HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl });
  const valueOf = (name: string): string | undefined => proxyEnv[name] || proxyEnv[name.toLowerCase()];
  // By the rules of Go, which prometheus-adapter has: Node knows no networks, and no domain without a dot before it.
  if (server.isLoopback || isExempt(valueOf("NO_PROXY") ?? "", new URL(server.url))) return {};
  const unused = new URL(server.url).protocol === "https:" ? "HTTP_PROXY" : "HTTPS_PROXY";
  return proxies({ HTTP_PROXY: valueOf("HTTP_PROXY"), HTTPS_PROXY: valueOf("HTTPS_PROXY") }, unused);
}

/** `unused` by the server, but perhaps by one that it redirects to: left out when it is wrong. */
function proxies(env: Environment, unused?: string): Environment {
  const urls = Object.entries(env).flatMap(([name, value = ""]) => {
    if (value === "") return [];
    const text = value.includes("://") ? value : `http://${value}`;
    const problem = proxyProblem(text);
    if (problem === undefined) return [[name, text] as const];
    if (name === unused) return [];
    throw new TypeError(`${name} ${problem}`);
  });
  return Object.fromEntries(urls);
}

/** Node's own error has the password, and it goes past a SOCKS proxy without a word. */
function proxyProblem(text: string): string | undefined {
  const problem = addressProblem(text);
  if (problem !== undefined) return problem;
  registerHost(text);
  const { password } = new URL(text);
  try {
    if (password !== "") registerSecret(password, decodeURIComponent(password));
    return undefined;
  } catch {
    return 'has a password that has a "%" without two digits: write it as %25';
  }
}

function isExempt(noProxy: string, { hostname, port, protocol }: URL): boolean {
  const host = withoutBrackets(hostname);
  const hostPort = port || (protocol === "https:" ? "443" : "80");
  return noProxy
    .toLowerCase()
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .some((entry) => {
      const [, network, bits] = /^([^/]+)\/(\d+)$/.exec(entry) ?? [];
      if (network !== undefined) return isWithin(host, network, Number(bits));
      const [, name = entry, only = hostPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
      const wanted = withoutBrackets(name).replace(/^\*(?=\.)/, "");
      const isNamed = host === wanted || host.endsWith(wanted.startsWith(".") ? wanted : `.${wanted}`);
      return only === hostPort && (entry === "*" || isNamed);
    });
}

function withoutBrackets(host: string): string {
  return host.replaceAll(/^\[|\]$/g, "");
}

function isWithin(host: string, network: string, bits: number): boolean {
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || bits > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, bits, type);
  return list.check(host, type);
}
