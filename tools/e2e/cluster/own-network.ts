// A network on loopback that no other cluster of this machine has.
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";

export interface OwnNetwork {
  /** N of 127.N.0.0/16. */
  readonly number: number;
  release(): Promise<void>;
}

/** Any; it says whose the network is. */
const port = 20_000;
const maxTries = 500;

/**
 * Reserves a network from 127.FROM.0.0 up to 127.TO.0.0, until it is released or this process ends. Pods of two clusters get
 * their addresses in the same order: in one network they would listen on the same ones.
 */
export async function ownNetwork(from: number, to: number): Promise<OwnNetwork> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const number = randomInt(from, to);
    const socket = createSocket("udp4").unref();
    const release = () => new Promise<void>((resolve) => void socket.close(resolve));
    if (await isBound(socket, `127.${number}.255.254`)) return { number, release };
    await release();
  }
  throw new Error(`no network of its own from 127.${from}.0.0 to 127.${to}.0.0 in ${maxTries} tries`);
}

function isBound(socket: ReturnType<typeof createSocket>, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once("error", () => resolve(false));
    socket.bind({ port, address, exclusive: true }, () => resolve(true));
  });
}
