import { Agent, request } from "node:https";
import { createAuthority, issue } from "@plimsoll/kube/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { lonelyFlags, makeFolder, readCa, servingPort, startProcess } from "./adapter-process.ts";

/** The process in a folder of its own, which believes clients of the authority. */
async function start(clientCa: string) {
  const folder = await makeFolder({ "client-ca.crt": clientCa });
  const running = startProcess(folder, [
    ...lonelyFlags,
    "--secure-port=0",
    "--authentication-skip-lookup",
    "--client-ca-file=client-ca.crt",
  ]);
  const port = await servingPort(running);
  return { ...running, port, ca: await readCa(folder) };
}

type Outcome =
  | { readonly type: "answered"; readonly code: number }
  | { readonly type: "refused" }
  /** Before TLS was done: the kernel may have taken the connection, and the server not yet. */
  | { readonly type: "not accepted"; readonly error: string }
  | { readonly type: "broken"; readonly error: string };

function ask(port: number, path: string, options: { readonly ca: string; readonly agent: Agent | false }) {
  return new Promise<Outcome>((resolve) => {
    let isAccepted = false;
    const asked = request({ host: "127.0.0.1", servername: "localhost", port, path, ...options });
    asked.on("socket", (socket) => {
      isAccepted = asked.reusedSocket;
      if (!isAccepted) socket.once("secureConnect", () => (isAccepted = true));
    });
    asked.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve({ type: "answered", code: response.statusCode ?? 0 }));
    });
    asked.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") resolve({ type: "refused" });
      else resolve({ type: isAccepted ? "broken" : "not accepted", error: String(error) });
    });
    asked.end();
  });
}

test("SIGTERM among sixteen busy clients: each request gets a response or meets a closed port, none is reset", async () => {
  const authority = await createAuthority("cluster-ca");
  const { cert, key } = await issue(authority, "O=system:masters,CN=admin");
  const { child, ended, port, ca } = await start(authority.pem);
  let answers = 0;
  /** Asks on until nothing listens any more; what else went wrong. */
  const client = async (isKnown: boolean): Promise<readonly string[]> => {
    const agent = isKnown && new Agent({ keepAlive: true, maxSockets: 1, ca, cert, key });
    const failures: string[] = [];
    let unaccepted: string | undefined;
    for (;;) {
      const outcome = await ask(port, isKnown ? "/version" : "/healthz", { ca, agent });
      if (outcome.type === "refused") break;
      // It was not the closing of the port, which nothing comes after.
      if (unaccepted !== undefined) failures.push(unaccepted);
      unaccepted = outcome.type === "not accepted" ? outcome.error : undefined;
      if (outcome.type === "broken") failures.push(outcome.error);
      if (outcome.type !== "answered") continue;
      answers += 1;
      // Health says that it is leaving.
      if (outcome.code >= 400 && (isKnown || outcome.code !== 500)) failures.push(String(outcome.code));
    }
    if (agent !== false) agent.destroy();
    return failures;
  };
  const clients = Array.from({ length: 16 }, (_, index) => client(index % 2 === 0));
  await until("there is load", () => answers > 200);
  child.kill("SIGTERM");
  expect((await Promise.all(clients)).flat()).toEqual([]);
  expect(await ended).toBe(0);
});
