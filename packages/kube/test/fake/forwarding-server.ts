// An API server that forwards a pod's port over WebSockets, as the kubelet does: channel 0 has data, 1 has errors.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { listen } from "@plimsoll/testbed/world";
import { onTestFinished } from "vitest";

export interface ForwardingServer {
  readonly url: string;
  /** Paths of the upgrades that were requested. */
  readonly paths: readonly string[];
  readonly authorizations: readonly (string | undefined)[];
  /** Refuses the next upgrades, or answers on the error channel. */
  behavior: { readonly refuse?: number; readonly fail?: string };
  /** Cuts all connections. */
  cut(): void;
}

/** `port`: where the pod listens. */
export async function startForwardingServer(port: number): Promise<ForwardingServer> {
  const server = createServer((_, response) => response.writeHead(404).end());
  const open = new Set<Duplex>();
  const paths: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const self = { behavior: {} as ForwardingServer["behavior"] };
  server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    paths.push(request.url ?? "");
    authorizations.push(request.headers.authorization);
    open.add(socket);
    socket.on("error", () => undefined);
    const { refuse, fail } = self.behavior;
    if (refuse !== undefined) {
      socket.end(`HTTP/1.1 ${refuse} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    accept(request, socket);
    if (fail === undefined) forward(socket, port, open);
    else socket.write(frame(Buffer.concat([Buffer.from([1, 0, 0]), Buffer.from(fail)])));
  });
  const { host } = await listen(server);
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  onTestFinished(cut);
  return Object.assign(self, {
    url: `http://${host}`,
    paths,
    authorizations,
    cut,
  });
}

const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

function accept({ headers }: IncomingMessage, socket: Duplex): void {
  const key = createHash("sha1")
    .update(`${headers["sec-websocket-key"] ?? ""}${guid}`)
    .digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n`,
  );
}

function forward(socket: Duplex, port: number, open: Set<Duplex>): void {
  const pod: Socket = connect({ host: "127.0.0.1", port });
  open.add(pod);
  pod.on("error", () => socket.destroy());
  pod.on("close", () => socket.destroy());
  socket.on("close", () => pod.destroy());
  // The first message of each channel is the port.
  for (const channel of [0, 1]) socket.write(frame(Buffer.from([channel, port & 255, port >> 8])));
  pod.on("data", (data) => socket.write(frame(Buffer.concat([Buffer.from([0]), data]))));
  let rest = Buffer.alloc(0);
  socket.on("data", (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    for (let next = unframed(rest); next !== undefined; next = unframed(rest)) {
      rest = rest.subarray(next.length);
      if (next.opcode === 8) socket.end();
      else if (next.opcode === 2 && next.payload[0] === 0) pod.write(next.payload.subarray(1));
    }
  });
}

/** A binary message, whole and not masked. */
function frame(payload: Buffer): Buffer {
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.from([0x82, length]), payload]);
  const head = Buffer.alloc(10);
  head.writeUInt16BE(0x827f, 0);
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
  readonly length: number;
}

/** The first frame; undefined while it is not whole. Those of clients are masked. */
function unframed(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 127;
  const sizeBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + sizeBytes + 4;
  if (bytes.length < start) return undefined;
  const size =
    sizeBytes === 2 ? bytes.readUInt16BE(2) : sizeBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (bytes.length < start + size) return undefined;
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, start + size));
  for (let i = 0; i < size; i++) payload.writeUInt8(payload.readUInt8(i) ^ mask.readUInt8(i % 4), i);
  return { opcode: bytes.readUInt8(0) & 15, payload, length: start + size };
}
