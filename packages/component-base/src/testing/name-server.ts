// A DNS server for tests.
import { createSocket } from "node:dgram";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** A name server of a test's own, and how a process is run so that it uses this one alone. */
export interface NameServer {
  /** A command begins with this. Linux, as root. */
  readonly prefix: readonly string[];
  /** Queries so far. */
  readonly queries: number;
  /** From now on every name is this IPv4 address; undefined: no answer comes. */
  answer(address: string | undefined): void;
  close(): void;
}

const listenAddress = "127.0.0.99";
const port = 53;
const ipv4Type = 1;

/** @throws where a low port cannot be taken. */
export async function startNameServer(folder: string): Promise<NameServer> {
  let address: string | undefined;
  let queries = 0;
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    queries += 1;
    if (address !== undefined) socket.send(answerTo(query, address), from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, listenAddress, resolve);
  });
  const file = join(folder, "resolv.conf");
  writeFileSync(file, `nameserver ${listenAddress}\n`);
  const run = `mount --bind ${file} /etc/resolv.conf && exec "$@"`;
  return {
    prefix: ["unshare", "--mount", "sh", "-c", run, "sh"],
    get queries() {
      return queries;
    },
    answer(next) {
      address = next;
    },
    close: () => socket.close(),
  };
}

function answerTo(query: Buffer, address: string): Buffer {
  const header = 12;
  const questionEnd = query.indexOf(0, header) + 5;
  const question = query.subarray(header, questionEnd);
  const hasAddress = question.readUInt16BE(question.length - 4) === ipv4Type;
  const head = Buffer.alloc(header);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x81_80, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(hasAddress ? 1 : 0, 6);
  const record = Buffer.from([
    0xc0,
    header,
    0,
    ipv4Type,
    0,
    1,
    0,
    0,
    0,
    1,
    0,
    4,
    ...address.split(".").map(Number),
  ]);
  return Buffer.concat([head, question, ...(hasAddress ? [record] : [])]);
}

/** Undefined when such a name server can be started here, else why not. */
export function whyNoNameServer(): string | undefined {
  return process.platform === "linux" && process.getuid?.() === 0
    ? undefined
    : "a name server and a resolv.conf of its own need root on Linux";
}
