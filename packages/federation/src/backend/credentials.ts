// The files of a backend: its CA, and the token that is sent to it, read again when they change.
import type { Clock, Logger } from "@plimsoll/component-base";
import { registerSecret } from "@plimsoll/core/redact";
import { createFilePoller, parseCertificates, type ReadText } from "@plimsoll/kube/serving";
import type { BackendConfig } from "../config/federation-config.ts";

/** Where a pod has the token of its service account. */
export const serviceAccountTokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** What the files have. */
export interface Credentials {
  readonly token: string;
  readonly ca: string | undefined;
}

const pollMs = 10_000;

/** Follows the files. `onChange` is called with new contents that can be used. */
export function createCredentialFiles(
  config: Pick<BackendConfig, "name" | "caBundleFile" | "tokenFile">,
  seams: { readonly readText: ReadText; readonly clock: Clock; readonly log: Logger },
  onChange: (credentials: Credentials) => void,
) {
  const { name, caBundleFile, tokenFile = serviceAccountTokenFile } = config;
  const read = ([token = "", ca]: readonly string[]): Credentials => ({
    token: tokenOf(token, tokenFile),
    ca: ca === undefined || caBundleFile === undefined ? undefined : caOf(ca, caBundleFile),
  });
  const poller = createFilePoller({
    ...seams,
    paths: [tokenFile, ...(caBundleFile === undefined ? [] : [caBundleFile])],
    pollIntervalMs: pollMs,
    onChange(contents) {
      try {
        onChange(read(contents));
      } catch (error) {
        seams.log.warn({ err: error, backend: name }, "cannot use a backend's files; keeping the old ones");
      }
    },
  });
  return {
    /** @throws Error, which names the file, when one cannot be read or used. */
    start: async (): Promise<Credentials> => read(await poller.start()) /** Reads them now. Never rejects. */,
    read: poller.read,
    stop: () => poller.stop(),
  };
}

/** It is in no message. */
function tokenOf(text: string, file: string): string {
  const token = text.trim();
  if (token === "") throw new Error(`${file} is empty`);
  if (/[^\x21-\x7e]/.test(token)) throw new Error(`${file} has a character that tokens can't contain`);
  registerSecret(token);
  return token;
}

function caOf(text: string, file: string): string {
  // TLS passes over what it cannot read, and would trust no certificate then.
  try {
    parseCertificates(text);
  } catch (error) {
    throw new Error(`${file} has no readable PEM certificates`, { cause: error });
  }
  return text;
}
