// The endpoints that give credentials to what runs in a cloud, and a Prometheus behind them.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FetchedAuth } from "@plimsoll/rules";
import { type SeenRequest, startServer, successOf } from "../local-server.ts";

export interface CloudRequest extends SeenRequest {
  readonly url: URL;
}

export interface CloudReply {
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Undefined: 404; never: nothing. */
export type Endpoints = (request: CloudRequest) => CloudReply | "never" | undefined;

export interface Cloud {
  readonly url: string;
  readonly host: string;
  /** How many requests without a response the other side has ended. */
  endings(): number;
  /** Of the queries that came. */
  readonly queries: readonly SeenRequest["headers"][];
  /** @returns what the program says of each query: "ok", or why there was no answer */
  run(auth: FetchedAuth, environment: Readonly<Record<string, string>>, queries?: number): Promise<string>;
}

export async function startCloud(endpoints: Endpoints): Promise<Cloud> {
  const queries: SeenRequest["headers"][] = [];
  let endings = 0;
  const { url, host } = await startServer((request, response) => {
    const asked = new URL(request.target, "http://cloud");
    if (asked.pathname === "/api/v1/query") {
      queries.push(request.headers);
      response.end(successOf({ resultType: "vector", result: [] }));
      return;
    }
    const reply = endpoints({ ...request, url: asked });
    if (reply === "never") {
      response.on("close", () => {
        endings += 1;
      });
      return;
    }
    response.writeHead(reply === undefined ? 404 : 200, {
      "content-type": reply?.type ?? "application/json",
      ...reply?.headers,
    });
    response.end(reply?.body);
  });
  return {
    url,
    host,
    queries,
    endings: () => endings,
    run: (auth, environment, count = 1) =>
      runProgram([url, JSON.stringify(auth), String(count)], environment),
  };
}

const program = fileURLToPath(new URL("./program.ts", import.meta.url));

/** With nothing of this machine's environment. */
function runProgram(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ["--conditions=@plimsoll/source", "--no-warnings", program, ...args],
      { env: { HOME: "/nonexistent", ...environment } },
      (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
    );
  });
}
