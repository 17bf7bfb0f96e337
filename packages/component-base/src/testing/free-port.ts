// Finds a free port.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that the system hands out to outgoing connections, any of which could take one meanwhile. */
const first = 20_000;
const last = 32_000;
const maxTries = 50;

/** A port on 127.0.0.1 that was free a moment ago, for programs that cannot pick one and say which. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const port = randomInt(first, last);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port on 127.0.0.1 in ${maxTries} tries from ${first} to ${last}`);
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
