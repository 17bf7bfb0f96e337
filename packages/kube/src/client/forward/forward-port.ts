// Forwards a port of a pod over a WebSocket of the API server.
import { type Duplex, duplexPair, Writable } from "node:stream";
import type { KubeConfig } from "@kubernetes/client-node";
import { orAborted } from "@plimsoll/component-base";
import { redact } from "@plimsoll/core/redact";
import { ConnectionError, PortForwardRefusedError } from "../api-error.ts";
import { toConnectionError } from "../http/connection-failure.ts";

/** A port of a pod. */
export interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** Opens a connection to a port of a pod; ended by the signal. Throws PortForwardRefusedError or ConnectionError. */
export type ForwardPort = (target: PodPort, signal: AbortSignal) => Promise<Duplex>;

/** With the connection settings and credentials of a configuration as they are now. */
export async function forwardPort(config: KubeConfig, target: PodPort, signal: AbortSignal): Promise<Duplex> {
  const { PortForward } = await import("@kubernetes/client-node");
  const { namespace, pod, port } = target;
  const [ours, theirs] = duplexPair();
  const what = `port-forward to ${port} of pod ${namespace}/${pod}`;
  const fail = (error: Error): void => void ours.destroy(error);
  // An error event without a listener would end the process.
  ours.on("error", () => undefined);
  theirs.on("error", fail);
  let socket: WebSocketLike;
  try {
    const opening = new PortForward(config).portForward(
      namespace,
      pod,
      [port],
      theirs,
      errorChannel(what, fail),
      theirs,
    ) as Promise<WebSocketLike>;
    socket = await untilAborted(opening, signal);
  } catch (error) {
    theirs.destroy();
    ours.destroy();
    throw signal.aborted ? signal.reason : refusalOf(error, target, what);
  }
  guard(socket, { ours, theirs, what, signal });
  return ours;
}

/** What is used of a WebSocket of client-node. */
interface WebSocketLike {
  readonly readyState: number;
  addEventListener(type: "close" | "error", listener: (event: { readonly message?: string }) => void): void;
  terminate(): void;
}

/** Ends each side with the other. client-node listens to errors only until the socket is open. */
function guard(
  socket: WebSocketLike,
  {
    ours,
    theirs,
    what,
    signal,
  }: { readonly ours: Duplex; readonly theirs: Duplex; readonly what: string; readonly signal: AbortSignal },
): void {
  const cut = (reason: string): void => {
    if (!ours.destroyed) ours.destroy(new ConnectionError("reset", `${what}: ${reason}`));
  };
  const aborted = (): void => cut("aborted");
  socket.addEventListener("error", ({ message }) => cut(redact(message ?? "the connection failed")));
  socket.addEventListener("close", () => cut("the connection was interrupted"));
  signal.addEventListener("abort", aborted, { once: true });
  ours.once("close", () => {
    signal.removeEventListener("abort", aborted);
    theirs.destroy();
    socket.terminate();
  });
  const isClosed = socket.readyState > 1;
  if (signal.aborted || isClosed) cut(isClosed ? "the connection was interrupted" : "aborted");
}

/** What the kubelet says of the port, such as that nothing listens there. */
function errorChannel(what: string, fail: (error: Error) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const text = chunk.toString("utf8").trim();
      if (text !== "") fail(new ConnectionError("refused", `${what}: ${text.slice(0, 500)}`));
      done();
    },
  });
}

/** A socket that opens after the signal is closed. */
async function untilAborted(opening: Promise<WebSocketLike>, signal: AbortSignal): Promise<WebSocketLike> {
  try {
    return await orAborted(signal, opening);
  } catch (error) {
    opening.then(
      (late) => late.terminate(),
      () => undefined,
    );
    throw error;
  }
}

/** The library has the code of a refusal only as text, and not the words of the server. */
function refusalOf(error: unknown, { namespace, pod }: PodPort, what: string): Error {
  const { message = "", error: cause } = error as { readonly message?: string; readonly error?: unknown };
  const code = Number(/^Unexpected server response: (\d{3})$/.exec(message)?.[1] ?? Number.NaN);
  switch (code) {
    case 401:
      return new PortForwardRefusedError({ code, reason: "Unauthorized", message: `${what}: Unauthorized` });
    case 403:
      return new PortForwardRefusedError({
        code,
        reason: "Forbidden",
        message: `${what} is forbidden: it needs the verbs get and, from Kubernetes 1.35 on, create on pods/portforward in namespace "${namespace}"`,
      });
    case 404:
      return new PortForwardRefusedError({
        code,
        reason: "NotFound",
        message: `pod "${pod}" not found in namespace "${namespace}"`,
      });
    default:
      return Number.isNaN(code)
        ? toConnectionError(cause ?? error, what)
        : new PortForwardRefusedError({ code, reason: "", message: `${what}: HTTP ${code}` });
  }
}
