// The processes under test, each with its inspector.
import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import {
  type PlimsollProcess,
  type PlimsollProgram,
  plimsollCommand,
  startPlimsoll,
} from "@plimsoll/testbed";
import { type Inspector, openInspector } from "./inspector.ts";

/** One life of a process. */
export interface SoakProcess {
  /** "adapter", "autoscaler-1" and so on; no two lives have the same. */
  readonly name: string;
  readonly process: PlimsollProcess;
  readonly inspector: Inspector;
  /** Where it serves with a certificate. */
  readonly securePort: number;
  /** Ended, but not by end(). */
  hasFallen(): boolean;
  /** The text of /metrics. */
  scrape(): Promise<string>;
  /** Ends it: kindly, or at once. What remains open is closed. */
  end(how: "SIGTERM" | "SIGKILL"): Promise<void>;
}

export interface StartOptions {
  readonly name: string;
  readonly program: PlimsollProgram;
  readonly args: readonly string[];
  /** For /metrics over HTTPS; plain HTTP when absent. */
  readonly token?: string;
}

export const scrapeTimeoutMs = 10_000;

export async function startSoakProcess({ name, program, args, token }: StartOptions): Promise<SoakProcess> {
  const how = plimsollCommand(program);
  const child = await startPlimsoll(program, args, {
    ...how,
    args: ["--inspect=127.0.0.1:0", ...how.args],
  });
  const inspector = await openInspector(child);
  let isEnding = false;
  let hasEnded = false;
  void (async () => {
    await child.exited;
    hasEnded = true;
  })();
  return {
    name,
    process: child,
    inspector,
    securePort: child.securePort ?? child.port,
    hasFallen: () => hasEnded && !isEnding,
    scrape: () => scrape(child.port, token),
    async end(signal) {
      isEnding = true;
      if (signal === "SIGKILL") kill(child.pid);
      else await child.stop();
      await child.exited;
      inspector.close();
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It had ended by itself, which the watcher reports.
  }
}

/** Over a connection of its own: one that the server is about to close would look like a failure. */
function scrape(port: number, token: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const address = {
      host: "127.0.0.1",
      port,
      path: "/metrics",
      agent: false,
      timeout: scrapeTimeoutMs,
    } as const;
    const request =
      token === undefined
        ? http.get(address)
        : https.get({
            ...address,
            rejectUnauthorized: false,
            headers: { authorization: `Bearer ${token}` },
          });
    request.once("response", (response) => void text(response).then(resolve, reject));
    request.once("timeout", () => request.destroy(new Error(`no response in ${scrapeTimeoutMs} ms`)));
    request.once("error", reject);
  });
}
