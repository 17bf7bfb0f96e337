// Reads the flags of the two listeners, and checks them together.
import { isIP } from "node:net";
import type { SecureConfig, ServingConfig } from "../server/serving.ts";
import type { FlagName, Flags } from "./flags.ts";
import { problem } from "./wording.ts";

/** What the flags say about the two listeners. */
export function compileServing(read: Flags, surroundings: ServingSurroundings = {}): ServingConfig {
  const bindAddress = address(read);
  const hasInsecureDecisions = read.boolean("insecure-decisions");
  if (hasInsecureDecisions && !isLoopback(bindAddress)) {
    const reason = `is not allowed with --bind-address=${bindAddress}: bind to 127.0.0.1, or use --secure-port`;
    refuse(read, "insecure-decisions", reason);
  }
  const encrypted = secure(read, advertised(read, bindAddress, surroundings), surroundings);
  return {
    bindAddress,
    port: port(read, "port"),
    hasInsecureDecisions,
    hasInsecureMetrics: isLoopback(bindAddress) || read.boolean("insecure-metrics"),
    secure: encrypted,
  };
}

/** Where others reach this process, and what it shows them, where the flags do not say. */
export interface ServingSurroundings {
  /** The pod's address; of a machine, the one that other machines reach. */
  readonly ownAddress?: string | undefined;
  /** The file of a token for other processes of this deployment, where there is one. */
  readonly relayTokenFile?: string | undefined;
}

function advertised(
  read: Flags,
  bindAddress: string,
  { ownAddress }: ServingSurroundings,
): string | undefined {
  const value = read.string("advertise-address");
  if (value === undefined)
    return bindAddress === "0.0.0.0" || bindAddress === "::" ? ownAddress : bindAddress;
  if (!isIP(value)) refuse(read, "advertise-address", 'is not an IP address: use one such as "10.0.0.7"');
  return value;
}

function secure(
  read: Flags,
  advertiseAddress: string | undefined,
  surroundings: ServingSurroundings,
): SecureConfig | undefined {
  const certFile = read.string("tls-cert-file");
  const keyFile = read.string("tls-private-key-file");
  if (certFile !== undefined && keyFile === undefined)
    refuse(read, "tls-cert-file", "has no key: also set --tls-private-key-file");
  if (keyFile !== undefined && certFile === undefined)
    refuse(read, "tls-private-key-file", "has no certificate: also set --tls-cert-file");
  if (!read.isSet("secure-port")) {
    const named = onlySecure.find((name) => read.isSet(name));
    if (named !== undefined)
      refuse(read, named, "applies to HTTPS only, which is off: also set --secure-port");
    return undefined;
  }
  const openPaths = read.list("authorization-always-allow-paths");
  if (openPaths.some((path) => !path.startsWith("/"))) {
    const reason = 'has a path without a leading slash: use paths such as "/metrics"';
    refuse(read, "authorization-always-allow-paths", reason);
  }
  return {
    port: port(read, "secure-port"),
    files: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    selfSignedHosts: read.list("self-signed-cert-hosts"),
    openPaths,
    advertiseAddress,
    hasLookup: !read.boolean("authentication-skip-lookup"),
    relayTokenFile: read.string("relay-token-file") ?? surroundings.relayTokenFile,
    consoleDirectory: read.string("console-directory"),
  };
}

const onlySecure = [
  "tls-cert-file",
  "self-signed-cert-hosts",
  "advertise-address",
  "relay-token-file",
  "authentication-skip-lookup",
  "console-directory",
] as const;

function port(read: Flags, name: FlagName): number {
  return read.integer(name, { min: 0, max: 65_535 });
}

function address(read: Flags): string {
  const value = read.string("bind-address") ?? "";
  if (!isIP(value))
    refuse(read, "bind-address", 'is not an IP address: use one such as "127.0.0.1" or "0.0.0.0"');
  return value;
}

function refuse(read: Flags, name: FlagName, reason: string): void {
  read.problems.push(problem(name, read.string(name), reason));
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}
