// Authentication from the files that flags name.
import { createFilePoller, type FollowSeams } from "../file-poller.ts";
import {
  type AuthenticationConfig,
  noAuthentication,
  type RequestHeaderConfig,
} from "./authentication-config.ts";
import { type Certificate, parseCertificates } from "./certificates.ts";

/** What flags say instead of the ConfigMap. */
export interface StaticAuthentication {
  readonly clientCaFile: string | undefined;
  readonly requestHeader: (Omit<RequestHeaderConfig, "anchors"> & { readonly caFile: string }) | undefined;
}

export interface FileAuthenticationOptions extends FollowSeams {
  readonly files: StaticAuthentication;
  readonly onReload: (outcome: "success" | "failure") => void;
  /** Called after each change. */
  readonly onChange: () => void;
}

/** The authentication of the flags, whose files are reread when they change. */
export function createFileAuthentication(options: FileAuthenticationOptions) {
  const { files, log, onReload, onChange } = options;
  let current = noAuthentication;
  const poller = createFilePoller({
    ...options,
    paths: [files.clientCaFile, files.requestHeader?.caFile].flatMap((path) => path ?? []),
    onChange: (contents) => {
      try {
        current = readFiles(files, contents);
      } catch (error) {
        log.error({ err: error }, "new client CA file is not usable; keeping the old one");
        onReload("failure");
        return;
      }
      onReload("success");
      onChange();
    },
  });
  return {
    current: (): AuthenticationConfig => current,
    /** @throws Error when a file cannot be used. */
    start: async (): Promise<void> => {
      current = readFiles(files, await poller.start());
    },
    stop: () => poller.stop(),
  };
}

function readFiles(files: StaticAuthentication, contents: readonly string[]): AuthenticationConfig {
  const rest = [...contents];
  const next = (): readonly Certificate[] => parseCertificates(rest.shift() ?? "");
  const clientCa = files.clientCaFile === undefined ? [] : next();
  const headers = files.requestHeader;
  return { clientCa, requestHeader: headers === undefined ? undefined : { ...headers, anchors: next() } };
}
