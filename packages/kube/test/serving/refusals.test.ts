import { createServer, type RequestListener } from "node:http";
import { connect } from "node:net";
import { manualClock } from "@plimsoll/component-base/testing";
import { listen } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { createDrain } from "../../src/serving/drain.ts";
import { refuseUnreadable } from "../../src/serving/refusals.ts";

/** All that comes back for bytes, of which the later parts follow what was answered to the earlier ones. */
async function exchange(parts: readonly string[], handler: RequestListener): Promise<string> {
  const clock = manualClock(0);
  const server = createServer({ maxHeaderSize: 8_192 }, handler);
  refuseUnreadable(server, { drain: createDrain(server, clock), clock, headerBytes: 8_192 });
  const socket = connect((await listen(server)).port, "127.0.0.1");
  const [first = "", ...later] = parts;
  socket.write(first);
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
      socket.write(later.shift() ?? "");
    });
    socket.once("error", (error) => resolve(String(error)));
    socket.once("close", () => resolve(text));
  });
}

const answered: RequestListener = (_request, response) => void response.end("done");
const withoutBody = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

test.each([
  ["no request", "nonsense\r\n\r\n", 400],
  ["a tunnel", "CONNECT other:443 HTTP/1.1\r\nHost: x\r\n\r\nmore", 400],
  ["headers above the limit", `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(100_000)}\r\n\r\n`, 431],
])("%s gets a Status and the end", async (_, text, code) => {
  const answer = await exchange([text], answered);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${String(code)} `));
  expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ kind: "Status", code });
});

test("the rest of a request that already has a response gets no second one", async () => {
  const answer = await exchange([withoutBody, "no chunk\r\n"], answered);
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
});

test("no error is sent in the place of a response that is still to come", async () => {
  const never: RequestListener = () => undefined;
  expect(await exchange(["GET / HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n"], never)).toBe("");
});
