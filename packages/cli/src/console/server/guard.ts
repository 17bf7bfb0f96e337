// Which requests the console answers: those that its own page sends, to the address that was printed.
import type { IncomingMessage } from "node:http";
import { type Failure, failure } from "./failure.ts";

/** "127.0.0.1:PORT": the one host that a request may name, so that no other name can be made to lead here. */
export type OwnHost = string;

/** What is wrong with a request, or undefined. */
export function refusalOf(request: IncomingMessage, host: OwnHost): Failure | undefined {
  const { method = "", url = "" } = request;
  if (valuesOf(request, "host").join() !== host || !url.startsWith("/"))
    return failure(403, "Forbidden", `this console is at http://${host} and answers to no other name`);
  const origins = valuesOf(request, "origin");
  if (origins.some((origin) => origin !== `http://${host}`))
    return failure(403, "Forbidden", "the request comes from a page of another origin");
  const site = valuesOf(request, "sec-fetch-site").join();
  if (site !== "same-origin" && site !== "none")
    return failure(
      403,
      "Forbidden",
      "only the console's own page may send requests (Sec-Fetch-Site must be same-origin or none): type the address, or open it from the terminal",
    );
  if (method !== "GET" && method !== "HEAD")
    return failure(405, "MethodNotAllowed", "the console only reads: GET and HEAD");
  return undefined;
}

/** All values of a header, because of the first of two a reader behind might take the second. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
