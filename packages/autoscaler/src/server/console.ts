// Serves the console's page at /console/: its files are public, what it reads needs the rights of each endpoint.
import { messageOf } from "@plimsoll/component-base";
import { type PageFiles, readPageFiles, securityHeaders } from "@plimsoll/component-base/page";
import { RequestError, sendFile } from "@plimsoll/decisions/serve";
import { sendStatus } from "@plimsoll/kube/serving";
import type { Express } from "express";

const root = "/console/";

/** Only what is in `files` is served: a path is looked up there, and never on the disk. */
export function addConsole(app: Express, files: PageFiles): void {
  app.get(/^\/console$/, (_request, response) => {
    // Relative, because a proxy may have put a prefix before it.
    response.set(securityHeaders).set("Cache-Control", "no-store").redirect(308, "console/");
  });
  app.get(/^\/console\//, (request, response) => {
    response.set(securityHeaders);
    const file = files.get(request.path.slice(root.length));
    if (file === undefined) sendStatus(response, RequestError.nothingAt(request.path).failure);
    else sendFile({ request, response }, file);
  });
}

/** @throws Error that names the flag, where the folder is not the built page. */
export async function readPage(folder: string): Promise<PageFiles> {
  try {
    return await readPageFiles(folder);
  } catch (error) {
    throw new Error(
      `--console-directory ${JSON.stringify(folder)} is not the built page: ${messageOf(error)}; in an image it is /usr/share/plimsoll/console`,
      { cause: error },
    );
  }
}
