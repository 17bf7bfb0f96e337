import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { startWorld, type World } from "./world.ts";

/** As many as a machine is asked for by CONNECTIONS=2000; few enough for any by default. */
const connections = Number(process.env["CONNECTIONS"] ?? "600");
const healthyRequests = 60;

function kept(sockets: Socket[], socket: Socket): void {
  socket.on("error", () => {});
  sockets.push(socket);
}

/** A third of each: idle before TLS, idle after it, and headers that never end. */
async function open(world: World, sockets: Socket[]): Promise<void> {
  const { port, pki } = world;
  for (let n = 0; n < connections; n++) {
    if (n % 3 === 0) kept(sockets, connect(port, "127.0.0.1"));
    else {
      const socket = connectTls({ port, host: "127.0.0.1", servername: "localhost", ca: pki.serving.pem });
      kept(sockets, socket);
      if (n % 3 === 1) socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(n % 30_000)}`);
    }
    // Connections come at a pace, not all at once.
    if (n % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function medianMs(world: World): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < healthyRequests; n++) {
    const beganMs = performance.now();
    const { code } = await world.value("queue");
    expect(code).toBe(200);
    took.push(performance.now() - beganMs);
  }
  return took.sort((a, b) => a - b)[healthyRequests / 2] ?? 0;
}

test("idle connections, and headers that never end, keep no request from its response", async () => {
  const world = await startWorld();
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const alone = await medianMs(world);
  await open(world, sockets);
  const beside = await medianMs(world);
  // No bound: other work on the machine is in both.
  console.log(
    `${connections} connections: ${alone.toFixed(1)} ms a request before, ${beside.toFixed(1)} ms beside them`,
  );
  expect((await world.get("/healthz")).code).toBe(200);
});
