// Finds a free port.
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";

/** Below the ports that the system hands out to outgoing connections, any of which could take one meanwhile. */
const first = 20_000;
const last = 32_000;
const maxTries = 50;

/**
 * A port on 127.0.0.1 that no server listens on, for programs that cannot pick one and say which. No call in any process
 * gets it once more as long as this process lives: the program may start much later.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const port = randomInt(first, last);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
  throw new Error(`no free port on 127.0.0.1 in ${maxTries} tries from ${first} to ${last}`);
}

/** UDP has ports of its own: the socket takes none from a server, and goes with this process, however that ends. */
function reserve(port: number): Promise<boolean> {
  const socket = createSocket("udp4").unref();
  return new Promise((resolve) => {
    socket.once("error", (error: NodeJS.ErrnoException) => {
      socket.close();
      // Where there is no UDP, nothing is reserved.
      resolve(error.code !== "EADDRINUSE");
    });
    socket.bind({ port, address: "127.0.0.1", exclusive: true }, () => resolve(true));
  });
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
