import type { SecureConfig, ServingConfig } from "../http/serving.ts";
import type { FlagName } from "./flags.ts";

interface Reader {
  /** The value as written, or the default. */
  readonly text: (name: FlagName) => string | undefined;
  readonly report: (name: FlagName, message: string, remedy: string) => void;
  readonly port: (name: FlagName) => number;
  readonly isInsecure: boolean;
}

/** What the flags say about the two listeners. */
export function compileServing({ text, report, port, isInsecure }: Reader): ServingConfig {
  const bindAddress = address();
  if (isInsecure && !isLoopback(bindAddress)) {
    report(
      "insecure-decisions",
      `is not for --bind-address=${bindAddress}`,
      "bind to 127.0.0.1, or use --secure-port",
    );
  }
  return { bindAddress, port: port("port"), hasInsecureDecisions: isInsecure, secure: secure() };

  function secure(): SecureConfig | undefined {
    const certFile = text("tls-cert-file");
    const keyFile = text("tls-private-key-file");
    if (certFile !== undefined && keyFile === undefined) {
      report("tls-cert-file", "has no key", "give --tls-private-key-file too");
    }
    if (keyFile !== undefined && certFile === undefined) {
      report("tls-private-key-file", "has no certificate", "give --tls-cert-file too");
    }
    if (text("secure-port") === undefined) {
      const named = (["tls-cert-file", "self-signed-cert-hosts"] as const).find(
        (name) => text(name) !== undefined,
      );
      if (named !== undefined) report(named, "is for HTTPS, which is not served", "give --secure-port too");
      return undefined;
    }
    const openPaths = list("authorization-always-allow-paths");
    if (openPaths.some((path) => !path.startsWith("/"))) {
      report(
        "authorization-always-allow-paths",
        "has a path without a slash",
        'write paths such as "/metrics"',
      );
    }
    return {
      port: port("secure-port"),
      files: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
      selfSignedHosts: list("self-signed-cert-hosts"),
      openPaths,
    };
  }

  function list(name: FlagName): readonly string[] {
    return (text(name) ?? "")
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  }

  function address(): string {
    const value = text("bind-address") ?? "";
    const v4 =
      /^(?:\d{1,3}\.){3}\d{1,3}$/.test(value) && value.split(".").every((part) => Number(part) < 256);
    const v6 = /^[0-9a-fA-F:]*:[0-9a-fA-F:.]*$/.test(value);
    if (!v4 && !v6)
      report("bind-address", "is not an IP address", 'use one such as "127.0.0.1" or "0.0.0.0"');
    return value;
  }
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}
