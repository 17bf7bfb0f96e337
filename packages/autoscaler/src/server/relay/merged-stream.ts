// Adds the events of other processes to a stream.
import { createInterface } from "node:readline";
import type { Response } from "express";
import type { PeerResponse } from "./relay.ts";

/** Passes whole events on, without ids: those of several processes do not resume one stream. It ends with the first of them. */
export function mergedStream(others: readonly PeerResponse[], response: Response): void {
  for (const { message } of others) {
    const lines = createInterface({ input: message, crlfDelay: Number.POSITIVE_INFINITY });
    let event: string[] = [];
    lines.on("line", (line) => {
      if (line !== "") {
        if (!line.startsWith("id:") && !line.startsWith("retry:")) event.push(line);
        return;
      }
      // The lines of a part that came before it was ended still follow.
      if (response.writableEnded) return;
      if (event.length > 0 && !response.write(`${event.join("\n")}\n\n`)) {
        lines.pause();
        response.once("drain", () => lines.resume());
      }
      event = [];
    });
    const end = (): void => void response.end();
    message.once("close", end);
    message.once("error", end);
  }
}
