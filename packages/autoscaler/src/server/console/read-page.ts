// The built page in the folder that --console-directory names.
import { messageOf } from "@plimsoll/component-base";
import { type PageFiles, readPageFiles } from "@plimsoll/component-base/page";

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
