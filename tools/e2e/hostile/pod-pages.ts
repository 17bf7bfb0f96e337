// The pages of all pods, in their own process: the address that a request came to says which pod it is.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveParent } from "@plimsoll/testbed";
import { pageFaults, pages } from "./page-faults.ts";
import { placeOf } from "./pod-addresses.ts";
import { pageSecret } from "./secrets.ts";

export interface Pages {
  readonly port: number;
  /** Requests since the last question that no pod with a declared port should have got. */
  readonly trespasses: readonly string[];
}

const trespasses = new Set<string>();

const server = createServer((request, response) => {
  const { localAddress = "" } = request.socket;
  const place = placeOf(localAddress.replace("::ffff:", ""));
  if (place === "victim")
    response.end(
      `# HELP victim_live ${pageSecret}\nvictim_live{note="${pageSecret}"} 10\nvictim_clock ${Math.floor(Date.now() / 1000)}\n`,
    );
  else if (place === "nobody") {
    trespasses.add(`a request reached ${localAddress}${request.url}`);
    response.end("hostile_page 1\n");
  } else void pages[pageFaults[place] ?? "page"]()(request, response);
});
// A client that hangs up.
server.on("connection", (socket) => void socket.on("error", () => {}));
await new Promise<void>((resolve) => void server.listen(0, "0.0.0.0", 4096, resolve));
const { port } = server.address() as AddressInfo;

serveParent((): Pages => {
  const answer = { port, trespasses: [...trespasses] };
  trespasses.clear();
  return answer;
});
